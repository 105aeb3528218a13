//! A file with a `main`: the program runs once, and each place that launches a kernel becomes a page, over what its
//! buffers held there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

use crate::cuda::{NO_MAIN, Program, parse_program};
use crate::engine::{
    Control, Keeps, LaunchInputs, Options, ProgramEngine, ProgramOutcome, ProgramRun, run_program,
};
use crate::host::Io;
use crate::launch::{Argument, BufferSpec, Counts};
use crate::lesson::cells::{
    ArgumentTemplate, BoxTemplate, BufferTemplate, InitTemplate, LaunchTemplate, RunCell,
};
use crate::lesson::formula::Formula;
use crate::source::{Severity, SourceFile};

/// How long the program may run: somebody waits for the first page.
const MOST_TIME: Duration = Duration::from_secs(10);

/// A place of the text that launches a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchPlace {
    /// The line, from 1.
    pub line: u32,
    /// How often the kernel was launched there.
    pub times: usize,
    /// The first launch.
    pub inputs: LaunchInputs,
    /// What the first launch counted.
    pub counts: Box<Counts>,
}

/// What came of the program.
pub struct RanProgram {
    /// What it printed.
    pub printed: String,
    /// Its exit code.
    pub code: i32,
    /// Whether it ran to its end.
    pub is_whole: bool,
    /// What is wrong with it, one line each.
    pub errors: Vec<String>,
    /// Where it launches kernels, in the order in which it came there.
    pub places: Vec<LaunchPlace>,
}

impl RanProgram {
    /// Runs the program in `file`; nothing if it has no `main`. Why it does not run is among its errors.
    pub fn run(path: &Path, file: &SourceFile) -> Option<Self> {
        let parsed = parse_program(file, &[]);
        // A file without `main` has kernels alone, and is opened in another way.
        if parsed
            .diagnostics
            .iter()
            .any(|found| found.code == Some(NO_MAIN))
        {
            return None;
        }
        let mut ran = RanProgram {
            printed: String::new(),
            code: 0,
            is_whole: false,
            errors: Vec::new(),
            places: Vec::new(),
        };
        if parsed.has_errors() {
            let errors = parsed.diagnostics.iter();
            let mut errors = errors.filter(|found| found.severity == Severity::Error);
            let first = errors.next()?;
            let line = file.line(first.span().start);
            ran.errors.push(format!("line {line}: {}", first.message));
            return Some(ran);
        }
        let (printed, outcome) = carried_out(path, file, &parsed.program);
        ran.printed = String::from_utf8_lossy(&printed).into_owned();
        match outcome {
            Ok(outcome) => ran.take(file, outcome),
            Err(why) => ran.errors.push(why),
        }
        Some(ran)
    }

    fn take(&mut self, file: &SourceFile, outcome: ProgramOutcome) {
        (self.code, self.is_whole) = (outcome.code, !outcome.is_cancelled);
        let reports = outcome.reports.iter();
        self.errors
            .extend(reports.map(|report| report.message.clone()));
        let mut times: BTreeMap<(u32, String), usize> = BTreeMap::new();
        for launch in &outcome.launches {
            let place = (launch.span.start, launch.outcome.kernel.clone());
            *times.entry(place).or_default() += 1;
        }
        for launch in outcome.launches {
            let place = (launch.span.start, launch.outcome.kernel);
            // Only the first launch at each place keeps them: a loop would keep gigabytes.
            if let Some(inputs) = launch.inputs {
                self.places.push(LaunchPlace {
                    line: file.line(place.0),
                    times: times.get(&place).copied().unwrap_or(1),
                    inputs,
                    counts: Box::new(launch.outcome.counts),
                });
            }
        }
    }
}

/// What a program prints, and how it ended or why it does not begin.
fn carried_out(
    path: &Path,
    file: &SourceFile,
    program: &Program,
) -> (Vec<u8>, Result<ProgramOutcome, String>) {
    let printed = Rc::new(RefCell::new(Vec::new()));
    // A program may run for ever, and the notebook has to open.
    let (cancel, ended) = cancelled_after(MOST_TIME);
    let name = path.display().to_string();
    let run = ProgramRun {
        file,
        defines: &[],
        program,
        arguments: &[&name],
        keeps: Keeps::Inputs,
        operations: &AtomicU64::new(0),
    };
    let options = Options {
        // Pages count on their own when they run; here only what buffers held is wanted.
        model_caches: false,
        ..Options::default()
    };
    let control = Control {
        cancel: &cancel,
        ..Control::default()
    };
    let io = Box::new(Printed(printed.clone()));
    let outcome = match run_program(&run, ProgramEngine::Simulated, io, &options, &control) {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(errors)) => Err(errors
            .first()
            .map_or_else(String::new, |error| error.message.clone())),
        Err(error) => Err(error.to_string()),
    };
    // The watching thread wakes at once, and does not sit out its time.
    drop(ended);
    (printed.take(), outcome)
}

/// What becomes true after so long, unless the sender is dropped before.
fn cancelled_after(time: Duration) -> (Arc<AtomicBool>, mpsc::Sender<()>) {
    let cancel = Arc::new(AtomicBool::new(false));
    let (ended, end) = mpsc::channel::<()>();
    let too_long = cancel.clone();
    std::thread::spawn(move || {
        // On a thread of its own, since the one that runs the program is busy with it.
        if end.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
            too_long.store(true, Relaxed);
        }
    });
    (cancel, ended)
}

/// Keeps what a program prints, and gives it nothing to read.
struct Printed(Rc<RefCell<Vec<u8>>>);

impl Io for Printed {
    fn output(&mut self, bytes: &[u8]) {
        self.0.borrow_mut().extend_from_slice(bytes);
    }

    fn error(&mut self, bytes: &[u8]) {
        self.output(bytes);
    }

    fn input(&mut self, _: &mut [u8]) -> usize {
        0
    }

    fn file(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Makes `cell` run a launch of the program over what it found.
pub fn relaunch(cell: &mut RunCell, inputs: &LaunchInputs) {
    let constants = |counts: [u32; 3]| counts.map(|count| Formula::constant(u64::from(count)));
    let launch = &inputs.launch;
    cell.buffers = inputs.buffers.iter().map(buffer).collect();
    cell.symbols.clone_from(&inputs.symbols);
    cell.launches = vec![LaunchTemplate {
        meta: Vec::new(),
        kernel: launch.kernel.clone(),
        grid: constants(launch.grid),
        block: constants(launch.block),
        shared_bytes: Formula::constant(u64::from(launch.shared_bytes)),
        when: None,
        arguments: launch.arguments.iter().map(argument).collect(),
    }];
}

fn buffer(spec: &BufferSpec) -> BufferTemplate {
    BufferTemplate {
        name: spec.name.clone(),
        element: spec.element,
        shape: vec![Formula::constant(spec.length as u64)],
        init: InitTemplate::Fixed(spec.init.clone()),
    }
}

fn argument(argument: &Argument) -> ArgumentTemplate {
    match argument {
        Argument::Buffer(buffer) => ArgumentTemplate::Buffer(*buffer),
        Argument::Number(number) => ArgumentTemplate::Number(*number),
        Argument::TensorMap(map) => ArgumentTemplate::TensorMap(BoxTemplate {
            buffer: map.buffer,
            rows: map.box_rows,
            columns: map.box_columns,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_main_is_no_program_and_one_that_does_not_compile_says_why() {
        let ran =
            |text: &str| RanProgram::run(Path::new("mine.cu"), &SourceFile::new("mine.cu", text));
        assert!(ran("__global__ void f(float* x) { x[0] = 1.0f; }").is_none());
        let wrong = ran("int main() { return nothing; }").expect("is a program");
        assert!(
            !wrong.is_whole && wrong.errors[0].contains("nothing"),
            "{:?}",
            wrong.errors
        );
    }
}
