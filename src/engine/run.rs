//! A plan run on the simulated GPU.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::arguments::bind;
use super::limits;
use super::schedule;
use crate::compile::{Compiled, compile};
use crate::ir::Kernel;
use crate::launch::{
    BufferValues, Ending, Engine, InitError, Launch, LaunchOutcome, Outcome, Plan, Progress,
    Report, Watch,
};
use crate::simt::{self, Checks, End, GlobalMemory, LaunchProgress};
use crate::source::{Diagnostic, Severity};

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which GPU is simulated: an id of the GPU table.
    pub gpu: String,
    /// Threads of the host that run blocks.
    pub threads: usize,
    /// Warp instructions that a launch may take before it counts as endless.
    pub fuel: u64,
    /// The warp whose values are kept.
    pub watch: Option<Watch>,
    /// Most steps of it to keep in each launch.
    pub trace_steps: usize,
    /// What is checked beyond what always is.
    pub checks: Checks,
    /// Seed of another legal order of blocks and warps.
    pub schedule: Option<u64>,
}

impl Default for Options {
    /// An H200, every core of the host, fuel for about a minute of one core, nothing watched.
    fn default() -> Self {
        Options {
            gpu: "h200".to_owned(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            fuel: 4_000_000_000,
            watch: None,
            trace_steps: 20_000,
            checks: Checks::NONE,
            schedule: None,
        }
    }
}

/// How to follow a run, and to stop it.
pub struct Control<'a> {
    /// Set to stop the run; it ends within some ten milliseconds.
    pub cancel: &'a AtomicBool,
    /// Called some sixty times a second, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// What the machine got wrong.
#[derive(Debug, Error)]
pub enum RunError {
    /// A buffer could not be filled.
    #[error("buffer `{name}`: {reason}")]
    Buffer {
        /// The buffer.
        name: String,
        /// Why.
        reason: InitError,
    },
}

/// Runs every launch of `plan` in order, until one fails.
pub fn run(plan: &Plan, options: &Options, control: &Control) -> Result<Outcome, RunError> {
    let mut outcome = blank(options);
    let compiled = compile_all(plan, &mut outcome);
    let prepared = prepare(plan, &compiled, &mut outcome);
    if outcome.ending == Ending::Failed {
        return Ok(outcome);
    }
    let memory = GlobalMemory::new(fill(plan)?);
    launch_all(&prepared, options, control, &memory, &mut outcome);
    outcome.buffers = memory.into_buffers();
    if let (Some(seed), Ending::Finished) = (options.schedule, outcome.ending) {
        compare_orders(seed, plan, &prepared, options, control, &mut outcome)?;
    }
    Ok(outcome)
}

/// The outcome of nothing.
pub(super) fn blank(options: &Options) -> Outcome {
    Outcome {
        engine: Engine::Sim,
        gpu: options.gpu.clone(),
        ending: Ending::Finished,
        launches: Vec::new(),
        buffers: Vec::new(),
        reports: Vec::new(),
    }
}

/// Compiles the plan's sources; what is to be said of them goes to the outcome.
pub(super) fn compile_all(plan: &Plan, outcome: &mut Outcome) -> Vec<Compiled> {
    let sources = plan.sources.iter();
    let compiled: Vec<Compiled> = sources
        .map(|source| compile(&source.file, &source.defines))
        .collect();
    for (source, compiled) in compiled.iter().enumerate() {
        let reports = compiled.diagnostics.iter().cloned();
        let reports = reports.map(|diagnostic| Report { source, diagnostic });
        outcome.reports.extend(reports);
    }
    compiled
}

/// Runs the launches again in the usual order, and reports which buffers differ.
fn compare_orders(
    seed: u64,
    plan: &Plan,
    prepared: &[Prepared],
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    let usual = Options {
        threads: 1,
        watch: None,
        checks: Checks::NONE,
        schedule: None,
        ..options.clone()
    };
    let memory = GlobalMemory::new(fill(plan)?);
    let mut again = blank(options);
    launch_all(prepared, &usual, control, &memory, &mut again);
    let place = prepared.last().map_or_else(Default::default, |last| {
        (last.launch.source, last.kernel.span)
    });
    let buffers = memory.into_buffers();
    if again.ending == Ending::Finished {
        let found = schedule::differences(&buffers, &outcome.buffers, seed, place);
        outcome.reports.extend(found);
    }
    outcome.ending = again.ending;
    Ok(())
}

/// A launch with its kernel and the bits of its arguments.
pub(super) struct Prepared<'a> {
    pub launch: &'a Launch,
    pub kernel: &'a Kernel,
    pub arguments: Vec<u64>,
}

/// Finds each launch's kernel and checks that launch and arguments fit it; the outcome has failed
/// if there is an error in it.
pub(super) fn prepare<'a>(
    plan: &'a Plan,
    compiled: &'a [Compiled],
    outcome: &mut Outcome,
) -> Vec<Prepared<'a>> {
    let mut prepared = Vec::new();
    for launch in &plan.launches {
        let source = &compiled[launch.source];
        if source.kernels.is_empty() && !source.diagnostics.is_empty() {
            continue;
        }
        match prepare_one(plan, launch, source) {
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
) -> Result<Prepared<'a>, Box<Diagnostic>> {
    let kernel = source.kernel(&launch.kernel)?;
    limits::check(kernel, launch)?;
    let arguments = bind(kernel, &launch.arguments, &plan.buffers)?;
    Ok(Prepared {
        launch,
        kernel,
        arguments,
    })
}

pub(super) fn fill(plan: &Plan) -> Result<Vec<BufferValues>, RunError> {
    let fill = |spec: &crate::launch::BufferSpec| {
        spec.fill().map_err(|reason| RunError::Buffer {
            name: spec.name.clone(),
            reason,
        })
    };
    plan.buffers.iter().map(fill).collect()
}

pub(super) fn launch_all(
    prepared: &[Prepared],
    options: &Options,
    control: &Control,
    memory: &GlobalMemory,
    outcome: &mut Outcome,
) {
    for (index, prepared) in prepared.iter().enumerate() {
        if control.cancel.load(Ordering::Relaxed) {
            outcome.ending = Ending::Cancelled;
            return;
        }
        let (launched, found, end) = launch_one(index, prepared, options, control, memory);
        outcome.launches.push(launched);
        let source = prepared.launch.source;
        let found = found.into_iter();
        let found = found.map(|diagnostic| Report { source, diagnostic });
        outcome.reports.extend(found);
        match end {
            End::Finished => {}
            End::Cancelled => outcome.ending = Ending::Cancelled,
            End::Fault(diagnostic) => {
                outcome.ending = Ending::Failed;
                outcome.reports.push(Report {
                    source: prepared.launch.source,
                    diagnostic,
                });
            }
        }
        if outcome.ending != Ending::Finished {
            return;
        }
    }
}

fn launch_one(
    index: usize,
    prepared: &Prepared,
    options: &Options,
    control: &Control,
    memory: &GlobalMemory,
) -> (LaunchOutcome, Vec<Diagnostic>, End) {
    let launch = prepared.launch;
    let progress = |progress: LaunchProgress| {
        (control.progress)(Progress {
            launch: index,
            blocks_done: progress.blocks_done,
            blocks: progress.blocks,
            counts: progress.counts,
            lines: progress.lines,
        });
    };
    let simulated = simt::Launch {
        kernel: prepared.kernel,
        grid: launch.grid,
        block: launch.block,
        dynamic_shared_bytes: launch.shared_bytes,
        arguments: prepared.arguments.clone(),
    };
    let control = simt::Control {
        cancel: control.cancel,
        progress: &progress,
        threads: options.threads,
        fuel: options.fuel,
        watch: options.watch,
        trace_steps: options.trace_steps,
        checks: options.checks,
        schedule: options.schedule,
        logs: None,
    };
    let ran = simt::run(&simulated, memory, &control);
    let outcome = LaunchOutcome {
        kernel: launch.kernel.clone(),
        source: launch.source,
        grid: launch.grid,
        block: launch.block,
        counts: ran.counts,
        lines: ran.lines,
        accesses: ran.accesses,
        footprints: ran.footprints,
        trace: ran.trace,
        timing: None,
    };
    (outcome, ran.reports, ran.end)
}
