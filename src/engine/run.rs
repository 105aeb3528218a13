//! A plan run on the simulated GPU.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::arguments::bind;
use super::limits;
use crate::compile::{Compiled, compile};
use crate::ir::Kernel;
use crate::launch::{
    BufferValues, Ending, Engine, InitError, Launch, LaunchOutcome, Outcome, Plan, Progress,
    Report, Watch,
};
use crate::simt::{self, End, GlobalMemory, LaunchProgress};
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
}

impl Default for Options {
    /// An H200, every core of the host, fuel for some ten seconds of one core, nothing watched.
    fn default() -> Self {
        Options {
            gpu: "h200".to_owned(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            fuel: 1_000_000_000,
            watch: None,
            trace_steps: 20_000,
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
    let mut outcome = Outcome {
        engine: Engine::Sim,
        gpu: options.gpu.clone(),
        ending: Ending::Finished,
        launches: Vec::new(),
        buffers: Vec::new(),
        reports: Vec::new(),
    };
    let compiled: Vec<Compiled> = plan
        .sources
        .iter()
        .map(|source| compile(&source.file, &source.defines))
        .collect();
    for (source, compiled) in compiled.iter().enumerate() {
        let reports = compiled.diagnostics.iter().cloned();
        outcome
            .reports
            .extend(reports.map(|diagnostic| Report { source, diagnostic }));
    }
    let prepared = prepare(plan, &compiled, &mut outcome.reports);
    let failed = |report: &Report| report.diagnostic.severity == Severity::Error;
    if outcome.reports.iter().any(failed) {
        outcome.ending = Ending::Failed;
        return Ok(outcome);
    }
    let memory = GlobalMemory::new(fill(plan)?);
    launch_all(&prepared, options, control, &memory, &mut outcome);
    outcome.buffers = memory.into_buffers();
    Ok(outcome)
}

/// A launch with its kernel and the bits of its arguments.
struct Prepared<'a> {
    launch: &'a Launch,
    kernel: &'a Kernel,
    arguments: Vec<u64>,
}

/// Finds each launch's kernel and checks that launch and arguments fit it.
fn prepare<'a>(
    plan: &'a Plan,
    compiled: &'a [Compiled],
    reports: &mut Vec<Report>,
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
                reports.push(Report {
                    source: launch.source,
                    diagnostic: *diagnostic,
                });
            }
        }
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

fn fill(plan: &Plan) -> Result<Vec<BufferValues>, RunError> {
    let fill = |spec: &crate::launch::BufferSpec| {
        spec.fill().map_err(|reason| RunError::Buffer {
            name: spec.name.clone(),
            reason,
        })
    };
    plan.buffers.iter().map(fill).collect()
}

fn launch_all(
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
        let (launched, end) = launch_one(index, prepared, options, control, memory);
        outcome.launches.push(launched);
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
) -> (LaunchOutcome, End) {
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
    (outcome, ran.end)
}
