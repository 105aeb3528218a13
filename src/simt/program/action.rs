//! Who carries out an instruction: a function over registers, or a part of the machine.

use crate::ir::{Instruction, Op};
use crate::simt::operations::lane_operation;
use crate::simt::warp::LaneOperation;

/// Who carries out an instruction.
#[derive(Clone, Copy)]
pub enum Action {
    /// A function over registers.
    Lanes(LaneOperation),
    /// A load or store.
    Access,
    /// An atomic operation.
    Atomic,
    /// What concerns the block as a whole: its clock, its output, its votes at barriers, its end;
    /// textures and surfaces.
    BlockWide,
    /// A shuffle, vote, reduction, match or product of matrices.
    Exchange,
    /// Control flow and barriers.
    Control,
}

/// An instruction and who carries it out.
#[derive(Clone, Copy)]
pub struct PreparedInstruction {
    /// The instruction.
    pub instruction: Instruction,
    /// Who carries it out.
    pub action: Action,
}

/// Who carries out an operation.
pub fn action(op: Op) -> Action {
    if let Some(operation) = lane_operation(op) {
        return Action::Lanes(operation);
    }
    match op {
        Op::Load
        | Op::Store
        | Op::LoadShared
        | Op::StoreShared
        | Op::LoadLocal
        | Op::StoreLocal => Action::Access,
        op if op.is_exchange() => Action::Exchange,
        Op::Clock
        | Op::Print
        | Op::Launch
        | Op::Fault
        | Op::BarrierCount
        | Op::BarrierAnd
        | Op::BarrierOr
        | Op::BarrierArrive
        | Op::BarrierOpened
        | Op::Texture
        | Op::SurfaceLoad
        | Op::SurfaceStore => Action::BlockWide,
        op if op.is_atomic() => Action::Atomic,
        _ => Action::Control,
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, action};
    use crate::ir::{Op, Operand};

    #[test]
    fn what_has_a_result_is_computed_by_somebody() {
        for &op in Op::ALL {
            let mut operands = op.operands().iter();
            let has_result = operands.any(|operand| {
                matches!(operand, Operand::Dst32 | Operand::Dst64 | Operand::Dst128)
            });
            let is_left_over = matches!(action(op), Action::Control);
            assert!(
                !(has_result && is_left_over),
                "{op:?} has no lanes: give it a line in a table under src/simt/operations"
            );
        }
    }
}
