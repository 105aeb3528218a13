//! A plan's sources, compiled, and its launches, checked against them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::arguments::bind;
use super::limits;
use super::memory::{MemoryNeed, free_bytes};
use super::symbols::{Symbols, filled, left_to_host};
use crate::compile::{Compiled, compile_within};
use crate::device::{Gpu, gpu};
use crate::engine::options::{Control, Options, RunError};
use crate::engine::preparing::Preparing;
use crate::ir::Kernel;
use crate::launch::{Ending, FillControl, Launch, Outcome, Plan, Report};
use crate::simt::GlobalMemory;
use crate::source::{Diagnostic, Severity, Work};

/// Buffers that are filled before anybody could read how far it is.
const SLOW_TO_FILL_BYTES: u64 = 64 << 20;

/// A plan's sources, compiled.
pub(crate) struct Built {
    pub compiled: Vec<Compiled>,
    pub symbols: Symbols,
}

impl Built {
    /// Compiles the plan's sources; what is to be said of them goes to the outcome.
    pub fn new(plan: &Plan, options: &Options, cancel: &AtomicBool, outcome: &mut Outcome) -> Self {
        let compiled = compile_all(plan, options, cancel, outcome);
        outcome.reports.extend(left_to_host(plan, &compiled));
        let symbols = Symbols::new(plan, &compiled);
        Built { compiled, symbols }
    }

    /// The plan with its launches checked; the outcome has failed if there is an error in it.
    pub fn prepare<'a>(
        &'a self,
        plan: &'a Plan,
        options: &Options,
        outcome: &mut Outcome,
    ) -> Result<ReadyPlan<'a>, RunError> {
        let gpu = gpu(&options.gpu)?;
        let mut launches = Vec::new();
        for launch in &plan.launches {
            let source = &self.compiled[launch.source];
            // Its errors are in the outcome already.
            if source.has_failed() {
                continue;
            }
            // A launch that is refused does not keep the others from being checked: all faults are told at once.
            let symbols = self.symbols.of_source(launch.source);
            match prepare_one(plan, launch, source, symbols, gpu) {
                Ok(launch) => launches.push(launch),
                Err(diagnostic) => {
                    outcome.reports.push(Report {
                        source: launch.source,
                        diagnostic: *diagnostic,
                    });
                }
            }
        }
        let memory = self.memory_need(plan, &launches, options, outcome);
        let is_error = |report: &Report| report.diagnostic.severity == Severity::Error;
        if outcome.ending == Ending::Finished && outcome.reports.iter().any(is_error) {
            outcome.ending = Ending::Failed;
        }
        Ok(ReadyPlan {
            plan,
            built: self,
            launches,
            memory,
        })
    }

    /// What the plan takes of the host's memory; where it has too little, the outcome says so.
    fn memory_need(
        &self,
        plan: &Plan,
        launches: &[Prepared],
        options: &Options,
        outcome: &mut Outcome,
    ) -> MemoryNeed {
        let launched = launches.iter().map(|launch| (launch.kernel, launch.launch));
        let need = MemoryNeed::of(plan, launched, options);
        if let Some(first) = launches.first()
            && let Some(diagnostic) = need.refusal(first.kernel.span, free_bytes())
        {
            outcome.reports.push(Report {
                source: first.launch.source,
                diagnostic,
            });
        }
        need
    }
}

/// Compiles the plan's sources; what is to be said of them goes to the outcome.
fn compile_all(
    plan: &Plan,
    options: &Options,
    cancel: &AtomicBool,
    outcome: &mut Outcome,
) -> Vec<Compiled> {
    // One limit for all of them.
    let work = Work::new(cancel).within(options.time_limit);
    let sources = plan.sources.iter().enumerate();
    let compiled: Vec<Compiled> = sources
        .map(|(index, source)| {
            let launched = plan.launches.iter().filter(|launch| launch.source == index);
            let names: Vec<&str> = launched.map(|launch| launch.kernel.as_str()).collect();
            compile_within(
                &source.file,
                &source.defines,
                &names,
                options.fidelity,
                &work,
            )
        })
        .collect();
    if cancel.load(Relaxed) {
        outcome.ending = Ending::Cancelled;
    }
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

/// A plan that can be run. Where the outcome has failed, launches with errors are missing.
pub(crate) struct ReadyPlan<'a> {
    pub plan: &'a Plan,
    pub built: &'a Built,
    pub launches: Vec<Prepared<'a>>,
    memory: MemoryNeed,
}

impl ReadyPlan<'_> {
    /// Global memory as the first launch finds it: the plan's buffers and the variables at file scope. Not whole
    /// once the run is cancelled.
    pub fn memory(&self, control: &Control) -> Result<GlobalMemory, RunError> {
        if self.memory.is_unusual() {
            (control.preparing)(self.memory.told());
        }
        let bytes = self.memory.buffer_bytes;
        let done = AtomicU64::new(0);
        let on_filled = |piece: u64| {
            let before = done.fetch_add(piece, Relaxed);
            let percent = |bytes_done: u64| bytes_done * 100 / bytes.max(1);
            // Told a hundred times, whatever the size.
            if bytes >= SLOW_TO_FILL_BYTES && percent(before) != percent(before + piece) {
                let bytes_done = before + piece;
                (control.preparing)(Preparing::Filling { bytes_done, bytes });
            }
        };
        let follow = FillControl {
            cancel: control.cancel,
            filled: &on_filled,
        };
        let buffers = self.plan.buffers.iter().map(|spec| filled(spec, &follow));
        let symbols = &self.built.symbols;
        symbols.memory(self.plan, buffers.collect::<Result<_, _>>()?)
    }
}

/// The kernel of one launch, checked against what it is launched with.
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
