//! A program in the host's bytecode, with the tables that its operations name.

use std::collections::BTreeMap;

use crate::cuda::{FileVariableId, FunctionId, MathFunction, Scalar, Type};
use crate::source::Span;

use super::op::{Op, Slot};

/// A program of the host.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The operations of all functions.
    pub ops: Vec<Op>,
    /// Where each operation is written.
    pub spans: Vec<Span>,
    /// By number in the typed program; nothing for what no code of the host reaches, and for kernels.
    pub functions: Vec<Option<Routine>>,
    /// Kernels that code of the host launches, or whose address it takes.
    pub kernels: Vec<FunctionId>,
    /// The data segment as the program begins.
    pub data: Vec<u8>,
    /// The variables in kernels' memory by the addresses that stand for them in code of the host.
    pub symbols: BTreeMap<u64, FileVariableId>,
    /// What operations name.
    pub sites: Sites,
    /// `main`.
    pub entry: Option<FunctionId>,
    /// What gives variables their values before `main`.
    pub start: Option<FunctionId>,
}

/// The tables that operations name.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Calls of a library.
    pub calls: Vec<CallSite>,
    /// Names of the library's functions.
    pub names: Vec<LibraryName>,
    /// Launches of kernels.
    pub launches: Vec<LaunchSite>,
    /// Functions of numbers, each with the type of its operands.
    pub math: Vec<(MathFunction, Scalar)>,
    /// Objects that begin.
    pub objects: Vec<ObjectSite>,
    /// Handlers of `try`, in order.
    pub handlers: Vec<Vec<HandlerSite>>,
    /// What is thrown: as what it can be caught, with offsets, and its size.
    pub thrown: Vec<ThrowSite>,
    /// What cannot be done.
    pub refused: Vec<String>,
}

impl Sites {
    /// How many there are of each, but for names and functions of numbers, which all functions share.
    pub fn lengths(&self) -> [usize; 6] {
        [
            self.calls.len(),
            self.launches.len(),
            self.objects.len(),
            self.handlers.len(),
            self.thrown.len(),
            self.refused.len(),
        ]
    }

    /// Takes away what was added since.
    pub fn truncate(&mut self, lengths: [usize; 6]) {
        let [calls, launches, objects, handlers, thrown, refused] = lengths;
        self.calls.truncate(calls);
        self.launches.truncate(launches);
        self.objects.truncate(objects);
        self.handlers.truncate(handlers);
        self.thrown.truncate(thrown);
        self.refused.truncate(refused);
    }
}

/// A function in bytecode.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Its first operation.
    pub start: u32,
    /// How many slots it needs.
    pub slots: u32,
    /// How many bytes of the stack it takes.
    pub frame_bytes: u32,
    /// How many parameters it has.
    pub parameter_count: u32,
    /// What its slots behind the parameters begin with.
    pub constants: Vec<u64>,
    /// Whether a header that comes with the program defines it.
    pub is_library: bool,
}

/// The name of a library's function, and where it is called first.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryName {
    /// The name.
    pub name: String,
    /// The call.
    pub span: Span,
}

/// A call of a library's function.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    /// Index into [`Sites::names`].
    pub name: u32,
    /// Types of the arguments.
    pub types: Vec<Type>,
    /// What it returns.
    pub result: Type,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchSite {
    /// Which.
    pub kernel: FunctionId,
    /// Types of its parameters.
    pub types: Vec<Type>,
}

/// Objects that begin.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectSite {
    /// Size of each.
    pub size_bytes: u64,
    /// How many.
    pub count: u64,
    /// What ends one.
    pub destructor: FunctionId,
    /// Whether they end with the program.
    pub until_exit: bool,
}

/// A handler of `try`.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerSite {
    /// What it catches; everything if nothing is said.
    pub catches: Option<Type>,
    /// Its first operation.
    pub target: u32,
}

/// What is thrown.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrowSite {
    /// As what it can be caught, with offsets in bytes.
    pub catchable: Vec<(Type, u32)>,
    /// Its type.
    pub ty: Type,
    /// Whether the slot holds its address rather than itself.
    pub is_address: bool,
    /// What ends it.
    pub destructor: Option<usize>,
}

/// Scalars by the numbers that [`Op::Convert`] has for them.
pub const SCALARS: [Scalar; 14] = [
    Scalar::Bool,
    Scalar::Char,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F16,
    Scalar::Bf16,
    Scalar::F32,
    Scalar::F64,
];

/// The number of a scalar in [`SCALARS`].
pub fn scalar_number(scalar: Scalar) -> u8 {
    let place = SCALARS.iter().position(|other| *other == scalar);
    place.unwrap_or(0) as u8
}

/// The slot that parameters begin at.
pub const FIRST_PARAMETER: Slot = 1;
