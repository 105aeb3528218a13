//! A kernel's parameters and variables, and where they are kept; variables at file scope, which CUDA
//! calls symbols.

use super::instruction::Register;
use super::site::Space;
use crate::launch::{ElementType, ValueType};
use crate::source::Span;

/// The type of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A pointer, as 64 bits.
    Pointer,
    /// A number: 32 bits, or 64 for 8-byte types. `ValueType::Bool` is 0 or 1.
    Scalar(ValueType),
    /// The address of a variable at file scope, as 64 bits: an index into the file's [`Symbol`]s. No
    /// launch writes an argument for it.
    Symbol(u32),
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointedTo {
    /// The type of its scalars, or of whole words of them where they differ.
    pub element: ElementType,
    /// Bytes of one value.
    pub size_bytes: u32,
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
    /// Of a pointer to values of a known size, what those are.
    pub points_to: Option<PointedTo>,
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
    /// The function that declares it: an index into [`super::SourceMap::functions`].
    pub function: u32,
}

impl Declaration {
    /// Tells it of another text: it lives from the line that it came from on.
    pub(super) fn relocate(&mut self, place: &dyn Fn(Span) -> Span) {
        self.span = place(self.span);
        let end = Span::new(
            self.scope.end.saturating_sub(1) as usize,
            self.scope.end as usize,
        );
        self.scope = self.span.to(place(end));
    }

    /// Whether `place`, in function `function`, lies where the variable can be named.
    pub(super) fn holds(&self, function: u32, place: Span) -> bool {
        // A statement is named by where it begins, so `int i = 0;` is in the scope of `i`.
        let from = self.scope.start;
        self.function == function && from <= place.start && place.start < self.scope.end
    }
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
    /// The lengths of an array, outermost first: of `float[16][17]` 16 and 17.
    pub lengths: Vec<u32>,
    /// How a view of memory reads it where elements have parts: of vectors their scalars, of structures words.
    pub part: ElementType,
    /// Where it is declared and can be named.
    pub declaration: Declaration,
}

/// A variable at file scope, in global or constant memory. It is there once for all launches of its
/// file's kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The same behind the namespaces that it stands in.
    pub path: String,
    /// Its name in the declaration.
    pub span: Span,
    /// Where host code fills it, or may, before the kernels run.
    pub filled_by_host: Option<Span>,
    /// Type of its elements: of its scalars, if they are all of one type.
    pub element: ElementType,
    /// Its size.
    pub size_bytes: u32,
    /// What it holds before the first launch; empty if that is zero.
    pub bytes: Vec<u8>,
    /// Whether it lies in constant memory.
    pub is_constant: bool,
    /// Whether it lies in the shared memory of each block: then no launch provides it.
    pub is_shared: bool,
}
