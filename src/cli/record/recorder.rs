//! Runs a lesson's cells on the real GPU and keeps what it gives.

use crate::cli::output::{Output, Stop};
use crate::cli::run::{failed, refusal};
use crate::device::gpu_or_usual;
use crate::document::faults;
use crate::engine::{Control, InstrumentedRun, OnGpu, Options, run_on_gpu};
use crate::gpu::{Gpu, Stage, TimingChoice, driver_and_clocks};
use crate::launch::{
    Outcome, Plan, Provenance, RECORDING_FORMAT, RecordedCell, RecordedTrace, Recording, Watch,
    time_text,
};
use crate::lesson::{CellResult, Lesson, RunCell, sizes_named};
use crate::source::Severity;

/// Most steps of a warp that are kept of each launch.
const RECORDED_STEPS: usize = 2_000;

/// Runs on the GPU and keeps what it gives.
pub(crate) struct Recorder<'a> {
    pub gpu: Gpu,
    pub provenance: Provenance,
    pub output: &'a Output,
}

/// What is found out of a run beside its times.
#[derive(Clone, Copy)]
struct Looks {
    /// The hardware's counters.
    counters: bool,
    /// What the simulated GPU counts.
    is_counted: bool,
}

/// Why something is not recorded, for people.
pub(crate) type Refused = String;

impl Recorder<'_> {
    /// Every run cell of a lesson, or why one of them is not recorded.
    pub fn lesson(&mut self, lesson: &Lesson) -> Result<Result<Recording, Refused>, Stop> {
        let mut cells = Vec::new();
        for cell in lesson.run_cells() {
            match self.cell(lesson, cell)? {
                Ok(recorded) => cells.push(recorded),
                Err(why) => return Ok(Err(format!("cell `{}`: {why}", cell.id))),
            }
        }
        Ok(Ok(Recording {
            format: RECORDING_FORMAT,
            lesson: lesson.id.clone(),
            provenance: self.provenance.clone(),
            cells,
        }))
    }

    fn cell(
        &mut self,
        lesson: &Lesson,
        cell: &RunCell,
    ) -> Result<Result<RecordedCell, Refused>, Stop> {
        let mut recorded = cell.empty_recording();
        // Reading counters replays each launch many times: only where a figure shows them, and at the defaults.
        let counters = lesson.plots_hardware(cell);
        for (at, of) in lesson.recordings_of(cell).iter().enumerate() {
            let sizes = &of.sizes;
            let planned = cell.plan(sizes, gpu_or_usual(&self.provenance.gpu));
            let Ok(plan) = planned.as_ref() else {
                return Ok(planned.map(|_| recorded).map_err(|error| error.to_string()));
            };
            let looks = Looks {
                counters: counters || at == 0,
                is_counted: of.is_counted,
            };
            let outcome = self.run(plan, looks, |_| {})?;
            let result = cell.check_outcome(sizes, outcome);
            if let Some(wrong) = self.refused(cell, &result) {
                return Ok(Err(wrong));
            }
            self.say(lesson, cell, &result);
            let error = result.verified.map(|verified| verified.max_abs_error);
            recorded.add(sizes, &result.outcome, error);
            if at == 0 {
                self.look_closer(plan, &result.outcome, &mut recorded)?;
            }
        }
        Ok(Ok(recorded))
    }

    /// What is kept at the defaults alone: the clocks, and the values of one warp.
    fn look_closer(
        &mut self,
        plan: &Plan,
        outcome: &Outcome,
        recorded: &mut RecordedCell,
    ) -> Result<(), Stop> {
        recorded.notes.extend(no_counters(outcome));
        self.look_at_clocks(plan)?;
        match self.capture(plan) {
            Ok(values) => recorded.values = values,
            Err(why) => recorded.notes.push(why),
        }
        for note in &recorded.notes {
            self.output.message(&format!("  {note}"));
        }
        Ok(())
    }

    /// Why a result is not recorded, if it is not right; diagnostics are printed.
    fn refused(&self, cell: &RunCell, result: &CellResult) -> Option<Refused> {
        let faults = faults(result);
        if faults.is_empty() {
            return None;
        }
        let reports = result.outcome.reports.iter();
        let reports = reports.map(|report| &report.diagnostic);
        self.output.diagnostics(&cell.source, reports);
        let sizes = sizes_named(&result.sizes);
        Some(format!("{sizes}: {}", faults.join("; ")))
    }

    /// Runs a plan, as long as it takes: its counts give the bandwidths.
    fn run(
        &mut self,
        plan: &Plan,
        looks: Looks,
        mut stage: impl FnMut(Stage) + Send,
    ) -> Result<Outcome, Stop> {
        let options = self.options();
        let on = OnGpu {
            gpu: &mut self.gpu,
            timing: Some(TimingChoice::Flushed),
            counters: looks.counters,
            runs_python: true,
            or_simulate: false,
            is_counted: looks.is_counted,
            stage: &mut stage,
        };
        let ran = run_on_gpu(plan, &options, &Control::default(), on).map_err(failed)?;
        ran.map_err(|why| refusal(&why))
    }

    /// The simulated GPU only counts, and takes as long as that needs. It leaves cores to the process that
    /// launches the kernels: between two launches it must not wait for one.
    fn options(&self) -> Options {
        let options = Options::default();
        Options {
            gpu: gpu_or_usual(&self.provenance.gpu).id.clone(),
            model_caches: false,
            fuel: u64::MAX,
            threads: options.threads.saturating_sub(2).max(1),
            ..options
        }
    }

    /// Reads the clocks while a plan is timed once more: reading them must not disturb what is kept.
    fn look_at_clocks(&mut self, plan: &Plan) -> Result<(), Stop> {
        let clocks = &self.provenance.clocks_mhz;
        // Read once for the whole recording, and never where there is no `nvidia-smi` to ask.
        if clocks.sm.is_some() || clocks.sm_max.is_none() {
            return Ok(());
        }
        let Ok(facts) = self.gpu.probe(false) else {
            return Ok(());
        };
        let Ok(found) = facts.usable().cloned() else {
            return Ok(());
        };
        let mut seen = None;
        let looks = Looks {
            counters: false,
            is_counted: false,
        };
        self.run(plan, looks, |stage| {
            // From the second run on: during the first the clocks are still rising.
            if matches!(stage, Stage::Timing(1..)) {
                seen.get_or_insert_with(|| driver_and_clocks(&found).1);
            }
        })?;
        if let Some(seen) = seen {
            self.provenance.clocks_mhz = seen;
        }
        Ok(())
    }

    fn capture(&mut self, plan: &Plan) -> Result<Vec<Option<RecordedTrace>>, String> {
        let options = Options {
            trace_steps: RECORDED_STEPS,
            ..self.options()
        };
        let mut run = InstrumentedRun {
            plan,
            options: &options,
            control: &Control::default(),
            gpu: &mut self.gpu,
        };
        let captured = run.capture_values(Watch::default());
        captured.map_err(|error| format!("no values are captured: {error}"))
    }

    fn say(&self, lesson: &Lesson, cell: &RunCell, result: &CellResult) {
        let time = |ms| time_text(ms, "µs");
        let median = result
            .outcome
            .timing
            .as_ref()
            .map(|timing| timing.median_ms);
        self.output.message(&format!(
            "{} {} at {}: {}",
            lesson.id,
            cell.id,
            sizes_named(&result.sizes),
            median.map_or_else(|| "not timed".to_owned(), time)
        ));
    }
}

/// Why the hardware's counters are missing, if they are.
fn no_counters(outcome: &Outcome) -> Option<String> {
    let mut launches = outcome.launches.iter();
    let is_missing = launches.all(|launch| launch.real.hardware.is_empty());
    let reports = outcome.reports.iter().map(|report| &report.diagnostic);
    let mut warnings = reports.filter(|found| found.severity == Severity::Warning);
    let last = warnings.next_back().filter(|_| is_missing)?;
    Some(format!("no counters are recorded: {}", last.message))
}
