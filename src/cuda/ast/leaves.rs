//! What trees are made of that holds no tree: names, operators, flags.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::lex::Name;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// What is known of the text of a function; `Body` is what a body is in the tree.
#[derive(Clone, Debug, Default)]
pub struct Source<Body> {
    /// Whether it has a body that runs on the host, which was skipped.
    pub is_host: bool,
    /// Whether a header that is written out here declares it.
    pub is_library: bool,
    /// What is wrong with its body, which then is empty: told where it is called.
    pub broken: Option<Rc<Diagnostic>>,
    /// Its body on the host, where that is another one: it depends on `__CUDA_ARCH__`.
    pub host_body: Option<Rc<Body>>,
}

/// What is said of a function around its parameters.
#[derive(Clone, Debug, Default)]
pub struct Traits {
    /// Whether `const` stands behind its parameters.
    pub is_const: bool,
    /// Whether `volatile` stands there.
    pub is_volatile: bool,
    /// Whether `explicit` stands before it.
    pub is_explicit: bool,
    /// Whether `virtual` stands before it, or `override` behind it.
    pub is_virtual: bool,
    /// `= 0`.
    pub is_pure: bool,
    /// `= default`.
    pub is_default: bool,
    /// `= delete`.
    pub is_deleted: bool,
    /// Whether `...` stands behind its parameters.
    pub is_variadic: bool,
    /// Whether nobody wrote it: it does with each member what it does.
    pub is_implicit: bool,
    /// Whether what it returns stands behind its parameters: `auto f(int a) -> decltype(a)`.
    pub has_trailing_return: bool,
}

/// What a function's body shows before it is checked.
#[derive(Clone, Debug, Default)]
pub struct BodySummary {
    /// Where it ends.
    pub end: Span,
    /// Names that it calls.
    pub calls: Vec<Ident>,
    /// Names that it may change.
    pub changed: HashSet<Name>,
    /// Names that lambdas in it use.
    pub kept: HashSet<Name>,
}

/// What is asked of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeProperty {
    /// `alignof(T)`.
    AlignBytes,
    /// `__is_trivially_copyable(T)`, as compilers have it for `<type_traits>`.
    IsTriviallyCopyable,
}

/// The name of the parameter that stands for `...`.
pub const FURTHER_ARGUMENTS: &str = "__further_arguments";

/// The name of a struct's destructor.
pub const DESTRUCTOR: &str = "~";

/// The name of a function of a struct that converts it to another type.
pub const CONVERSION: &str = "operator T";

/// The name of the index of a `for` over a range, which no text can write.
pub const RANGE_INDEX: &str = "(index)";

/// The name of the element of a `for` over a range whose parts have names.
pub const RANGE_ELEMENT: &str = "(element)";

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PrefixOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    Increment,
    Decrement,
}

/// How a conversion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastKind {
    /// `(T)e` or `T(e)`.
    Plain,
    /// `static_cast`.
    Static,
    /// `reinterpret_cast`.
    Reinterpret,
    /// `const_cast`.
    Const,
    /// `dynamic_cast`.
    Dynamic,
}
