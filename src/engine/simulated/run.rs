//! A plan run on the simulated GPU.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::caches::{CacheState, Caches};
use super::schedule;
use crate::compile::Compiled;
use crate::device::gpu;
use crate::engine::build::{Built, Prepared, ReadyPlan};
use crate::engine::options::{Control, Options, RunError};
use crate::launch::{Ending, Launch, LaunchOutcome, Outcome, Plan, Progress, Report};
use crate::memory::LogQueue;
use crate::simt::{self, End, GlobalMemory, LaunchProgress, Run};
use crate::source::Diagnostic;

/// Runs every launch of `plan` in order, until one fails. Of kernels that only a real GPU can run it says so.
pub fn run(plan: &Plan, options: &Options, control: &Control) -> Result<Outcome, RunError> {
    let mut outcome = Outcome::blank(&options.gpu);
    let built = Built::for_hardware(plan, options, control.cancel, &mut outcome);
    run_built(&built, plan, options, control, outcome)
}

/// The same for a plan whose one source has become `compiled`, which has no errors.
pub fn run_compiled(
    plan: &Plan,
    compiled: &Arc<Compiled>,
    options: &Options,
    control: &Control,
) -> Result<Outcome, RunError> {
    let built = Built::of_compiled(plan, compiled);
    run_built(&built, plan, options, control, Outcome::blank(&options.gpu))
}

fn run_built(
    built: &Built,
    plan: &Plan,
    options: &Options,
    control: &Control,
    mut outcome: Outcome,
) -> Result<Outcome, RunError> {
    let ready = built.prepare(plan, options, &mut outcome)?;
    if outcome.ending == Ending::Finished && !is_left_to_hardware(&ready, &mut outcome) {
        simulate(&ready, options, control, &mut outcome)?;
    }
    Ok(outcome)
}

/// Whether its kernels use what the simulated GPU does not have. Then the outcome says what that is, and has nothing else.
pub(crate) fn is_left_to_hardware(ready: &ReadyPlan, outcome: &mut Outcome) -> bool {
    let Some((source, found)) = ready.built.hardware_only() else {
        return false;
    };
    outcome.reports.push(Report {
        source,
        diagnostic: found.clone(),
    });
    leave_to_hardware(ready.plan, outcome);
    true
}

/// Has an outcome say nothing of launches that a real GPU alone runs.
pub(crate) fn leave_to_hardware(plan: &Plan, outcome: &mut Outcome) {
    outcome.launches = plan.launches.iter().map(LaunchOutcome::blank).collect();
    outcome.ending = Ending::HardwareOnly;
}

/// Runs a plan that is ready on the simulated GPU, until a launch fails.
pub(crate) fn simulate(
    ready: &ReadyPlan,
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    let left = execute(
        ready.memory(control)?,
        &ready.launches,
        options,
        control,
        outcome,
    )?;
    outcome.buffers = left.into_buffers();
    for launch in &mut outcome.launches {
        launch.tiles.clone_from(&ready.built.tiles[launch.source]);
        // A Triton file is a source for each of its launches. Counts and faults are those of the one text.
        launch.source = ready.plan.first_with_text_of(launch.source);
    }
    for report in &mut outcome.reports {
        report.source = ready.plan.first_with_text_of(report.source);
    }
    if let (Some(seed), Ending::Finished) = (options.schedule, outcome.ending) {
        compare_orders(seed, ready, options, control, outcome)?;
    }
    Ok(())
}

/// Runs the launches over `memory`, until one fails; what they leave there.
pub(crate) fn execute(
    memory: GlobalMemory,
    launches: &[Prepared],
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<GlobalMemory, RunError> {
    let gpu = gpu(&options.gpu)?;
    // Made anew for each launch where caches are flushed, else once.
    let cold_caches = || options.model_caches.then(|| Caches::new(gpu)).flatten();
    let machine = Simulated {
        options,
        control,
        memory: &memory,
    };
    machine.launch_all(launches, &cold_caches, outcome);
    Ok(memory)
}

/// Runs the launches again in the usual order, and reports which buffers differ.
fn compare_orders(
    seed: u64,
    ready: &ReadyPlan,
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    // One thread takes the blocks in order of their numbers.
    let usual = Options {
        threads: 1,
        ..options.plain()
    };
    let mut again = Outcome::blank(&options.gpu);
    // What was told of the first run holds for this one.
    let control = Control {
        preparing: &|_| {},
        ..*control
    };
    let memory = execute(
        ready.memory(&control)?,
        &ready.launches,
        &usual,
        &control,
        &mut again,
    )?;
    if let (Ending::Finished, Some(last)) = (again.ending, ready.launches.last()) {
        let buffers = memory.into_buffers();
        let found = schedule::differences(&buffers, &outcome.buffers, seed, last.kernel.span);
        let source = last.launch.source;
        let reports = found.into_iter();
        let reports = reports.map(|diagnostic| Report { source, diagnostic });
        outcome.reports.extend(reports);
    }
    // Cancelled in the second run is cancelled: what differs is not known.
    outcome.ending = again.ending;
    Ok(())
}

/// What all launches of a plan run on.
pub(crate) struct Simulated<'a> {
    pub options: &'a Options,
    pub control: &'a Control<'a>,
    pub memory: &'a GlobalMemory,
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
            // Nothing is ordered by the flag: it is looked at again soon.
            if self.control.cancel.load(Ordering::Relaxed) {
                outcome.ending = Ending::Cancelled;
                return;
            }
            if self.options.flush_caches {
                caches = cold();
            }
            let ran = match &mut caches {
                None => self.launch(index, prepared, None),
                Some(cold_or_warm) => {
                    let (kernel, launch) = (prepared.kernel, prepared.launch);
                    let (ran, state) =
                        cold_or_warm.launch(kernel, launch, self.control.cancel, |logs| {
                            self.launch(index, prepared, Some(logs))
                        });
                    // What later launches would find there is not known either.
                    if state == CacheState::Unknown {
                        caches = None;
                    }
                    ran
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

    /// Runs one launch, with the accesses of its blocks in `logs`.
    pub fn launch(&self, index: usize, prepared: &Prepared, logs: Option<&LogQueue>) -> Run {
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
            time_limit: self.options.time_limit,
            watch: self.options.watch,
            trace_steps: self.options.trace_steps,
            checks: self.options.checks,
            schedule: self.options.schedule,
            logs,
        };
        simt::run(&launch, self.memory, &control)
    }
}

/// What a launch did, without how it ended and what was found, which stay in `ran`.
pub(crate) fn launch_outcome(launch: &Launch, ran: &mut Run) -> LaunchOutcome {
    LaunchOutcome {
        counts: ran.counts,
        lines: std::mem::take(&mut ran.lines),
        accesses: std::mem::take(&mut ran.accesses),
        footprints: std::mem::take(&mut ran.footprints),
        trace: ran.trace.take(),
        printed: ran.printed.lines().map(str::to_owned).collect(),
        ..LaunchOutcome::blank(launch)
    }
}

/// Writes down what a launch did, and says how it ended.
fn conclude(launch: &Launch, mut ran: Run, outcome: &mut Outcome) -> Ending {
    outcome.launches.push(launch_outcome(launch, &mut ran));
    let source = launch.source;
    let children = ran.launches.first().map(|first| {
        let message = format!(
            "`{}` launches {} kernels, which do not run here",
            launch.kernel,
            ran.launches.len()
        );
        // A plan has no code of the host, and so none of what children are given.
        Diagnostic::warning(first.span, message).help("`tutor run program` runs them")
    });
    let found = ran.reports.into_iter().chain(children);
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
