//! What each operation on registers does, one line an operation.

mod convert;
mod double;
mod float;
mod half;
mod integer;
mod integer64;
mod libm;
mod moves;

pub use half::{add_bf16, add_f16};

use super::lanes::LaneOperation;
use crate::ir::Op;

/// The function of an operation that touches nothing but registers; nothing for the others.
pub fn lane_operation(op: Op) -> Option<LaneOperation> {
    let tables = [
        moves::operation,
        integer::operation,
        integer64::operation,
        float::operation,
        double::operation,
        half::operation,
        libm::operation,
        convert::operation,
    ];
    tables.iter().find_map(|table| table(op))
}
