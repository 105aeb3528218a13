//! Instructions and their registers.

use super::op::Op;

/// Index of a register: 32 bits in each lane.
pub type Register = u16;

/// No register, where an operand may be left out.
pub const NO_REGISTER: Register = u16::MAX;

/// One instruction. Which fields mean something, and what, is in the table of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// Where the result goes.
    pub dst: Register,
    /// First operand.
    pub a: Register,
    /// Second operand.
    pub b: Register,
    /// Third operand.
    pub c: Register,
    /// A number, an index or a target.
    pub imm: u32,
}
