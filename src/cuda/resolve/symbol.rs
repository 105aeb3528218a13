//! What names stand for, and where a definition stands.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::operand::Operand;
use super::reports::Cause;
use crate::cuda::lex::Name;
use crate::cuda::typed::{Bits, FileVariableId, LocalId, Type};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A variable of the function being checked.
    Local(LocalId),
    /// A constant at file scope.
    Constant(Type, u64),
    /// A type, and whether it is `const`.
    Type(Type, bool),
    /// A reference to a type, whether that is `const`, and whether it is `&&`.
    Reference(Type, bool, bool),
    /// Functions of one name, and templates of functions.
    Functions(Vec<Candidate>),
    /// A template of structs or of types: its index.
    TypeTemplate(usize),
    /// A template of constants: its index.
    VariableTemplate(usize),
    /// A field of the struct whose function is being checked.
    Field(usize),
    /// A field of the lambda whose body is being checked: what it keeps by value.
    Captured(usize),
    /// A field of that lambda that holds the address of what the name stands for.
    CapturedReference(usize),
    /// A field of a base of that struct, by the fields on the way.
    BaseField(Rc<[usize]>),
    /// Bits of a field, by the fields on the way.
    Bits(Rc<[usize]>, Bits),
    /// A variable or field that is out of reach: of the function or struct around.
    Outer,
    /// Something for the host that is wrong in a kernel, and why.
    Host(Rc<Diagnostic>),
    /// A variable at file scope that lives in memory, and whether it is `const`.
    File(FileVariableId, bool),
    /// An `extern __shared__` array at file scope.
    DynamicShared(Type),
    /// Something that was refused: each use reports why.
    Refused(Cause),
}

impl Symbol {
    /// Whether this is an object, which `operator()` may make callable, or a pointer.
    pub fn is_object(&self) -> bool {
        use Symbol::*;
        matches!(
            self,
            Local(_) | Field(_) | BaseField(_) | Captured(_) | CapturedReference(_) | File(..)
        )
    }

    /// Whether a declaration may stand again in the same scope as this one: what has no body and no value.
    pub fn may_stand_again(&self, again: &Symbol) -> bool {
        match (self, again) {
            // [dcl.typedef]: a name for a type may be declared again for the same type.
            (Symbol::Type(a, a_const), Symbol::Type(b, b_const)) => a == b && a_const == b_const,
            (Symbol::Reference(a, x, r), Symbol::Reference(b, y, s)) => a == b && (x, r) == (y, s),
            (Symbol::DynamicShared(a), Symbol::DynamicShared(b)) => a == b,
            // `extern int n;`, and then its definition.
            (Symbol::File(a, _), Symbol::File(b, _)) => a == b,
            _ => false,
        }
    }
}

/// A symbol with where it was declared.
#[derive(Clone, Debug)]
pub struct Entry {
    pub symbol: Symbol,
    pub span: Span,
    /// Number of the item of the file from which on it is known.
    pub item: usize,
}

impl Entry {
    /// Whether a `using` of what is declared at `span` would bring the same again.
    pub fn is_same(&self, symbol: &Symbol, span: Option<Span>) -> bool {
        let is_same = match (&self.symbol, symbol) {
            (Symbol::Functions(a), Symbol::Functions(b)) => a == b,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        is_same && Some(self.span) == span
    }
}

/// One of the functions that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Candidate {
    /// A function: index of its signature.
    Function(usize),
    /// A template: its index.
    Template(usize),
    /// A function or template for the host whose parameters are not known: index of why.
    Host(usize),
}

/// Where a definition stands: what names in it stand for.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The namespace, with `::` behind each name.
    pub namespace: String,
    /// Names between those of the file and those of the definition: template arguments, members.
    pub scopes: Vec<HashMap<Name, Entry>>,
    /// Number of its item; of what a template makes, that of the use, if it is later.
    pub item: usize,
    /// Number of the item that it is written in.
    pub definition: usize,
    /// The struct that it belongs to.
    pub record: Option<usize>,
    /// Of a lambda, what it keeps by reference.
    pub captures: Rc<Captures>,
}

/// What a lambda keeps by reference: it is passed with each call.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    /// Names, types and places.
    pub places: Vec<(Name, ParamType, Operand)>,
    /// The number of the function that the places belong to.
    pub frame: u32,
}

/// A parameter as callers see it.
#[derive(Clone, Debug)]
pub struct ParamType {
    /// Its type; of a reference, that of what it refers to.
    pub ty: Type,
    /// Whether that may not be changed.
    pub is_const: bool,
    /// Whether it is a reference.
    pub is_reference: bool,
    /// Whether that is written `&&`.
    pub is_rvalue: bool,
}

impl PartialEq for ParamType {
    fn eq(&self, other: &Self) -> bool {
        // [dcl.fct]: the `const` of a parameter by value is no part of the function's type.
        let is_const_same = !self.is_reference || self.is_const == other.is_const;
        let references = (self.is_reference, self.is_rvalue);
        self.ty == other.ty && references == (other.is_reference, other.is_rvalue) && is_const_same
    }
}

/// The name under which a struct or enumeration is kept that a function of its name hides.
pub fn hidden_tag(name: &str) -> Name {
    format!("struct {name}").as_str().into()
}
