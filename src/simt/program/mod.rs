//! A launch made ready to run: its instructions with the functions that carry them out, cut into
//! basic blocks, and the registers that a block begins with.

mod action;
mod basic_blocks;
mod conflicts;
mod launch_limits;
mod prepared;

pub(crate) use action::{Action, PreparedInstruction, action};
pub(crate) use basic_blocks::BasicBlocks;
pub(crate) use conflicts::{Conflicts, Interval};
pub(crate) use prepared::{Program, is_wide_value, parameter_words};
