//! A compiled kernel.

use super::Op;
use crate::launch::ValueType;
use crate::memory::AccessKind;
use crate::source::Span;

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

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Wherever its address points.
    Generic,
    /// The block's shared memory.
    Shared,
    /// The lane's local memory.
    Local,
}

/// What happens to a loaded value of fewer than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    /// Filled with zeros.
    Zero,
    /// Filled with its sign.
    Sign,
}

/// The type of an access's index register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// There is none.
    None,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// 64 bits.
    I64,
}

/// A place in the source that loads or stores, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSite {
    /// Load or store.
    pub kind: AccessKind,
    /// Where it goes.
    pub space: Space,
    /// Bytes a lane moves: 1, 2, 4, 8 or 16. From 4 up, in consecutive registers, one a word.
    pub width_bytes: u32,
    /// How narrower values are extended.
    pub extend: Extend,
    /// Type of the index register.
    pub index: IndexType,
    /// Factor of the index, in bytes.
    pub scale_bytes: u32,
    /// Added to the address, in bytes.
    pub offset_bytes: i32,
    /// The expression in the source.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
}

impl AccessSite {
    /// Registers that hold the value of one lane.
    pub fn words(&self) -> u32 {
        self.width_bytes.div_ceil(4)
    }
}

/// The type of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A pointer, as 64 bits.
    Pointer,
    /// A number: 32 bits, or 64 for 8-byte types. `ValueType::Bool` is 0 or 1.
    Scalar(ValueType),
}

/// A parameter and the register that holds it when the kernel begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub parameter_type: ParameterType,
    /// Its type as the source has it.
    pub type_name: String,
    /// First register.
    pub register: Register,
}

/// Where a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// In registers, from this one on; 8-byte types take two.
    Register(Register),
    /// In the lane's local memory, so many bytes from its beginning; aligned to its size.
    Local(u32),
}

/// A variable of the source, or a scalar part of one, and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; members as `v.x`, elements as `acc[2]`.
    pub name: String,
    /// Its type as the source has it.
    pub type_name: String,
    /// How to read its bits.
    pub value_type: ValueType,
    /// Where it is kept.
    pub place: VariablePlace,
    /// Line of its declaration, from 1.
    pub line: u32,
}

/// A statement: the unit in which a warp is stepped and traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first instruction; it ends where the next statement begins.
    pub first: u32,
    /// Its place in the source.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
}

/// A kernel, compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where its name is defined.
    pub span: Span,
    /// Instructions; the last is `End`.
    pub code: Vec<Instruction>,
    /// Line of each instruction, from 1.
    pub lines: Vec<u32>,
    /// Statements in order of their first instruction.
    pub statements: Vec<Statement>,
    /// 64-bit constants.
    pub constants: Vec<u64>,
    /// Places that access memory.
    pub sites: Vec<AccessSite>,
    /// Registers of one lane.
    pub registers: u16,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Variables in order of declaration, parameters first.
    pub variables: Vec<Variable>,
    /// Static shared memory of a block, in bytes. Dynamic shared memory follows it, aligned to 16.
    pub shared_bytes: u32,
    /// Local memory of a lane, in bytes.
    pub local_bytes: u32,
    /// Most threads a block may have, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
}
