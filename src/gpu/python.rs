//! What a Python with PyTorch and Triton makes of a plan: times, values and the hardware's counters.
//!
//! The script `baseline.py` runs in a process of its own and is told what to do by a file. It takes the kernels of the
//! plan's own `.py` and runs them **as native code, Python included**: whoever calls this has been asked to.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::client::lines;
use super::profile::{HardwareCounts, NoCounters, counters_of};
use super::protocol::{BaselineRun, FoundLibrary, TimingChoice};
use crate::launch::{Baseline, BufferSpec, BufferValues, Dim3};

const SCRIPT: &str = include_str!("../../assets/python/baseline.py");
/// Loading PyTorch takes ten seconds on a slow disk, and compiling a large kernel as long again.
const LIMIT: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(20);

/// A Triton kernel to launch.
#[derive(Clone, Debug, Serialize)]
pub struct PythonLaunch {
    /// Text of its file.
    #[serde(skip)]
    pub text: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Programs in x, y and z.
    pub grid: Dim3,
    /// Warps of a program.
    pub warps: u32,
    /// Stages of its pipelines; Triton's own choice if nothing is said.
    pub stages: Option<u32>,
    /// Whether nothing is to be assumed of the arguments.
    pub is_general: bool,
    /// Names and values of its constants.
    pub constants: Vec<(String, String)>,
    /// What its other parameters are given, in order.
    pub arguments: Vec<PythonArgument>,
}

/// What a parameter is given.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PythonArgument {
    /// A buffer of the job.
    Buffer(usize),
    /// A whole number.
    #[serde(rename = "number")]
    Integer(i128),
    /// One with a fraction.
    #[serde(rename = "number")]
    Float(f64),
}

/// What Python is to run.
#[derive(Clone, Debug)]
pub struct PythonJob {
    /// The operation; of Triton, the launches.
    pub baseline: Baseline,
    /// Launches, one after the other over the same buffers.
    pub launches: Vec<PythonLaunch>,
    /// What the buffers hold at first.
    pub buffers: Vec<BufferSpec>,
    /// What is in the L2 when a timed run begins.
    pub timing: TimingChoice,
}

/// What the script says: one line of JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    version: Option<String>,
    path: String,
    ms: Vec<f32>,
    error: Option<f64>,
    /// A module that this Python does not have.
    missing: Option<String>,
    failed: Option<String>,
}

/// Times the job, and gives what its buffers held in the end, if it ran; nothing if nobody wants it any more.
pub fn time_in_python(
    job: &PythonJob,
    cancel: &AtomicBool,
) -> Option<(BaselineRun, Vec<BufferValues>)> {
    let ran = run(job, cancel);
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    Some(ran.unwrap_or_else(|why| (BaselineRun::without_times(why), Vec::new())))
}

fn run(job: &PythonJob, cancel: &AtomicBool) -> Result<(BaselineRun, Vec<BufferValues>), String> {
    let says = |error: io::Error| error.to_string();
    let prepared = Prepared::new(job).map_err(says)?;
    let answer = prepared.ask(cancel)?;
    let run = BaselineRun {
        library: answer.version.map(|version| FoundLibrary {
            name: job.baseline.operation.title().to_owned(),
            path: answer.path,
            version,
        }),
        max_abs_error: answer.error,
        measured: Ok(answer.ms),
    };
    Ok((run, prepared.buffers(job).map_err(says)?))
}

/// The hardware's counters of each launch of the job.
pub fn python_counters(job: &PythonJob) -> Result<Vec<HardwareCounts>, NoCounters> {
    let failed = |message: String| NoCounters {
        message,
        help: "see whether `--baseline triton` alone gives times",
    };
    let prepared = Prepared::new(job).map_err(|error| failed(error.to_string()))?;
    let mut kernels: Vec<&str> = job.launches.iter().map(|of| of.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let mut why = failed(NO_PYTHON.to_owned());
    for python in pythons() {
        let script = [prepared.file("baseline.py"), prepared.file("job.json")];
        let mut program = vec![python.into_os_string()];
        program.extend(script.map(PathBuf::into_os_string));
        program.push("--once".into());
        match counters_of(&program, &kernels, job.launches.len()) {
            Ok(counters) => return Ok(counters),
            // The first Python need not be the one that has Triton.
            Err(without) => why = without,
        }
    }
    Err(why)
}

const NO_PYTHON: &str = "there is no python3 on the path";

/// Every Python on the path, under its usual names.
fn pythons() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let files = ["python3", "python"].into_iter().filter_map(|name| {
        let mut files = env::split_paths(&path).map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    });
    files.collect()
}

/// A job as files that the script reads.
struct Prepared {
    folder: TempDir,
}

impl Prepared {
    fn new(job: &PythonJob) -> io::Result<Self> {
        let prepared = Prepared {
            folder: tempfile::tempdir()?,
        };
        fs::write(prepared.file("baseline.py"), SCRIPT)?;
        let mut buffers = Vec::new();
        for (at, buffer) in job.buffers.iter().enumerate() {
            let path = prepared.file(&format!("{at}.bin"));
            fs::write(&path, buffer.fill().map_err(io::Error::other)?.bytes)?;
            buffers.push(serde_json::json!({"type": buffer.element.name(), "path": path}));
        }
        let mut launches = Vec::new();
        for (at, launch) in job.launches.iter().enumerate() {
            let path = prepared.file(&format!("kernels{at}.py"));
            fs::write(&path, &launch.text)?;
            let mut shown = serde_json::to_value(launch)?;
            shown["file"] = serde_json::json!(path);
            launches.push(shown);
        }
        let written = serde_json::json!({
            "operation": job.baseline.operation.name(),
            "sizes": job.baseline.sizes(),
            "is_flushed": job.timing == TimingChoice::Flushed,
            "buffers": buffers,
            "launches": launches,
        });
        fs::write(prepared.file("job.json"), serde_json::to_vec(&written)?)?;
        Ok(prepared)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the first Python says that has what the job needs; the error is for a person.
    fn ask(&self, cancel: &AtomicBool) -> Result<Answer, String> {
        let mut why = NO_PYTHON.to_owned();
        for python in pythons() {
            let answer = self.ask_one(&python, cancel)?;
            match answer.missing {
                Some(module) => why = format!("{} has no module {module}", answer.path),
                None => return answer.failed.clone().map_or(Ok(answer), Err),
            }
        }
        Err(why)
    }

    fn ask_one(&self, python: &Path, cancel: &AtomicBool) -> Result<Answer, String> {
        let says = |error: io::Error| format!("{}: {error}", python.display());
        // Into a file: a pipe that nobody reads stops whoever writes.
        let complaints = self.file("complaints");
        let mut child = Command::new(python)
            .args([self.file("baseline.py"), self.file("job.json")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&complaints).map_err(says)?)
            .spawn()
            .map_err(says)?;
        let said = last_line(&lines(child.stdout.take()), cancel);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        serde_json::from_str(&said?).map_err(|_| {
            let complaints = fs::read_to_string(&complaints).unwrap_or_default();
            let last = complaints.lines().last().unwrap_or("it said nothing");
            format!("{} failed: {last}", python.display())
        })
    }

    /// What the script left in the buffers.
    fn buffers(&self, job: &PythonJob) -> io::Result<Vec<BufferValues>> {
        let buffers = job.buffers.iter().enumerate();
        let read = buffers.map(|(at, buffer)| {
            Ok(BufferValues {
                name: buffer.name.clone(),
                element: buffer.element,
                bytes: fs::read(self.file(&format!("{at}.bin")))?,
            })
        });
        read.collect()
    }
}

/// The last line that a process writes before it closes its output, unless somebody cancels or it takes too long.
fn last_line(said: &Receiver<String>, cancel: &AtomicBool) -> Result<String, String> {
    let deadline = Instant::now() + LIMIT;
    let mut last = String::new();
    loop {
        match said.recv_timeout(POLL) {
            Ok(line) => last = line,
            Err(RecvTimeoutError::Disconnected) => return Ok(last),
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                return Err("it was cancelled".to_owned());
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() > deadline => {
                return Err(format!("Python took more than {} s", LIMIT.as_secs()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
