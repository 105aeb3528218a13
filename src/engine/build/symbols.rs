//! Variables at file scope, as buffers behind those of the plan: first those in global memory, then
//! those in constant memory. Each is there once for a plan, so that launches of one file share it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compile::Compiled;
use crate::engine::options::RunError;
use crate::ir::{ParameterType, Symbol};
use crate::launch::{BufferSpec, BufferValues, FillControl, Plan, Report};
use crate::simt::GlobalMemory;
use crate::source::Diagnostic;

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
    pub fn new(plan: &Plan, compiled: &[Arc<Compiled>]) -> Self {
        let used = used(plan, compiled);
        let mut symbols = Symbols {
            buffers: compiled
                .iter()
                .map(|c| vec![None; c.symbols.len()])
                .collect(),
            ..Symbols::default()
        };
        // Behind the plan's buffers: kernels get them as further arguments.
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

    /// Memory that holds `buffers`, and the variables as they begin, those that `plan` sets among them.
    pub fn memory(
        &self,
        plan: &Plan,
        mut buffers: Vec<BufferValues>,
    ) -> Result<GlobalMemory, RunError> {
        let begun = |variable: &BufferValues| match set(plan, &variable.name) {
            Some(spec) => filled(spec, &FillControl::default()),
            None => Ok(variable.clone()),
        };
        let global: Vec<BufferValues> = self.global.iter().map(begun).collect::<Result<_, _>>()?;
        buffers.extend(global);
        let constant = self.constant.iter().map(begun);
        Ok(GlobalMemory::with_constants(
            buffers,
            constant.collect::<Result<_, _>>()?,
        ))
    }
}

/// What `plan` sets the variable called `name` to, if it does.
pub(crate) fn set<'a>(plan: &'a Plan, name: &str) -> Option<&'a BufferSpec> {
    plan.symbols.iter().find(|spec| spec.name == name)
}

/// A buffer with its contents.
pub(crate) fn filled(spec: &BufferSpec, follow: &FillControl) -> Result<BufferValues, RunError> {
    spec.fill_following(follow)
        .map_err(|reason| RunError::Buffer {
            name: spec.name.clone(),
            reason,
        })
}

/// Warnings about variables that launched kernels use, and that only host code fills: none runs here.
pub(crate) fn left_to_host(plan: &Plan, compiled: &[Arc<Compiled>]) -> Vec<Report> {
    let used = used(plan, compiled).into_iter();
    let reports = used.filter_map(|(source, at)| {
        let symbol = &compiled[source].symbols[at];
        let filled = symbol.filled_by_host?;
        let (name, path) = (&symbol.name, &symbol.path);
        let is_set = set(plan, path).is_some();
        let holds = match symbol.bytes.is_empty() {
            true => "is zero",
            false => "holds what its declaration says",
        };
        let message = format!("`{name}` {holds}, because the host code that fills it does not run here");
        let warning = Diagnostic::warning(symbol.span, message)
            .label("used by the kernel")
            .also(filled, "filled here")
            .help(format!(
                "give it its values: `--symbol {path}=FILE.npy` or `--symbol {path}=1,2,…` of `tutor run kernel`"
            ));
        (!is_set).then_some(Report {
            source,
            diagnostic: warning,
        })
    });
    reports.collect()
}

/// What a variable at file scope holds when the program begins.
pub(crate) fn values_of(symbol: &Symbol) -> BufferValues {
    // What has no initialiser is zero, as in C++.
    let mut bytes = symbol.bytes.clone();
    bytes.resize(symbol.size_bytes as usize, 0);
    BufferValues {
        name: symbol.path.clone(),
        element: symbol.element,
        bytes,
    }
}

/// Sources and numbers of the symbols that launched kernels use.
fn used(plan: &Plan, compiled: &[Arc<Compiled>]) -> BTreeSet<(usize, usize)> {
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
