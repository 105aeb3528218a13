//! Variables at file scope, as buffers behind those of the plan: first those in global memory, then
//! those in constant memory. Each is there once for a plan, so that launches of one file share it.

use std::collections::BTreeSet;

use crate::compile::Compiled;
use crate::ir::{ParameterType, Symbol};
use crate::launch::{BufferValues, Plan};
use crate::simt::GlobalMemory;

/// The variables that the launches of a plan use.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    global: Vec<BufferValues>,
    constant: Vec<BufferValues>,
    /// By source and number of the symbol: its buffer, if it is used.
    buffers: Vec<Vec<Option<usize>>>,
}

impl Symbols {
    /// The variables that kernels which `plan` launches use.
    pub fn new(plan: &Plan, compiled: &[Compiled]) -> Self {
        let used = used(plan, compiled);
        let mut symbols = Symbols {
            buffers: compiled
                .iter()
                .map(|c| vec![None; c.symbols.len()])
                .collect(),
            ..Symbols::default()
        };
        let mut next = plan.buffers.len();
        // Constants last, as [`Self::memory`] hands them over.
        for is_constant in [false, true] {
            for &(source, at) in &used {
                let symbol = &compiled[source].symbols[at];
                if symbol.is_constant == is_constant {
                    let values = match is_constant {
                        true => &mut symbols.constant,
                        false => &mut symbols.global,
                    };
                    values.push(values_of(symbol));
                    symbols.buffers[source][at] = Some(next);
                    next += 1;
                }
            }
        }
        symbols
    }

    /// The buffers of a source's symbols, by their numbers.
    pub fn of_source(&self, source: usize) -> &[Option<usize>] {
        &self.buffers[source]
    }

    /// Memory that holds `buffers`, and the variables as they begin.
    pub fn memory(&self, mut buffers: Vec<BufferValues>) -> GlobalMemory {
        buffers.extend(self.global.iter().cloned());
        GlobalMemory::with_constants(buffers, self.constant.clone())
    }
}

fn values_of(symbol: &Symbol) -> BufferValues {
    let mut bytes = symbol.bytes.clone();
    bytes.resize(symbol.size_bytes as usize, 0);
    BufferValues {
        name: symbol.name.clone(),
        element: symbol.element,
        bytes,
    }
}

/// Sources and numbers of the symbols that launched kernels use.
fn used(plan: &Plan, compiled: &[Compiled]) -> BTreeSet<(usize, usize)> {
    let mut used = BTreeSet::new();
    for launch in &plan.launches {
        let Ok(kernel) = compiled[launch.source].kernel(&launch.kernel) else {
            continue;
        };
        for parameter in &kernel.parameters {
            if let ParameterType::Symbol(at) = parameter.parameter_type {
                used.insert((launch.source, at as usize));
            }
        }
    }
    used
}
