//! `tutor record`: lessons run on the GPU of the machine, and what it measured written down.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::value;
use clap::Args;

use super::engine::{failed, refusal};
use super::lesson::load_lesson;
use super::output::{Output, Stop};
use crate::device::gpu_or_usual;
use crate::document::faults;
use crate::engine::{Control, OnGpu, Options, capture_values, recording_folder, run_on_gpu};
use crate::gpu::{Facts, FoundGpu, Gpu, Stage, TimingChoice, Unavailable, driver_and_clocks};
use crate::launch::{
    Clocks, Outcome, Plan, Provenance, RECORDING_FORMAT, RecordedCell, RecordedTrace, Recording,
    Watch, time_text,
};
use crate::lesson::{CellResult, Lesson, RunCell, lesson_ids, sizes_named};
use crate::source::Severity;

pub(super) const HELP: &str = "\
Each lesson is recorded at its own sizes and at those that its [[recordings]] list: times, what the
compiler made, the values of a warp, and the hardware's counters where Nsight Compute may read them.
Nothing is written of a lesson whose results are not right.
TUTOR_RECORDINGS=FOLDER shows what --out FOLDER wrote in place of what comes with the program.";

#[derive(Debug, Args)]
pub(super) struct RecordArguments {
    /// Lessons by name, or by the path of a .md file; all of them if none is named.
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<String>,
    /// Compile the kernels that the lessons launch to PTX instead, with NVRTC, for machines that have none.
    /// It needs no GPU, and writes to assets/ptx unless a folder is named.
    #[arg(long, conflicts_with_all = ["lessons", "time_limit"])]
    pub ptx: bool,
    /// The folder to write to, where each GPU has one of its own; assets/recordings of tutor's
    /// repository if none is named.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// How long a kernel may run before it is stopped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = value::seconds)]
    pub time_limit: Duration,
}

/// Most steps of a warp that are kept of each launch.
const RECORDED_STEPS: usize = 2_000;
/// What this repository has, and other folders have not.
const MARK: &str = "assets/gpus.toml";

/// Records lessons; true if all of them were written.
pub(super) fn record(arguments: &RecordArguments, output: &Output) -> Result<bool, Stop> {
    let mut gpu = Gpu::default();
    gpu.time_limit = arguments.time_limit;
    let facts = gpu.probe(false);
    let usable = facts.as_ref().map_err(Clone::clone);
    let usable = usable.and_then(|facts| provenance(facts).map_err(Clone::clone));
    let provenance = usable.map_err(|why| refusal(&why))?;
    let folder = folder(arguments, &provenance)?;
    let mut recorder = Recorder {
        gpu,
        provenance,
        output,
    };
    let ids = match arguments.lessons.as_slice() {
        [] => lesson_ids(),
        ids => ids.to_vec(),
    };
    let mut all = true;
    for id in ids {
        let lesson = load_lesson(&id, output)?;
        match recorder.lesson(&lesson)? {
            Ok(recording) => {
                let file = folder.join(format!("{}.json", lesson.id));
                write(&file, &recording)?;
                output.print(&format!("{}\n", file.display()))?;
            }
            Err(why) => {
                all = false;
                output.message(&format!(
                    "error: {}: {why}\n  nothing is written of a lesson that is not right",
                    lesson.id
                ));
            }
        }
    }
    Ok(all)
}

/// Of this machine, today; the clocks are filled in while something runs.
fn provenance(facts: &Facts) -> Result<Provenance, &Unavailable> {
    let found = facts.usable()?;
    let (driver, clocks_mhz) = driver_and_clocks(found);
    let cuda = facts.driver.as_ref().map(|driver| driver.version.clone());
    let nvrtc = facts.nvrtc.as_ref().map(|nvrtc| nvrtc.version.clone());
    Ok(Provenance {
        gpu: id(found),
        device: found.name.clone(),
        driver,
        cuda: cuda?,
        nvrtc: nvrtc?,
        clocks_mhz: Clocks {
            sm: None,
            memory: None,
            ..clocks_mhz
        },
        date: date(SystemTime::now()),
        tutor: env!("CARGO_PKG_VERSION").to_owned(),
        l2: "flushed".to_owned(),
    })
}

/// The GPU's row in the table, or its name in small letters.
fn id(gpu: &FoundGpu) -> String {
    let name = || {
        let parts = gpu.name.split(|c: char| !c.is_ascii_alphanumeric());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("-").to_ascii_lowercase()
    };
    gpu.row().map_or_else(name, |row| row.id.clone())
}

/// Where to write: a folder for the GPU, in that of all recordings.
fn folder(arguments: &RecordArguments, provenance: &Provenance) -> Result<PathBuf, Stop> {
    let all = match &arguments.out {
        Some(folder) => folder.as_path(),
        None if Path::new(MARK).is_file() => Path::new("assets/recordings"),
        None => {
            return Err(Stop::Usage(format!(
                "where to? there is no {MARK} here, so this is not tutor's repository\n  \
                 say `--out FOLDER`, or go to its root: what is built there ships its recordings"
            )));
        }
    };
    Ok(all.join(recording_folder(&provenance.gpu)))
}

/// Writes all of it or nothing.
fn write(file: &Path, recording: &Recording) -> Result<(), Stop> {
    let text = recording.text().map_err(failed)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| {
        // As any file that a program makes: others may read it.
        let readable = Permissions::from_mode(0o644);
        let mut temporary = tempfile::Builder::new()
            .permissions(readable)
            .tempfile_in(folder)?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file)?;
        Ok(())
    });
    written.map_err(|error| Stop::Failed(format!("{}: {error}", file.display())))
}

/// The day of a moment, in UTC: `YYYY-MM-DD`. Days are counted from 0000-03-01, so that a leap day is
/// the last of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(now: SystemTime) -> String {
    let seconds = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Runs on the GPU and keeps what it gives.
struct Recorder<'a> {
    gpu: Gpu,
    provenance: Provenance,
    output: &'a Output,
}

/// Why something is not recorded, for people.
type Refused = String;

impl Recorder<'_> {
    fn lesson(&mut self, lesson: &Lesson) -> Result<Result<Recording, Refused>, Stop> {
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
        let mut recorded = cell.unrecorded();
        let counters = lesson.plots_hardware(cell);
        for (at, sizes) in lesson.recorded_sizes_of(cell).iter().enumerate() {
            let plan = match cell.plan(sizes, gpu_or_usual(&self.provenance.gpu)) {
                Ok(plan) => plan,
                Err(error) => return Ok(Err(error.to_string())),
            };
            let outcome = self.run(&plan, counters || at == 0, &mut |_| {})?;
            let result = cell.judge(sizes, outcome);
            let faults = faults(&result);
            if !faults.is_empty() {
                let reports = result.outcome.reports.iter();
                self.output
                    .diagnostics(&cell.source, reports.map(|report| &report.diagnostic));
                return Ok(Err(format!(
                    "{}: {}",
                    sizes_named(sizes),
                    faults.join("; ")
                )));
            }
            self.say(lesson, cell, &result);
            let error = result.verified.map(|verified| verified.max_abs_error);
            recorded.add(sizes, &result.outcome, error);
            if at == 0 {
                recorded.notes.extend(no_counters(&result.outcome));
                self.look_at_clocks(&plan)?;
                match self.capture(&plan) {
                    Ok(values) => recorded.values = values,
                    Err(why) => recorded.notes.push(why),
                }
                for note in &recorded.notes {
                    self.output.message(&format!("  {note}"));
                }
            }
        }
        Ok(Ok(recorded))
    }

    /// Runs a plan, as long as it takes: its counts give the bandwidths.
    fn run(
        &mut self,
        plan: &Plan,
        counters: bool,
        stage: &mut (dyn FnMut(Stage) + Send),
    ) -> Result<Outcome, Stop> {
        let options = self.options();
        let on = OnGpu {
            gpu: &mut self.gpu,
            timing: Some(TimingChoice::Flushed),
            counters,
            or_simulate: false,
            stage,
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
        self.run(plan, false, &mut |stage| {
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
        let run = (&options, &Control::default());
        let captured = capture_values(plan, Watch::default(), run, &mut self.gpu);
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
    let is_missing = launches.all(|launch| launch.hardware.is_empty());
    let reports = outcome.reports.iter().map(|report| &report.diagnostic);
    let mut warnings = reports.filter(|found| found.severity == Severity::Warning);
    let last = warnings.next_back().filter(|_| is_missing)?;
    Some(format!("no counters are recorded: {}", last.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_names() {
        let day = |days: u64| date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399));
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_777), "2026-11-20");
        assert_eq!(day(20_818), "2026-12-31");
    }
}
