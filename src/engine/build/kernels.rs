//! A plan's sources, compiled, and its launches, checked against them.

use super::arguments::bind;
use super::limits;
use super::symbols::Symbols;
use crate::compile::{Compiled, Fidelity, compile_kernels};
use crate::device::{Gpu, gpu};
use crate::engine::options::{Options, RunError};
use crate::ir::Kernel;
use crate::launch::{Ending, Launch, Outcome, Plan, Report};
use crate::source::{Diagnostic, Severity};

/// A plan's sources, compiled.
pub(crate) struct Built {
    pub compiled: Vec<Compiled>,
    pub symbols: Symbols,
}

impl Built {
    /// Compiles the plan's sources; what is to be said of them goes to the outcome.
    pub fn new(plan: &Plan, options: &Options, outcome: &mut Outcome) -> Self {
        let compiled = compile_all(plan, options.fidelity, outcome);
        let symbols = Symbols::new(plan, &compiled);
        Built { compiled, symbols }
    }

    /// The plan's launches, checked; the outcome has failed if there is an error in it.
    pub fn prepare<'a>(
        &'a self,
        plan: &'a Plan,
        options: &Options,
        outcome: &mut Outcome,
    ) -> Result<Vec<Prepared<'a>>, RunError> {
        let gpu = gpu(&options.gpu)?;
        Ok(prepare(plan, &self.compiled, &self.symbols, gpu, outcome))
    }
}

/// Compiles the plan's sources; what is to be said of them goes to the outcome.
fn compile_all(plan: &Plan, fidelity: Fidelity, outcome: &mut Outcome) -> Vec<Compiled> {
    let sources = plan.sources.iter().enumerate();
    let compiled: Vec<Compiled> = sources
        .map(|(index, source)| {
            let launched = plan.launches.iter().filter(|launch| launch.source == index);
            let names: Vec<&str> = launched.map(|launch| launch.kernel.as_str()).collect();
            compile_kernels(&source.file, &source.defines, &names, fidelity)
        })
        .collect();
    for (source, compiled) in compiled.iter().enumerate() {
        let reports = compiled.diagnostics.iter().cloned();
        let reports = reports.map(|diagnostic| Report { source, diagnostic });
        outcome.reports.extend(reports);
    }
    compiled
}

/// A launch with its kernel and the bits of its arguments.
pub(crate) struct Prepared<'a> {
    pub launch: &'a Launch,
    pub kernel: &'a Kernel,
    pub arguments: Vec<u64>,
}

/// Finds each launch's kernel and checks that launch and arguments fit it; the outcome has failed
/// if there is an error in it.
fn prepare<'a>(
    plan: &'a Plan,
    compiled: &'a [Compiled],
    symbols: &Symbols,
    gpu: &Gpu,
    outcome: &mut Outcome,
) -> Vec<Prepared<'a>> {
    let mut prepared = Vec::new();
    for launch in &plan.launches {
        let source = &compiled[launch.source];
        if source.has_failed() {
            continue;
        }
        let symbols = symbols.of_source(launch.source);
        match prepare_one(plan, launch, source, symbols, gpu) {
            Ok(launch) => prepared.push(launch),
            Err(diagnostic) => {
                outcome.reports.push(Report {
                    source: launch.source,
                    diagnostic: *diagnostic,
                });
            }
        }
    }
    let failed = |report: &Report| report.diagnostic.severity == Severity::Error;
    if outcome.reports.iter().any(failed) {
        outcome.ending = Ending::Failed;
    }
    prepared
}

fn prepare_one<'a>(
    plan: &'a Plan,
    launch: &'a Launch,
    source: &'a Compiled,
    symbols: &[Option<usize>],
    gpu: &Gpu,
) -> Result<Prepared<'a>, Box<Diagnostic>> {
    let kernel = source.kernel(&launch.kernel)?;
    limits::check(kernel, launch, gpu)?;
    let arguments = bind(kernel, &launch.arguments, &plan.buffers, symbols)?;
    Ok(Prepared {
        launch,
        kernel,
        arguments,
    })
}
