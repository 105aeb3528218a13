//! What all functions of a program share while they are lowered, with the data segment as the program begins.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cuda::{FileMemory, FileVariableId, FunctionId, Program, Type};
use crate::host::code::{LibraryName, Sites};
use crate::host::memory::{DATA, function_address};
use crate::source::{Diagnostic, Span};

/// The data segment as it is laid out.
#[derive(Debug, Default)]
pub struct Data {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where each variable of the file lies.
    pub variables: Vec<u64>,
    /// Where each table of virtual functions lies.
    pub tables: Vec<u64>,
    /// The variables that lie in kernels' memory, by the addresses that stand for them.
    pub symbols: BTreeMap<u64, FileVariableId>,
    texts: HashMap<Vec<u8>, u64>,
}

impl Data {
    /// The variables and tables of a program.
    pub fn new(program: &Program) -> Self {
        let mut data = Data::default();
        // The first bytes belong to nobody.
        data.bytes.resize(64, 0);
        for (id, variable) in program.variables.iter().enumerate() {
            let size = variable.ty.size_bytes().max(1) as usize;
            let address = data.put_aligned(&variable.bytes, size, variable.align_bytes);
            data.variables.push(address);
            if matches!(variable.memory, FileMemory::Device | FileMemory::Constant) {
                data.symbols.insert(address, id);
            }
        }
        for table in &program.virtual_tables {
            let addresses = table.iter().map(|&id| function_address(id).to_le_bytes());
            let bytes: Vec<u8> = addresses.flatten().collect();
            let address = data.put(&bytes, bytes.len());
            data.tables.push(address);
        }
        data
    }

    /// Puts `bytes` and zeroes up to `size` at the next multiple of 16.
    fn put(&mut self, bytes: &[u8], size: usize) -> u64 {
        self.put_aligned(bytes, size, 1)
    }

    /// The same at a multiple of more bytes, if that is asked for.
    fn put_aligned(&mut self, bytes: &[u8], size: usize, align_bytes: u32) -> u64 {
        let at = self
            .bytes
            .len()
            .next_multiple_of(align_bytes.max(16) as usize);
        self.bytes.resize(at, 0);
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(at + size.max(bytes.len()).max(1), 0);
        DATA + at as u64
    }

    /// Where a text lies; the same text lies in one place.
    pub fn text(&mut self, bytes: &[u8]) -> u64 {
        if let Some(&address) = self.texts.get(bytes) {
            return address;
        }
        let address = self.put(bytes, bytes.len());
        self.texts.insert(bytes.to_vec(), address);
        address
    }
}

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
