//! `tutor run program`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use signal_hook::consts::SIGINT;

use super::program_io::ProgramIo;
use super::runner::{RUNS_AS_NATIVE_CODE, real_gpu};
use crate::cli::options::EngineChoice;
use crate::cli::output::{Output, Stop};
use crate::cli::value;
use crate::cuda::{self, Program};
use crate::document::{ProgramShown, program_json, thousands};
use crate::engine::{
    Checks, Control, Keeps, LaunchDuration, Options, ProgramEngine, ProgramLaunch, ProgramOutcome,
    ProgramRun,
};
use crate::gpu::Gpu;
use crate::launch::{Dim3, KernelSource, Progress, time_text};
use crate::source::{Diagnostic, SourceFile};

/// How often it is looked how far code of the host is.
const EVERY: Duration = Duration::from_millis(200);

/// What a program is called where nobody has said what `nvcc` should call it.
const NAME: &str = "./a.out";

const EXAMPLES: &str = "\
Example, which works in any directory:
  echo '#include <cstdio>
  __global__ void hello() { printf(\"hello from thread %d\\n\", threadIdx.x); }
  int main() { hello<<<1, 4>>>(); cudaDeviceSynchronize(); }' > hello.cu
  tutor run program hello.cu

See `tutor help programs` for what a program may use.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProgramArguments {
    /// The file with `main`.
    pub file: PathBuf,
    /// Further files of the program, read as if the first included them at its end.
    #[arg(value_name = "FILES")]
    pub further: Vec<PathBuf>,
    /// Also read local headers from this folder; may be given several times.
    #[arg(short = 'I', value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Define a macro; its value is 1 if none is given.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = value::define)]
    pub defines: Vec<(String, String)>,
    #[command(flatten)]
    pub simulation: ProgramSimulation,
    /// Do not print a line for each launch.
    #[arg(long)]
    pub quiet: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// What runs the kernels.
    #[arg(long, value_enum, default_value_t = EngineChoice::Sim)]
    pub engine: EngineChoice,
    /// Which GPU is simulated; h200 if left out.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// Let the program read files below its folder.
    #[arg(long)]
    pub files: bool,
    /// How long a launch may run before it is stopped.
    #[arg(long, value_name = "SECONDS", value_parser = value::seconds)]
    pub time_limit: Option<Duration>,
    /// Arguments of `main`, after the program's name.
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// What is looked at beside running the program.
#[derive(Debug, Args)]
pub(crate) struct ProgramSimulation {
    /// Look for races, values that were never set, and leaks; list every error that a call has returned, and copies that
    /// go otherwise than they say.
    #[arg(long)]
    pub check: bool,
    /// Run warps, blocks and streams in another legal order.
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// Model L1, L2 and device memory as well, which doubles a large run's time: each line then tells what DRAM moved. With
    /// --json they are modelled anyway.
    #[arg(long)]
    pub caches: bool,
    /// Leave that model out with --json, too.
    #[arg(long, conflicts_with = "caches")]
    pub no_caches: bool,
}

/// Runs the program: its output is standard output, its exit code that of the command.
pub(crate) fn run_program(arguments: &ProgramArguments, output: &Output) -> Result<bool, Stop> {
    let (file, program) = read(arguments, output)?;
    let mut on = OnDevice::chosen(arguments, output)?;
    let collected = arguments.json.then(|| Rc::new(RefCell::new(Vec::new())));
    let outcome = run(
        arguments,
        &file,
        &program,
        &mut on,
        collected.clone(),
        output,
    )?;
    if let Some(collected) = collected {
        let source = KernelSource::new(file.clone(), arguments.defines.clone());
        let shown = ProgramShown {
            source: &source,
            gpu: &on.row,
            stdout: &collected.borrow(),
            outcome: &outcome,
        };
        output.print_json(&program_json(&shown))?;
    }
    report(arguments, &file, &outcome, output);
    Err(Stop::Program(outcome.code))
}

/// What runs the kernels.
struct OnDevice {
    /// The real GPU, if it is one.
    real: Option<Gpu>,
    /// Which row of the table of GPUs it is, or the program is told that it is.
    row: String,
}

impl OnDevice {
    fn chosen(arguments: &ProgramArguments, output: &Output) -> Result<Self, Stop> {
        let looks = &arguments.simulation;
        let is_simulated = looks.check || looks.schedule.is_some();
        if arguments.engine == EngineChoice::Gpu && is_simulated {
            let why = "--check and --schedule are for the simulated GPU: leave them out, or `--engine gpu`";
            return Err(Stop::Usage(why.to_owned()));
        }
        let engine = match is_simulated {
            true => EngineChoice::Sim,
            false => arguments.engine,
        };
        let asked = arguments.gpu.as_deref();
        let (real, row) = real_gpu(engine, asked, arguments.time_limit, output)?;
        if real.is_some() && !arguments.quiet {
            output.message(RUNS_AS_NATIVE_CODE);
        }
        Ok(OnDevice { row, real })
    }

    fn engine(&mut self) -> ProgramEngine<'_> {
        match &mut self.real {
            Some(gpu) => ProgramEngine::Real(gpu),
            None => ProgramEngine::Simulated,
        }
    }
}

/// Reads and checks the file.
fn read(arguments: &ProgramArguments, output: &Output) -> Result<(SourceFile, Program), Stop> {
    let name = arguments.file.display().to_string();
    let (path, further) = (&arguments.file, &arguments.further);
    let file = cuda::read_sources(path, further, &arguments.folders)
        .map_err(|error| Stop::Usage(error.to_string()))?;
    let parsed = cuda::parse_program(&file, &arguments.defines);
    let is_without_main = |found: &Diagnostic| found.code == Some(cuda::NO_MAIN);
    if parsed.diagnostics.iter().any(is_without_main) {
        return Err(Stop::Usage(format!(
            "{name}: the file has no `main`; `tutor run kernel {name}` runs one of its kernels"
        )));
    }
    if parsed.has_errors() {
        output.diagnostics(&file, &parsed.diagnostics);
        return Err(Stop::Reported);
    }
    Ok((file, parsed.program))
}

fn run(
    arguments: &ProgramArguments,
    file: &SourceFile,
    program: &Program,
    on: &mut OnDevice,
    collected: Option<Rc<RefCell<Vec<u8>>>>,
    output: &Output,
) -> Result<ProgramOutcome, Stop> {
    let cancel = cancelled_by_signal();
    let options = options(arguments, &on.row);
    let progress = |progress: Progress| output.progress.launch(&progress);
    let control = Control {
        cancel: &cancel,
        progress: &progress,
        ..Control::default()
    };
    let operations = AtomicU64::new(0);
    let texts = texts(arguments);
    let run = ProgramRun {
        file,
        defines: &arguments.defines,
        program,
        arguments: &texts,
        keeps: keeps(arguments),
        operations: &operations,
    };
    let io = ProgramIo {
        collected,
        files: arguments.files.then(|| folder(&arguments.file)),
        progress: &output.progress,
    };
    let ran = followed(output, &operations, || {
        crate::engine::run_program(&run, on.engine(), Box::new(io), &options, &control)
    });
    let ran = ran.map_err(|error| Stop::Failed(error.to_string()))?;
    ran.map_err(|errors| {
        output.diagnostics(file, &errors);
        Stop::Reported
    })
}

/// What `main` is given.
fn texts(arguments: &ProgramArguments) -> Vec<&str> {
    let given = arguments.arguments.iter().map(String::as_str);
    std::iter::once(NAME).chain(given).collect()
}

/// JSON tells what each launch left in its buffers.
fn keeps(arguments: &ProgramArguments) -> Keeps {
    match arguments.json {
        true => Keeps::Results,
        false => Keeps::Nothing,
    }
}

/// What becomes true at ctrl-C. A second one ends the process, should the first one be of no use.
fn cancelled_by_signal() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register_conditional_default(SIGINT, cancel.clone());
    let _ = signal_hook::flag::register(SIGINT, cancel.clone());
    cancel
}

/// What `run` gives, with a line that says how far it is.
fn followed<T>(output: &Output, operations: &AtomicU64, run: impl FnOnce() -> T) -> T {
    output.progress.begin();
    let ran = std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        scope.spawn(move || {
            while end.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                output.progress.host(operations.load(Relaxed));
            }
        });
        let ran = run();
        drop(ended);
        ran
    });
    output.progress.clear();
    ran
}

fn options(arguments: &ProgramArguments, gpu: &str) -> Options {
    Options {
        gpu: gpu.to_owned(),
        checks: if arguments.simulation.check {
            Checks::ALL
        } else {
            Checks::NONE
        },
        schedule: arguments.simulation.schedule,
        model_caches: models_caches(arguments),
        time_limit: arguments.time_limit,
        // Large programs are run as well: progress is shown, and ctrl-C stops them.
        fuel: u64::MAX,
        ..Options::default()
    }
}

/// Whether the model of the caches runs beside launches: who runs a program wants its output, and the model takes longer than
/// the launch.
fn models_caches(arguments: &ProgramArguments) -> bool {
    let simulation = &arguments.simulation;
    match arguments.json {
        true => !simulation.no_caches,
        false => simulation.caches && !arguments.quiet,
    }
}

/// The folder that a file stands in.
fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// What is said of launches, and of what went wrong.
fn report(
    arguments: &ProgramArguments,
    file: &SourceFile,
    outcome: &ProgramOutcome,
    output: &Output,
) {
    let (mut told, mut reports): (usize, Vec<&Diagnostic>) = (0, Vec::new());
    let of_launches = outcome.launches.iter().flat_map(|launch| &launch.reports);
    for report in of_launches.chain(&outcome.reports) {
        // A kernel that is launched again has the same to say.
        if !reports.contains(&report) {
            reports.push(report);
        }
    }
    if !arguments.quiet {
        for (at, launch) in outcome.launches.iter().enumerate() {
            output.message(&line(at, launch, arguments.simulation.check));
            told += 1;
        }
        if outcome.has_modelled_times {
            output.message(match is_measured(outcome) {
                true => "times between events: kernels are measured, all else is modelled",
                false => "times between events are modelled: no GPU has measured them",
            });
        }
    }
    if told > 0 && !reports.is_empty() {
        output.message("");
    }
    output.diagnostics(file, reports);
    if outcome.is_cancelled {
        output.message("stopped");
    }
}

/// Whether a real GPU ran the kernels.
fn is_measured(outcome: &ProgramOutcome) -> bool {
    let mut launches = outcome.launches.iter();
    launches.any(|launch| matches!(launch.duration, LaunchDuration::Measured(_)))
}

/// What one launch did, on a line.
fn line(at: usize, launch: &ProgramLaunch, is_checked: bool) -> String {
    let mut parts = match launch.duration {
        LaunchDuration::Measured(ns) => {
            vec![format!("{} (measured)", time_text(ns as f64 / 1e6, "µs"))]
        }
        LaunchDuration::Modelled(_) => counted(launch, is_checked),
    };
    if launch.has_errors() {
        parts.push("failed".to_owned());
    }
    let outcome = &launch.outcome;
    let (number, kernel) = (at + 1, &outcome.kernel);
    let (grid, block) = (size(outcome.grid), size(outcome.block));
    format!(
        "launch {number}: {kernel}, {grid} × {block} threads: {}",
        parts.join(", ")
    )
}

/// What the simulated GPU has counted of a launch.
fn counted(launch: &ProgramLaunch, is_checked: bool) -> Vec<String> {
    let counts = &launch.outcome.counts;
    let requests = thousands(counts.global_requests());
    let mut parts = vec![format!("{requests} requests")];
    if let Some(share) = counts.global_efficiency() {
        parts.push(format!("efficiency {:.0} %", 100.0 * share));
    }
    if let Some(dram) = counts.dram.0 {
        let (read, written) = (thousands(dram.read_bytes), thousands(dram.write_bytes));
        parts.push(format!(
            "DRAM {read} bytes read, {written} written (modelled)"
        ));
    }
    let races = launch
        .reports
        .iter()
        .filter(|report| report.message.contains("race"))
        .count();
    match (is_checked, races) {
        (true, 0) => parts.push("no races".to_owned()),
        (true, 1) => parts.push("1 race".to_owned()),
        (true, races) => parts.push(format!("{races} races")),
        (false, _) => {}
    }
    parts
}

/// `4` or `4·2·1`: as many sides as are not 1.
fn size(size: Dim3) -> String {
    let sides = match size {
        [_, 1, 1] => 1,
        [_, _, 1] => 2,
        _ => 3,
    };
    let texts: Vec<String> = size[..sides].iter().map(u32::to_string).collect();
    texts.join("·")
}
