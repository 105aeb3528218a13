//! A launch made ready to run: its instructions with the functions that carry them out, cut into
//! basic blocks, and the registers that a block begins with.

mod basic_blocks;
mod prepared;

pub(crate) use basic_blocks::Stretches;
pub(crate) use prepared::{Action, Program, Step, action, is_wide_value, parameter_words};
