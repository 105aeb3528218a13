//! A plan run on the simulated GPU.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::build::{Built, Prepared};
use super::caches::Caches;
use super::schedule;
use crate::compile::Fidelity;
use crate::device::{DEFAULT_GPU, UnknownGpu, gpu};
use crate::launch::{
    BufferValues, Ending, InitError, Launch, LaunchOutcome, Outcome, Plan, Progress, Report, Watch,
};
use crate::memory::LogQueue;
use crate::simt::{self, Checks, End, GlobalMemory, LaunchProgress, Run};

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which GPU is simulated: an id of the GPU table, which may be cut at a hyphen.
    pub gpu: String,
    /// Which accesses are made and counted.
    pub fidelity: Fidelity,
    /// Whether the traffic between L1, L2 and device memory is modelled.
    pub model_caches: bool,
    /// Whether the model's caches are emptied before each launch, and not before the first one only.
    pub flush_caches: bool,
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

impl Options {
    /// The same, but nobody looks: no caches, traces, checks or other orders.
    pub(super) fn plain(&self) -> Self {
        Options {
            model_caches: false,
            watch: None,
            checks: Checks::NONE,
            schedule: None,
            ..self.clone()
        }
    }
}

impl Default for Options {
    /// The usual GPU, every core of the host, fuel for some fifteen seconds of two cores, nothing watched.
    fn default() -> Self {
        Options {
            gpu: DEFAULT_GPU.to_owned(),
            fidelity: Fidelity::default(),
            model_caches: true,
            flush_caches: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            fuel: 1_000_000_000,
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

impl Default for Control<'_> {
    /// Nobody follows the run, and nothing stops it.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Control {
            cancel: &NEVER,
            progress: &|_| {},
        }
    }
}

/// What the machine got wrong.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no such GPU.
    #[error(transparent)]
    Gpu(#[from] UnknownGpu),
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
    let mut outcome = Outcome::blank(&options.gpu);
    let built = Built::new(plan, options, &mut outcome);
    let prepared = built.prepare(plan, options, &mut outcome)?;
    if outcome.ending != Ending::Failed {
        simulate(plan, (&built, &prepared), (options, control), &mut outcome)?;
    }
    Ok(outcome)
}

/// Runs launches that are ready on the simulated GPU, until one fails.
pub(super) fn simulate(
    plan: &Plan,
    (built, prepared): (&Built, &[Prepared]),
    (options, control): (&Options, &Control),
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    let memory = || Ok::<_, RunError>(built.symbols.memory(fill(plan)?));
    let left = execute(memory()?, prepared, options, control, outcome)?;
    outcome.buffers = left.into_buffers();
    if let (Some(seed), Ending::Finished) = (options.schedule, outcome.ending) {
        compare_orders(seed, memory()?, prepared, options, control, outcome)?;
    }
    Ok(())
}

/// Runs the launches over `memory`, until one fails; what they leave there.
pub(super) fn execute(
    memory: GlobalMemory,
    prepared: &[Prepared],
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<GlobalMemory, RunError> {
    let gpu = gpu(&options.gpu)?;
    let caches = || options.model_caches.then(|| Caches::new(gpu)).flatten();
    let machine = Simulated {
        options,
        control,
        memory: &memory,
    };
    machine.launch_all(prepared, &caches, outcome);
    Ok(memory)
}

/// Runs one launch over `memory`, with the accesses of its blocks in `logs`.
pub(super) fn launch_logged(
    memory: &GlobalMemory,
    (index, prepared): (usize, &Prepared),
    (options, control): (&Options, &Control),
    logs: &LogQueue,
) -> Run {
    let machine = Simulated {
        options,
        control,
        memory,
    };
    machine.launch(index, prepared, Some(logs))
}

/// Runs the launches again in the usual order, and reports which buffers differ.
fn compare_orders(
    seed: u64,
    memory: GlobalMemory,
    prepared: &[Prepared],
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    let usual = Options {
        threads: 1,
        ..options.plain()
    };
    let mut again = Outcome::blank(&options.gpu);
    let memory = execute(memory, prepared, &usual, control, &mut again)?;
    let place = prepared.last().map_or_else(Default::default, |last| {
        (last.launch.source, last.kernel.span)
    });
    if again.ending == Ending::Finished {
        let buffers = memory.into_buffers();
        let found = schedule::differences(&buffers, &outcome.buffers, seed, place);
        outcome.reports.extend(found);
    }
    outcome.ending = again.ending;
    Ok(())
}

/// What the plan's buffers begin with.
pub(super) fn fill(plan: &Plan) -> Result<Vec<BufferValues>, RunError> {
    let fill = |spec: &crate::launch::BufferSpec| {
        spec.fill().map_err(|reason| RunError::Buffer {
            name: spec.name.clone(),
            reason,
        })
    };
    plan.buffers.iter().map(fill).collect()
}

/// What all launches of a plan run on.
struct Simulated<'a> {
    options: &'a Options,
    control: &'a Control<'a>,
    memory: &'a GlobalMemory,
}

impl Simulated<'_> {
    fn launch_all(
        &self,
        prepared: &[Prepared],
        cold: &dyn Fn() -> Option<Caches>,
        outcome: &mut Outcome,
    ) {
        let mut caches = cold();
        for (index, prepared) in prepared.iter().enumerate() {
            if self.control.cancel.load(Ordering::Relaxed) {
                outcome.ending = Ending::Cancelled;
                return;
            }
            if self.options.flush_caches {
                caches = cold();
            }
            let ran = match &mut caches {
                None => self.launch(index, prepared, None),
                Some(caches) => {
                    let (kernel, launch) = (prepared.kernel, prepared.launch);
                    caches.launch(kernel, launch, self.control.cancel, |logs| {
                        self.launch(index, prepared, Some(logs))
                    })
                }
            };
            match conclude(prepared.launch, ran, outcome) {
                Ending::Finished => {}
                ending => {
                    outcome.ending = ending;
                    return;
                }
            }
        }
    }

    fn launch(&self, index: usize, prepared: &Prepared, logs: Option<&LogQueue>) -> Run {
        let progress = |progress: LaunchProgress| {
            (self.control.progress)(Progress {
                launch: index,
                blocks_done: progress.blocks_done,
                blocks: progress.blocks,
                counts: progress.counts,
                lines: progress.lines,
            });
        };
        let launch = simt::Launch {
            kernel: prepared.kernel,
            grid: prepared.launch.grid,
            block: prepared.launch.block,
            dynamic_shared_bytes: prepared.launch.shared_bytes,
            arguments: prepared.arguments.clone(),
        };
        let control = simt::Control {
            cancel: self.control.cancel,
            progress: &progress,
            threads: self.options.threads,
            fuel: self.options.fuel,
            watch: self.options.watch,
            trace_steps: self.options.trace_steps,
            checks: self.options.checks,
            schedule: self.options.schedule,
            logs,
        };
        simt::run(&launch, self.memory, &control)
    }
}

/// Writes down what a launch did, and says how it ended.
fn conclude(launch: &Launch, ran: Run, outcome: &mut Outcome) -> Ending {
    outcome.launches.push(LaunchOutcome {
        counts: ran.counts,
        lines: ran.lines,
        accesses: ran.accesses,
        footprints: ran.footprints,
        trace: ran.trace,
        printed: ran.printed,
        ..LaunchOutcome::blank(launch)
    });
    let source = launch.source;
    let found = ran.reports.into_iter();
    let found = found.map(|diagnostic| Report { source, diagnostic });
    outcome.reports.extend(found);
    match ran.end {
        End::Finished => Ending::Finished,
        End::Cancelled => Ending::Cancelled,
        End::Fault(diagnostic) => {
            outcome.reports.push(Report { source, diagnostic });
            Ending::Failed
        }
        End::OutOfFuel(diagnostic) => {
            outcome.reports.push(Report { source, diagnostic });
            Ending::Exhausted
        }
    }
}
