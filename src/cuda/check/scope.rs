//! Names and what they stand for.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::{Diagnostic, Span, nearest};

use super::convert::Operand;
use super::{Checker, builtin, unsupported};
use crate::cuda::ast;
use crate::cuda::ast::Ident;
use crate::cuda::token::Name;
use crate::cuda::typed::{FileVariableId, FunctionId, LocalId, Type};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A variable of the function being checked.
    Local(LocalId),
    /// A constant at file scope.
    Constant(Type, u64),
    /// A type, and whether it is `const`.
    Type(Type, bool),
    /// Functions of one name, and templates of functions.
    Functions(Vec<Candidate>),
    /// A template of structs or of types: its index.
    TypeTemplate(usize),
    /// A template of constants: its index.
    VariableTemplate(usize),
    /// A field of the struct whose function is being checked.
    Field(usize),
    /// A variable or field that is out of reach: of the function or struct around.
    Outer,
    /// Something for the host that is wrong in a kernel, and why.
    Host(Rc<Diagnostic>),
    /// A variable at file scope that lives in memory, and whether it is `const`.
    File(FileVariableId, bool),
    /// An `extern __shared__` array at file scope.
    DynamicShared(Type),
    /// Something that was refused: its uses are not reported again.
    Refused,
}

/// A symbol with where it was declared.
#[derive(Clone, Debug)]
pub struct Entry {
    pub symbol: Symbol,
    pub span: Span,
    /// Number of the item of the file from which on it is known.
    pub item: usize,
}

/// One of the functions that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Candidate {
    /// A function: index of its signature.
    Function(usize),
    /// A template: its index.
    Template(usize),
}

/// Where a definition stands: what names in it stand for.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The namespace, with `::` behind each name.
    pub space: String,
    /// Names between those of the file and those of the definition: template arguments, members.
    pub scopes: Vec<HashMap<Name, Entry>>,
    /// Number of its item.
    pub item: usize,
    /// The struct that it belongs to.
    pub record: Option<usize>,
    /// Of a lambda, what it keeps by reference.
    pub kept: Rc<Kept>,
}

/// What a lambda keeps by reference: it is passed with each call.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Names, types and places.
    pub places: Vec<(Name, ParamType, Operand)>,
    /// The number of the function that the places belong to.
    pub frame: u32,
}

/// A parameter as callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamType {
    /// Its type; of a reference, that of what it refers to.
    pub ty: Type,
    /// Whether that may not be changed.
    pub is_const: bool,
    /// Whether it is a reference.
    pub is_reference: bool,
}

/// How far the checking of a function's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    New,
    Open,
    Done(FunctionId),
}

/// A function of the file, as callers see it.
#[derive(Clone, Debug)]
pub struct Signature {
    /// With template arguments.
    pub name: Name,
    pub span: Span,
    pub is_kernel: bool,
    /// Whether it runs on the host only.
    pub is_host: bool,
    /// Nothing where it was refused, and for `auto` until its body is checked.
    pub returns: Option<Type>,
    /// Whether it returns a reference, and whether to what is `const`.
    pub reference: Option<bool>,
    /// Nothing where one was refused.
    pub params: Option<Vec<ParamType>>,
    /// How many arguments are needed at least.
    pub least: usize,
    /// Whether it has an object: a function of a struct that is not `static`.
    pub has_this: bool,
    /// Whether that object is `const`.
    pub is_const: bool,
    pub function: Rc<ast::Function>,
    /// Its declaration in its struct, if it is defined outside.
    pub declaration: Option<Rc<ast::Function>>,
    pub context: Rc<Context>,
    pub state: State,
}

impl Signature {
    /// Whether there is a body.
    pub fn is_defined(&self) -> bool {
        self.function.body.is_some() || self.function.is_host
    }
}

/// Words that begin statements, for suggestions.
const STATEMENTS: [&str; 6] = ["if", "for", "while", "return", "break", "continue"];

impl Checker {
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        let inner = self.scopes.get(1..).unwrap_or(&[]);
        let found = inner.iter().rev().find_map(|scope| scope.get(name));
        found.or_else(|| self.find_at_file(name))
    }

    /// What a name stands for here, if it stands for something. Nothing at all if it only will
    /// further down, which is reported.
    pub(super) fn known(
        &mut self,
        name: &str,
        found: Option<Entry>,
        span: Span,
    ) -> Option<Option<Entry>> {
        match found.as_ref().map(|entry| &entry.symbol) {
            Some(Symbol::Host(why)) => {
                let message = format!("`{name}` is for the host: a kernel cannot use it");
                let mut error = Diagnostic::error(span, message).also(why.span(), &why.message);
                error.help.clone_from(&why.help);
                self.report(error);
                self.forget(name);
                return None;
            }
            Some(Symbol::Outer) => {
                let message =
                    format!("`{name}` belongs to what is around, and is out of reach here");
                let error = Diagnostic::error(span, message);
                self.report(error.help("pass it as an argument, or keep it in a field"));
                return None;
            }
            _ => {}
        }
        let Some(later) = found.as_ref().filter(|entry| entry.item > self.item) else {
            return Some(found);
        };
        let message = format!("`{name}` is used before it is declared");
        let error = Diagnostic::error(span, message)
            .also(later.span, "declared here")
            .help("move the declaration up, before its first use");
        self.report(error);
        None
    }

    /// Makes a name at file scope one whose uses are not reported again.
    fn forget(&mut self, name: &str) {
        let mut whole = format!("{}{name}", self.spaces.current);
        if !self.scopes[0].contains_key(whole.as_str()) {
            whole = name.to_string();
        }
        if let Some(entry) = self.scopes[0].get_mut(whole.as_str()) {
            entry.symbol = Symbol::Refused;
        }
    }

    /// Declares a name in the innermost scope; a name that is already there is reported.
    pub(super) fn declare(&mut self, name: &Ident, symbol: Symbol) {
        let item = self.item;
        let whole: Name = match self.scopes.len() {
            1 => format!("{}{}", self.spaces.current, name.name).into(),
            _ => name.name.clone(),
        };
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        let entry = Entry {
            symbol,
            span: name.span,
            item,
        };
        if let Some(before) = scope.insert(whole, entry)
            && !matches!(before.symbol, Symbol::Refused)
        {
            let message = format!("`{}` is declared twice in one scope", name.name);
            self.report(
                Diagnostic::error(name.span, message)
                    .label("declared again here")
                    .also(before.span, "first declared here"),
            );
        }
    }

    pub(super) fn scoped<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = check(self);
        self.scopes.pop();
        result
    }

    /// Reports a name that stands for nothing, once in a function.
    pub(super) fn unknown(&mut self, name: &Name, span: Span, is_called: bool) {
        let once = (self.frame.number, name.clone());
        if self.unknown.contains(&once) {
            return;
        }
        let what = if is_called { "function" } else { "name" };
        let message = format!("the {what} `{name}` is not defined");
        let mut error = Diagnostic::error(span, message).label("not found");
        if let Some((what, help)) = unsupported::refused(name) {
            error = Diagnostic::error(span, what).help(help);
        } else if let Some((what, help)) = unsupported::refused_space(name) {
            error = Diagnostic::error(span, format!("`{name}` {what}")).help(help);
        } else {
            let declared = self.scopes.iter().flatten();
            let mut candidates: Vec<&str> = declared.map(|(name, _)| &**name).collect();
            candidates.extend(builtin::names());
            candidates.extend(STATEMENTS);
            let near = nearest(name, candidates);
            if let Some(near) = near.first() {
                error = error.help(format!("did you mean `{near}`?"));
            }
        }
        self.report(error);
        self.unknown.push((self.frame.number, name.clone()));
    }
}
