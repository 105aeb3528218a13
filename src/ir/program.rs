//! A compiled kernel.

use super::{Op, PrintSite};
use crate::launch::{Fp32Counts, ValueType};
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
    /// Whether it is an atomic operation, which counts apart; its kind is that of a store.
    pub is_atomic: bool,
    /// Whether one lane goes for all that take part: they go to the same address, and `nvcc` puts
    /// their values together first.
    pub one_lane: bool,
    /// Whether it counts nothing: `nvcc` makes this access elsewhere, or as part of another, where it
    /// counts; it is made here so that values are where and when the source has them.
    pub is_silent: bool,
    /// Whether it stands for accesses that are made beside it and count nothing. It may read more
    /// than they do, so checks look at them and not at it.
    pub is_extra: bool,
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
    /// An access at `span` that goes wherever its address points; its line is not known yet.
    pub fn new(kind: AccessKind, width_bytes: u32, span: Span) -> Self {
        AccessSite {
            kind,
            is_atomic: false,
            one_lane: false,
            is_silent: false,
            is_extra: false,
            space: Space::Generic,
            width_bytes,
            extend: Extend::Zero,
            index: IndexType::None,
            scale_bytes: 0,
            offset_bytes: 0,
            span,
            line: 0,
        }
    }

    /// Registers that hold the value of one lane.
    pub fn words(&self) -> u32 {
        self.width_bytes.div_ceil(4)
    }
}

/// Why a kernel may end with a fault of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapSite {
    /// Its place in the source.
    pub span: Span,
    /// The condition of an `assert`, as the source has it; nothing for `__trap`.
    pub condition: Option<String>,
}

/// The type of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A pointer, as 64 bits.
    Pointer,
    /// A number: 32 bits, or 64 for 8-byte types. `ValueType::Bool` is 0 or 1.
    Scalar(ValueType),
    /// The address of a variable at file scope, as 64 bits: an index into the file's [`super::Symbol`]s. No
    /// launch writes an argument for it.
    Symbol(u32),
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
    /// Where a real GPU's kernel finds it among the bytes of its parameters.
    pub offset_bytes: u32,
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
    /// Where it is declared and can be named.
    pub declaration: Declaration,
}

/// Where a variable is declared, and where it lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Its name in the declaration.
    pub span: Span,
    /// From its declaration to the end of its block.
    pub scope: Span,
    /// The function that declares it: an index into [`Kernel::functions`].
    pub function: u32,
}

impl Declaration {
    /// Whether `place`, in function `function`, lies where the variable can be named.
    fn holds(&self, function: u32, place: Span) -> bool {
        let from = self.scope.start;
        self.function == function && from <= place.start && place.start < self.scope.end
    }
}

/// A call that is inlined, or the kernel itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The function called: an index into [`Kernel::functions`].
    pub function: u32,
    /// Calls around it: 0 for the kernel.
    pub depth: u32,
    /// The call that it stands in: an index into [`Kernel::calls`].
    pub caller: u32,
    /// The statement that calls.
    pub span: Span,
}

/// A variable that lives in memory: in the block's shared, or in each lane's local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its name.
    pub name: String,
    /// Its type as the source has it.
    pub type_name: String,
    /// [`Space::Shared`] or [`Space::Local`].
    pub space: Space,
    /// Where it begins, in bytes.
    pub offset_bytes: u32,
    /// Its size; 0 for dynamic shared memory, which takes what the launch gives.
    pub size_bytes: u32,
    /// Bytes of one of its elements, or its own where it is no array.
    pub element_bytes: u32,
    /// How to read an element, where that is a number.
    pub value_type: Option<ValueType>,
    /// Where it is declared and can be named.
    pub declaration: Declaration,
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
    /// The call that it belongs to: an index into [`Kernel::calls`].
    pub call: u32,
    /// Whether it is the rest of a statement that has called a function.
    pub resumes: bool,
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
    /// What its calls of `printf` print.
    pub prints: Vec<PrintSite>,
    /// Why it may end with a fault of its own.
    pub traps: Vec<TrapSite>,
    /// Registers of one lane.
    pub registers: u16,
    /// Parameters in order, those that no launch writes an argument for behind the others.
    pub parameters: Vec<Parameter>,
    /// Variables in order of declaration, parameters first.
    pub variables: Vec<Variable>,
    /// Names of the functions that run, the kernel's first.
    pub functions: Vec<String>,
    /// Calls of them in order of their code, the kernel's own body first.
    pub calls: Vec<Call>,
    /// Variables that live in memory.
    pub allocations: Vec<Allocation>,
    /// Static shared memory of a block, in bytes. Dynamic shared memory follows it, aligned to 16.
    pub shared_bytes: u32,
    /// Local memory of a lane, in bytes.
    pub local_bytes: u32,
    /// Most threads a block may have, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// Instructions that cost other single-precision instructions than their operation does, in
    /// order, with what they cost: `nvcc` computes something elsewhere, otherwise or not at all.
    pub recosted: Vec<(u32, Fp32Counts)>,
}

impl Kernel {
    /// The parameters that a launch writes arguments for, in order.
    pub fn written_parameters(&self) -> &[Parameter] {
        let is_symbol = |p: &Parameter| matches!(p.parameter_type, ParameterType::Symbol(_));
        let symbols = self.parameters.iter().rev().take_while(|p| is_symbol(p));
        &self.parameters[..self.parameters.len() - symbols.count()]
    }

    /// Whether a variable can be named in a statement, and is declared before or in it.
    pub fn is_in_scope(&self, declaration: &Declaration, statement: &Statement) -> bool {
        let call = &self.calls[statement.call as usize];
        declaration.holds(call.function, statement.span)
    }

    /// Whether a variable exists while a statement runs: it can be named there, or where one of the
    /// calls that lead there was made.
    pub fn is_alive(&self, declaration: &Declaration, statement: &Statement) -> bool {
        let (mut at, mut place) = (statement.call as usize, statement.span);
        loop {
            let call = &self.calls[at];
            if declaration.holds(call.function, place) {
                return true;
            }
            if call.depth == 0 {
                return false;
            }
            (at, place) = (call.caller as usize, call.span);
        }
    }

    /// The statement that an instruction belongs to; none in the prologue.
    pub fn statement_at(&self, pc: usize) -> Option<usize> {
        let after = |statement: &Statement| statement.first as usize <= pc;
        self.statements.partition_point(after).checked_sub(1)
    }
}
