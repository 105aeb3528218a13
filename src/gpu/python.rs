//! What a Python with PyTorch and Triton makes of a plan: times, values and the hardware's counters.
//!
//! The script `baseline.py` runs in a process of its own and is told what to do by a file. It takes the kernels of the
//! plan's own `.py` and runs them **as native code, Python included**: whoever calls this has been asked to.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::client::Gpu;
use super::profile::{HardwareCounts, NoCounters, counters_of};
use super::protocol::{BaselineRun, FoundLibrary, TimingChoice};
use super::python_folder::PythonFolder;
use super::python_process::{NO_PYTHON, Python, SCRIPT, pythons};
use crate::launch::{Baseline, BufferSpec, BufferValues, Dim3};

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

impl Gpu {
    /// Times the job, and gives what its buffers held in the end, if it ran; nothing if nobody wants it any more.
    pub fn time_in_python(
        &mut self,
        job: &PythonJob,
        cancel: &AtomicBool,
    ) -> Option<(BaselineRun, Vec<BufferValues>)> {
        let ran = run(job, &mut self.python, cancel);
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        Some(ran.unwrap_or_else(|why| (BaselineRun::without_times(why), Vec::new())))
    }
}

fn run(
    job: &PythonJob,
    python: &mut Python,
    cancel: &AtomicBool,
) -> Result<(BaselineRun, Vec<BufferValues>), String> {
    let says = |error: io::Error| error.to_string();
    let prepared = Prepared::new(job).map_err(says)?;
    let answer = python.ask(&prepared.file("job.json"), cancel)?;
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

/// A job as files that the script reads.
struct Prepared {
    folder: PythonFolder,
}

impl Prepared {
    fn new(job: &PythonJob) -> io::Result<Self> {
        let folder = PythonFolder::new()?;
        folder.write("baseline.py", SCRIPT)?;
        let mut buffers = Vec::new();
        for (at, buffer) in job.buffers.iter().enumerate() {
            let bytes = buffer.fill().map_err(io::Error::other)?.bytes;
            let path = folder.write(&buffer_file(at), bytes)?;
            buffers.push(serde_json::json!({"type": buffer.element.name(), "path": path}));
        }
        let mut launches = Vec::new();
        for (at, launch) in job.launches.iter().enumerate() {
            let path = folder.write(&format!("kernels{at}.py"), &launch.text)?;
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
        folder.write("job.json", serde_json::to_vec(&written)?)?;
        Ok(Prepared { folder })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    /// What the script left in the buffers.
    fn buffers(&self, job: &PythonJob) -> io::Result<Vec<BufferValues>> {
        let buffers = job.buffers.iter().enumerate();
        let read = buffers.map(|(at, buffer)| {
            Ok(BufferValues {
                name: buffer.name.clone(),
                element: buffer.element,
                bytes: self.folder.read(&buffer_file(at))?,
            })
        });
        read.collect()
    }
}

fn buffer_file(at: usize) -> String {
    format!("{at}.bin")
}
