//! Tree to typed program: names, types, conversions, constants.
//!
//! Two passes over a file. The first declares what stands at file scope and orders the functions,
//! callees first; the second checks bodies, and makes what templates are asked for when it comes to
//! a call. A part that is wrong is reported once and becomes nothing (`None`), and whatever contains
//! it becomes nothing silently.

mod alias;
mod assign;
mod builtin;
mod call;
pub mod constant;
mod construct;
mod convert;
mod declare;
mod deduce;
mod each;
mod evaluate;
mod expr;
mod file;
mod file_variables;
mod function;
mod functions;
mod half;
mod host;
mod inherit;
mod init;
mod inner;
mod instance;
mod lambda;
mod late;
mod member;
mod object;
mod operators;
mod order;
mod overload;
mod partial;
mod pass;
mod print;
mod qualified;
mod record;
mod refuse;
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
mod variable_template;
mod warp;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

pub use builtin::constants;

use super::ast::{self, Path, Unit};
use super::token::Name;
use super::typed::{FileVariableId, FunctionId, Local, LocalId, Program, Stmt, Storage, Type};
use instance::FunctionTemplate;
use record::{Record, TypeTemplate};
use scope::{Entry, Signature};
use space::Spaces;
use variable_template::VariableTemplate;

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
    /// Where what is left to the host stands.
    pub left_to_host: Vec<Span>,
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
        in_global_memory: false,
        variable_templates: Vec::new(),
        late: HashMap::new(),
        defining: None,
        tables_of_host: HashMap::new(),
        recursions: HashSet::new(),
        constant_only: HashSet::new(),
        frames: 1,
        unknown: Vec::new(),
        nested: 0,
        left_to_host: Vec::new(),
        frame: Frame::default(),
    };
    checker.file(unit);
    checker.item = unit.items.len();
    checker.spaces.current = String::new();
    let requests = requests.iter().map(|path| checker.request(path)).collect();
    checker.forget_constant_only();
    let kernels = checker.templates.iter().filter(|template| {
        let specifiers = &template.function.specifiers;
        specifiers.global.is_some()
    });
    let templates = kernels.map(|t| (t.name.to_string(), template::listed(&t.params)));
    Checked {
        templates: templates.collect(),
        program: checker.program,
        diagnostics: checker.diagnostics,
        left_to_host: checker.left_to_host,
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
    /// Where items stand that are for the host.
    left_to_host: Vec<Span>,
    /// Number of the item being checked.
    item: usize,
    /// The struct whose function or field is being checked.
    record: Option<usize>,
    signatures: Vec<Signature>,
    templates: Vec<FunctionTemplate>,
    records: Vec<Record>,
    type_templates: Vec<TypeTemplate>,
    /// Whether types are those of variables in global memory, which may be large.
    in_global_memory: bool,
    variable_templates: Vec<VariableTemplate>,
    /// Functions of structs that are defined outside of them, by the names of the structs or of
    /// their templates.
    late: HashMap<Name, Vec<Rc<ast::Function>>>,
    /// The struct whose fields are being declared.
    defining: Option<usize>,
    /// Signatures of `constexpr` functions that call themselves: only calls that can be computed now
    /// may call them.
    constant_only: HashSet<usize>,
    /// How many functions were begun.
    frames: u32,
    /// Names that stand for nothing, and the number of the function that was told so.
    unknown: Vec<(u32, Name)>,
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
    /// Its signature, if it is a `constexpr` function.
    constexpr: Option<usize>,
    /// Its number among all functions.
    number: u32,
    /// As written.
    written: Option<Rc<ast::Function>>,
    name: String,
    is_kernel: bool,
    /// Loops around the statement being checked.
    loops: u32,
    /// Loops and `switch`es around it.
    breakable: u32,
    shared_bytes: u64,
}

/// How much was reported at some time.
#[derive(Clone, Copy)]
struct Mark {
    diagnostics: usize,
    unknown: usize,
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

    /// What was reported so far, to be taken back to.
    fn mark(&self) -> Mark {
        Mark {
            diagnostics: self.diagnostics.len(),
            unknown: self.unknown.len(),
        }
    }

    /// Whether something was reported since.
    fn reported_since(&self, mark: Mark) -> bool {
        self.diagnostics.len() > mark.diagnostics
    }

    /// Takes back what was reported since; it is reported again where it is met again.
    fn take_back(&mut self, mark: Mark) -> Vec<Diagnostic> {
        self.unknown.truncate(mark.unknown);
        let since = mark.diagnostics.min(self.diagnostics.len());
        self.diagnostics.split_off(since)
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
            align_bytes: 1,
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
