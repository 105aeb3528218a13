//! The values of a kernel: where they come from and go to, which of them are the same, and which somebody needs.

mod value_flow;
mod value_numbers;
mod liveness;

pub(super) use liveness::{Liveness, liveness};
pub(super) use value_flow::{Definition, RegionId, Value, ValueFlow, flow, is_move};
pub(super) use value_numbers::{Computed, Term, ValueNumbers};
