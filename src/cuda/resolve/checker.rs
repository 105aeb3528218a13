//! All that is known of a file while it is checked.

use std::collections::{HashMap, HashSet};

use crate::source::{Diagnostic, Span};

use super::frame::Frame;
use super::functions::Functions;
use super::names::Names;
use super::records::Types;
use super::reports::{Cause, Mark, Reports};
use super::symbol::{Context, Symbol};
use crate::cuda::typed::{FileVariableId, Program, Stmt};

/// What is known of a file while it is checked. Each part has methods of its own; what stands here
/// needs several of them.
pub struct Checker {
    /// What has been made so far.
    pub program: Program,
    pub reports: Reports,
    pub names: Names,
    pub types: Types,
    pub functions: Functions,
    pub host: HostCode,
    pub aside: Aside,
    /// The function being checked.
    pub frame: Frame,
}

/// What of a file need not be understood, as long as the kernels that are asked for do not reach it.
#[derive(Default)]
pub struct Aside {
    /// Whether kernels are asked for.
    pub is_used: bool,
    /// What the parser found wrong with items, by their numbers.
    pub unread: HashMap<usize, Vec<Cause>>,
    /// What was found wrong, and taken back.
    pub causes: Vec<Cause>,
    /// Where declarations stand that have words of CUDA's in them and are wrong.
    pub places: HashSet<Span>,
}

/// What only the host has.
#[derive(Default)]
pub struct HostCode {
    /// Where items stand that are left to it.
    pub left_out: Vec<Span>,
    /// Constant tables, and whether a use of each was warned of.
    pub tables: HashMap<FileVariableId, bool>,
    /// Variables that both sides reach by their names.
    pub managed: HashSet<FileVariableId>,
    /// Whether the file is a whole program, whose host code is checked as well.
    pub is_program: bool,
    /// Functions of the host that are called, and whose bodies are still to be checked.
    pub pending: Vec<usize>,
    /// What gives variables at file scope their values, and the variables that it needs itself.
    pub start: Vec<Stmt>,
    pub start_frame: Frame,
    /// Variables that `extern` declares and that are not defined yet.
    pub declared: HashSet<FileVariableId>,
    /// Copies of constant tables for kernels.
    pub copies: HashMap<FileVariableId, FileVariableId>,
}

impl Checker {
    /// Before anything is checked; `found` is what is wrong with the text as it was read.
    pub fn new(found: &[Diagnostic], is_program: bool) -> Self {
        let mut functions = Functions::default();
        functions.effort.begun = 1;
        Checker {
            program: Program::default(),
            reports: Reports::after(found),
            names: Names::new(),
            types: Types::default(),
            functions,
            host: HostCode {
                is_program,
                ..HostCode::default()
            },
            aside: Aside::default(),
            frame: Frame::default(),
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        // What this front end lacks says nothing about the program, so no overload is chosen by it. The
        // headers here say it of what CUDA's do not have either.
        let is_final = diagnostic.message.contains("support")
            && !self.functions.is_in_header(diagnostic.span());
        self.reports.add(diagnostic, is_final);
    }

    /// Reports an error; nothing, so that it can be returned for what is wrong.
    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.refuse(Diagnostic::error(span, message))
    }

    /// Reports a diagnostic; nothing, so that it can be returned for what is wrong.
    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// What a name stands for whose declaration became nothing since `mark`.
    pub fn refused_since(&mut self, mark: Mark, span: Span) -> Symbol {
        Symbol::Refused(self.reports.reason_since(mark, span))
    }

    /// Checks something in a scope of its own.
    pub fn scoped<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.names.scopes.push(HashMap::new());
        let result = check(self);
        self.names.scopes.pop();
        result
    }

    /// Checks something that stands where `context` says.
    pub fn within<T>(&mut self, context: &Context, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.names.enter(context);
        let result = check(self);
        self.names.leave(before);
        result
    }
}
