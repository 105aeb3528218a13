//! What lies in the data segment when a program begins: variables, text, tables of virtual functions.

use std::collections::{BTreeMap, HashMap};

use crate::cuda::{FileMemory, FileVariableId, Program};
use crate::host::memory::{DATA, function_address};

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
            let address = data.put(&variable.bytes, size);
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
        let at = self.bytes.len().next_multiple_of(16);
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
