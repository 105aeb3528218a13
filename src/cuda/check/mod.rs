//! Tree to typed program: names, types, conversions, constants.
//!
//! Two passes over a file. The first declares what stands at file scope and orders the functions,
//! callees first; the second checks bodies, and makes what templates are asked for when it comes to
//! a call. A part that is wrong is reported once and becomes nothing (`None`), and whatever contains
//! it becomes nothing silently.

mod assign;
mod builtin;
mod call;
pub mod constant;
mod construct;
mod convert;
mod declare;
mod deduce;
mod evaluate;
mod expr;
mod file;
mod file_variables;
mod function;
mod functions;
mod half;
mod init;
mod instance;
mod member;
mod object;
mod operators;
mod order;
mod overload;
mod pass;
mod print;
mod record;
mod request;
mod returns;
mod scope;
mod space;
mod special;
mod switch;
mod symbols;
mod template;
mod type_template;
mod types;
mod unsupported;
mod warp;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::source::{Diagnostic, Span};

use super::ast::{Path, Unit};
use super::token::Name;
use super::typed::{FileVariableId, FunctionId, Local, LocalId, Program, Stmt, Storage, Type};
use instance::FunctionTemplate;
use record::{Record, TypeTemplate};
use scope::{Entry, Signature};
use space::Spaces;

/// What checking gave.
pub struct Checked {
    /// The program.
    pub program: Program,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The kernel that each request names, or what is wrong with it.
    pub requests: Vec<Result<FunctionId, Diagnostic>>,
    /// Templates of kernels: their names and their parameters.
    pub templates: Vec<(String, String)>,
}

/// The program of a file with the kernels that `requests` name, and what is wrong with it.
pub fn check(unit: &Unit, requests: &[Path]) -> Checked {
    let mut checker = Checker {
        program: Program::default(),
        diagnostics: Vec::new(),
        scopes: vec![HashMap::new()],
        spaces: Spaces::default(),
        all_spaces: BTreeSet::new(),
        item: 0,
        record: None,
        signatures: Vec::new(),
        templates: Vec::new(),
        records: Vec::new(),
        type_templates: Vec::new(),
        tables_of_host: HashMap::new(),
        recursions: HashSet::new(),
        nested: 0,
        frame: Frame::default(),
    };
    checker.file(unit);
    checker.item = unit.items.len();
    checker.spaces.current = String::new();
    let requests = requests.iter().map(|path| checker.request(path)).collect();
    let kernels = checker.templates.iter().filter(|template| {
        let specifiers = &template.function.specifiers;
        specifiers.global.is_some()
    });
    let templates = kernels.map(|t| (t.name.to_string(), template::listed(&t.params)));
    Checked {
        templates: templates.collect(),
        program: checker.program,
        diagnostics: checker.diagnostics,
        requests,
    }
}

struct Checker {
    program: Program,
    diagnostics: Vec<Diagnostic>,
    /// Names, those of the file first, those of the innermost block last.
    scopes: Vec<HashMap<Name, Entry>>,
    spaces: Spaces,
    /// Every namespace of the file, with `::` behind each name.
    all_spaces: BTreeSet<String>,
    /// Number of the item being checked.
    item: usize,
    /// The struct whose function or field is being checked.
    record: Option<usize>,
    signatures: Vec<Signature>,
    templates: Vec<FunctionTemplate>,
    records: Vec<Record>,
    type_templates: Vec<TypeTemplate>,
    /// Constant tables that only the host has, and whether that was told.
    tables_of_host: HashMap<FileVariableId, bool>,
    /// Callers and callees whose recursion was reported.
    recursions: HashSet<(String, usize)>,
    /// How many functions are being checked, each for a call in the one before.
    nested: u32,
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
    /// Nothing for `auto` until the first `return`, and where it was refused.
    returns: Option<Type>,
    /// Whether it returns a reference, and whether to what is `const`.
    reference: Option<bool>,
    /// Whether `return` says what it returns.
    deduces: bool,
    /// Where its object's address is.
    this: Option<LocalId>,
    name: String,
    is_kernel: bool,
    /// Loops around the statement being checked.
    loops: u32,
    /// Loops and `switch`es around it.
    breakable: u32,
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
            is_reference: false,
            is_restrict: false,
            is_volatile: false,
        });
        self.frame.facts.push(facts);
        self.frame.locals.len() - 1
    }

    /// A new reference of the function being checked: a pointer of type `ty`.
    fn reference(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let id = self.local(name, ty, Storage::Thread, span, Facts::default());
        self.frame.locals[id].is_reference = true;
        id
    }
}
