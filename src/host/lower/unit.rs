//! What all functions of a program share while they are lowered.

use std::collections::{BTreeSet, HashMap};

use crate::cuda::{FunctionId, Program, Type};
use crate::host::code::{LibraryName, Sites};
use crate::source::{Diagnostic, Span};

use super::data::Data;

/// What all functions share.
pub struct Unit<'p> {
    /// The typed program.
    pub program: &'p Program,
    /// The data segment.
    pub data: Data,
    /// What operations name.
    pub sites: Sites,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions that are reached and not lowered yet.
    waiting: Vec<FunctionId>,
    reached: BTreeSet<FunctionId>,
    names: HashMap<String, u32>,
}

impl<'p> Unit<'p> {
    /// Nothing is lowered yet.
    pub fn new(program: &'p Program) -> Self {
        Unit {
            program,
            data: Data::new(program),
            sites: Sites::default(),
            diagnostics: Vec::new(),
            waiting: Vec::new(),
            reached: BTreeSet::new(),
            names: HashMap::new(),
        }
    }

    /// A function is called, or somebody may call it.
    pub fn reach(&mut self, function: FunctionId) {
        if self.reached.insert(function) {
            self.waiting.push(function);
        }
    }

    /// A function that is to be lowered.
    pub fn next(&mut self) -> Option<FunctionId> {
        self.waiting.pop()
    }

    /// The number of a library's function.
    pub fn library(&mut self, name: &str, span: Span) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        let number = self.sites.names.len() as u32;
        self.names.insert(name.to_owned(), number);
        let name = name.to_owned();
        self.sites.names.push(LibraryName { name, span });
        number
    }

    /// The number of a message.
    pub fn refused(&mut self, message: String) -> u32 {
        self.sites.refused.push(message);
        self.sites.refused.len() as u32 - 1
    }
}

/// Whether values of the type lie in memory, so that a slot holds their address.
pub fn is_aggregate(ty: &Type) -> bool {
    matches!(ty, Type::Vector(..) | Type::Array(..) | Type::Struct(_))
}
