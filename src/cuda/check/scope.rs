//! Names and what they stand for.

use std::collections::HashMap;

use crate::source::{Diagnostic, Span, nearest};

use super::super::ast::Ident;
use super::super::token::Name;
use super::super::typed::{FunctionId, LocalId, Type};
use super::{Checker, builtin};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A variable of the function being checked.
    Local(LocalId),
    /// A constant at file scope.
    Constant(Type, u64),
    /// A type, and whether it is `const`.
    Type(Type, bool),
    /// A function: index of its signature.
    Function(usize),
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

/// A function of the file, as callers see it.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: Name,
    pub span: Span,
    pub is_kernel: bool,
    /// Whether it runs on the host only.
    pub is_host: bool,
    /// Nothing where it was refused.
    pub returns: Option<Type>,
    /// Nothing where one was refused.
    pub params: Option<Vec<Type>>,
    /// The item that defines it.
    pub item: Option<usize>,
    /// Where it will stand in the program; `None` if it will not.
    pub id: Option<FunctionId>,
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
        let what = if is_called { "function" } else { "name" };
        let message = format!("the {what} `{name}` is not defined");
        let mut error = Diagnostic::error(span, message).label("not found");
        if let Some((what, help)) = builtin::refused(name) {
            error = Diagnostic::error(span, what).help(help);
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
        let entry = Entry {
            symbol: Symbol::Refused,
            span,
            item: 0,
        };
        let depth = self.scopes.len().min(2) - 1;
        if let Some(scope) = self.scopes.get_mut(depth) {
            scope.insert(name.clone(), entry);
        }
    }
}
