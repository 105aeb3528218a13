//! A plan run on a real GPU, and beside it on the simulated one.
//!
//! The real one gives values, what was printed, times and what the compiler made; the simulated one,
//! at the same time, the counts, and values to hold the real ones against.

use std::iter;
use std::thread;

use super::baselines::{Baselines, TimedBaseline, give_counters};
use super::jobs::job;
use crate::engine::build::{Built, ReadyPlan};
use crate::engine::options::{Control, Options, RunError};
use crate::engine::simulated::{is_left_to_hardware, leave_to_hardware, simulate};
use crate::gpu::{
    Failure, Finished, Gpu, GpuError, GpuRun, Job, Stage, TimingChoice, Unavailable,
    hardware_counters,
};
use crate::launch::{
    Agreement, BufferSpec, BufferValues, Ending, Engine, LaunchOutcome, Outcome, Plan, Report,
    Timing, Work, Yardsticks,
};
use crate::source::{Diagnostic, Severity, Span};

/// How to run on a real GPU.
pub struct OnGpu<'a> {
    /// The GPU.
    pub gpu: &'a mut Gpu,
    /// Whether and how to time the launches.
    pub timing: Option<TimingChoice>,
    /// Whether to read the hardware's counters.
    pub counters: bool,
    /// Whether Python may run a plan's `.py`, for baselines: that is native code, which can do anything.
    pub runs_python: bool,
    /// Whether the simulated GPU will do where the real one cannot begin: what it says is a warning.
    pub or_simulate: bool,
    /// Whether the simulated GPU counts beside it, which takes longer for large sizes.
    pub is_counted: bool,
    /// Called at each stage.
    pub stage: &'a mut (dyn FnMut(Stage) + Send),
}

/// Runs every launch of `plan` on a real GPU, and on the one that `options` say for the counts. Where
/// there is no GPU to run on, says why.
pub fn run_on_gpu(
    plan: &Plan,
    options: &Options,
    control: &Control,
    on: OnGpu,
) -> Result<Result<Outcome, Unavailable>, RunError> {
    let mut outcome = Outcome::blank(&options.gpu);
    let built = Built::for_hardware(plan, options, control.cancel, &mut outcome);
    let ready = built.prepare(plan, options, &mut outcome)?;
    if outcome.ending != Ending::Finished {
        return Ok(Ok(outcome));
    }
    let is_simulated = is_simulated(&ready, on.is_counted, &mut outcome);
    let job = job(&ready, on.timing);
    let baselines = Baselines::new(plan, control, on.runs_python);
    let (ran, simulated) = thread::scope(|scope| {
        let real = scope.spawn(|| {
            let ran = on.gpu.run(&job, control.cancel, on.stage)?;
            let timed = baselines.time(on.timing, on.gpu, on.stage);
            Ok((ran, timed))
        });
        let simulated = is_simulated.then(|| simulate(&ready, options, control, &mut outcome));
        (real.join(), simulated)
    });
    simulated.transpose()?;
    match ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
        Ok((ran, timed)) => {
            merge(plan, &mut outcome, ran, timed, on.timing);
            if on.counters && read_counters(&job, on.gpu, &mut outcome) {
                count_cold(&ready, options, control, &mut outcome)?;
                baselines.read_counters(&mut outcome);
            }
        }
        Err(GpuError::Unavailable(why)) => return Ok(Err(why)),
        Err(GpuError::Cancelled) => outcome.ending = Ending::Cancelled,
        Err(GpuError::Failed(failure)) => fail(failure, &job, on.or_simulate, &mut outcome),
    }
    Ok(Ok(outcome))
}

/// Whether the simulated GPU runs it as well; if not, the outcome has nothing of it yet.
fn is_simulated(ready: &ReadyPlan, is_counted: bool, outcome: &mut Outcome) -> bool {
    // What the simulated GPU does not have is no fault where a real one runs.
    if is_left_to_hardware(ready, outcome) {
        outcome.reports.pop();
    } else if is_counted {
        return true;
    } else {
        leave_to_hardware(ready.plan, outcome);
    }
    outcome.buffers = ready.plan.buffers.iter().map(unfilled).collect();
    false
}

/// A buffer of which nothing is known yet.
fn unfilled(spec: &BufferSpec) -> BufferValues {
    BufferValues {
        name: spec.name.clone(),
        element: spec.element,
        bytes: Vec::new(),
    }
}

/// Writes down why a real GPU did not run the job. Where it could not begin, the simulated one may do instead.
fn fail(failure: Failure, job: &Job, or_simulate: bool, outcome: &mut Outcome) {
    // Nothing ran: the simulated result is whole, and the reason a warning beside it.
    if or_simulate && failure.launch.is_none() {
        let mut report = report(failure, Span::default());
        report.diagnostic.severity = Severity::Warning;
        outcome.reports.push(report);
        return;
    }
    let launch = failure.launch.and_then(|launch| job.launches.get(launch));
    let span = launch.map_or_else(Span::default, |launch| launch.span);
    outcome.reports.push(report(failure, span));
    outcome.engine = Engine::Gpu;
    outcome.ending = Ending::Failed;
}

/// What the real GPU ran is too large for the simulated one: that is no error, but nothing is counted.
fn leave_uncounted(plan: &Plan, outcome: &mut Outcome) {
    if let Some(last) = outcome.reports.last_mut() {
        let what = "too large to simulate: nothing is counted, and no values are compared";
        // Its notes say how far it came.
        let notes = std::mem::take(&mut last.diagnostic.notes);
        last.diagnostic = Diagnostic::warning(last.diagnostic.span(), what)
            .label("here the simulated GPU gave up")
            .help("choose smaller sizes to see counts");
        last.diagnostic.notes = notes;
    }
    outcome.launches = plan.launches.iter().map(LaunchOutcome::blank).collect();
}

/// Reads the hardware's counters, and says whether it could; if not, a warning says why.
fn read_counters(job: &Job, gpu: &Gpu, outcome: &mut Outcome) -> bool {
    let read = hardware_counters(job, gpu);
    give_counters(read, outcome, |launch, counters| {
        launch.real.hardware = counters
    }) && outcome.is_counted()
}

/// Simulates the launches again, each with empty caches, as the profiler runs them.
fn count_cold(
    ready: &ReadyPlan,
    options: &Options,
    control: &Control,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    let cold = Options {
        // A profiler empties the caches before each launch, which a run of the plan does not.
        flush_caches: true,
        model_caches: options.model_caches,
        ..options.plain()
    };
    let mut again = Outcome::blank(&options.gpu);
    simulate(ready, &cold, control, &mut again)?;
    for (launch, cold) in outcome.launches.iter_mut().zip(again.launches) {
        launch.real.flushed = Some(cold.counts);
    }
    Ok(())
}

fn report(failure: Failure, span: Span) -> Report {
    Report {
        source: failure.source.unwrap_or_default(),
        diagnostic: failure_diagnostic(failure, span),
    }
}

/// What went wrong on a real GPU, at the launch that `span` has.
pub(crate) fn failure_diagnostic(failure: Failure, span: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(span, failure.message);
    if failure.launch.is_some() {
        diagnostic = diagnostic.label("on the real GPU");
    }
    for note in failure.notes {
        diagnostic = diagnostic.note(note);
    }
    if let Some(help) = failure.help {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}

/// Puts what a real GPU gave into the outcome of the simulated one.
fn merge(
    plan: &Plan,
    outcome: &mut Outcome,
    ran: GpuRun,
    baselines: Vec<TimedBaseline>,
    timing: Option<TimingChoice>,
) {
    if outcome.ending == Ending::Exhausted {
        leave_uncounted(plan, outcome);
    }
    // Counts, traces and footprints stay the simulated GPU's: no real one gives them.
    let finished = ran.finished;
    outcome.engine = Engine::Gpu;
    let row = finished.gpu.row();
    outcome.gpu = row.map_or_else(|| finished.gpu.name.clone(), |row| row.id.clone());
    // One for all times, so that a share of the peak means the same for each of them.
    let yardsticks = yardsticks(&finished, timing);
    // Without counts no rate can be given: times stand alone.
    let mut all = outcome.is_counted().then(Work::default);
    // Of what was not timed there are no times.
    let times = finished
        .launch_ms
        .into_iter()
        .chain(iter::repeat(Vec::new()));
    let gave = ran.printed.into_iter().zip(finished.reports).zip(times);
    for (launch, ((printed, report), ms)) in outcome.launches.iter_mut().zip(gave) {
        let work = all.is_some().then(|| launch.work(plan));
        all = all.zip(work).map(|(all, work)| all + work);
        launch.real.timing = Timing::measured(&ms, work, &yardsticks);
        launch.real.compiled = Some(report);
        launch.printed = printed.lines().map(str::to_owned).collect();
    }
    let timing = Timing::measured(&finished.plan_ms, all, &yardsticks);
    outcome.timing = timing.map(|timing| timing.with_graph(&finished.graph_ms));
    replace_buffers(outcome, ran.buffers, all.is_some());
    let baselines = plan.baselines.iter().zip(baselines);
    outcome.baselines = baselines
        .map(|(asked, timed)| timed.outcome(asked, all, &outcome.buffers, &yardsticks))
        .collect();
}

/// What the times of a run are held against.
fn yardsticks(finished: &Finished, timing: Option<TimingChoice>) -> Yardsticks {
    let row = finished.gpu.row();
    Yardsticks {
        device: finished.gpu.name.clone(),
        l2: match timing {
            Some(TimingChoice::Warm) => "warm".to_owned(),
            _ => "flushed".to_owned(),
        },
        peak_gb_s: row.and_then(|row| row.memory_bandwidth_gb_s),
        copy_gb_s: finished.copy_bytes_per_s.map(|rate| rate / 1e9),
    }
}

/// Puts the real values in place of the simulated ones, and what is equal of them beside.
fn replace_buffers(outcome: &mut Outcome, buffers: Vec<Vec<u8>>, is_compared: bool) {
    for (buffer, bytes) in outcome.buffers.iter_mut().zip(buffers) {
        let simulated = BufferValues {
            name: buffer.name.clone(),
            element: buffer.element,
            bytes: std::mem::replace(&mut buffer.bytes, bytes),
        };
        if is_compared {
            outcome.agreement.push(Agreement::of(&simulated, buffer));
        }
    }
}
