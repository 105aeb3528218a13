//! Tree to typed program: names, types, conversions, constants.
//!
//! Two passes over a file. The first declares what stands at file scope and orders the functions,
//! callees first; the second checks bodies. A part that is wrong is reported once and becomes
//! nothing (`None`), and whatever contains it becomes nothing silently.

mod assign;
mod builtin;
mod call;
mod constant;
mod convert;
mod declare;
mod expr;
mod file;
mod function;
mod functions;
mod half;
mod init;
mod member;
mod operators;
mod order;
mod print;
mod scope;
mod space;
mod special;
mod template;
mod types;
mod warp;

use std::collections::{BTreeSet, HashMap};

use crate::source::{Diagnostic, Span};

use super::ast::Unit;
use super::token::Name;
use super::typed::{Local, LocalId, Program, Stmt, Storage, Type};
use scope::{Entry, Signature};
use space::Spaces;

/// The program of a file, and what is wrong with it.
pub fn check(unit: &Unit) -> (Program, Vec<Diagnostic>) {
    let mut checker = Checker {
        diagnostics: Vec::new(),
        scopes: vec![HashMap::new()],
        spaces: Spaces::default(),
        all_spaces: BTreeSet::new(),
        item: 0,
        signatures: Vec::new(),
        frame: Frame::default(),
    };
    let program = checker.file(unit);
    (program, checker.diagnostics)
}

struct Checker {
    diagnostics: Vec<Diagnostic>,
    /// Names, those of the file first, those of the innermost block last.
    scopes: Vec<HashMap<Name, Entry>>,
    spaces: Spaces,
    /// Every namespace of the file, with `::` behind each name.
    all_spaces: BTreeSet<String>,
    /// Number of the item being checked.
    item: usize,
    signatures: Vec<Signature>,
    frame: Frame,
}

/// The function being checked.
#[derive(Default)]
struct Frame {
    locals: Vec<Local>,
    /// What the program need not know of each local.
    facts: Vec<Facts>,
    /// Declarations that belong at the beginning of its body.
    hoisted: Vec<Stmt>,
    returns: Option<Type>,
    name: String,
    is_kernel: bool,
    /// Loops around the statement being checked.
    loops: u32,
    shared_bytes: u64,
}

#[derive(Clone, Copy, Default)]
struct Facts {
    is_const: bool,
    /// Its value, where it is constant and known.
    value: Option<u64>,
}

impl Checker {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(span, message));
        None
    }

    /// A new variable of the function being checked.
    fn local(
        &mut self,
        name: &str,
        ty: Type,
        storage: Storage,
        span: Span,
        facts: Facts,
    ) -> LocalId {
        self.frame.locals.push(Local {
            name: name.to_string(),
            ty,
            storage,
            span,
        });
        self.frame.facts.push(facts);
        self.frame.locals.len() - 1
    }
}
