//! Jobs of the worker process, and what comes of them.

use serde::{Deserialize, Serialize};

use super::unavailable::Unavailable;
use crate::device;
use crate::launch::{BufferSpec, CompileReport, Dim3, TensorMap};
use crate::source::Span;

/// A plan as a real GPU takes it: texts, buffers, and launches with their arguments' bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The kernels' files.
    pub sources: Vec<JobSource>,
    /// Buffers to allocate and fill.
    pub buffers: Vec<BufferSpec>,
    /// Launches in order.
    pub launches: Vec<JobLaunch>,
    /// Whether and how to time them.
    pub timing: Option<TimingChoice>,
}

/// A text to compile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobSource {
    /// Name of its file, for messages.
    pub name: String,
    /// CUDA C++.
    pub text: String,
    /// Headers that came with it: each by the name that an `#include` gives it, and its text.
    pub headers: Vec<(String, String)>,
    /// Macros.
    pub defines: Vec<(String, String)>,
    /// Variables in global memory at file scope, which are read back with the buffers.
    pub symbols: Vec<JobSymbol>,
    /// What such variables, and those in constant memory, begin with where the file is not to say it.
    pub set: Vec<BufferSpec>,
    /// What it was compiled to before, which runs where there is no compiler.
    pub shipped: Option<Ptx>,
    /// Whether it uses what GPUs of compute capability 9.0 have, and no others.
    pub is_for_9_0: bool,
}

impl JobSource {
    /// Its text and those of its headers.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().map(|(_, text)| text.as_str());
        std::iter::once(self.text.as_str()).chain(headers)
    }

    /// Names of the variables that are set or read back, each once.
    pub(crate) fn variables(&self) -> Vec<&str> {
        let read = self.symbols.iter().map(|symbol| symbol.name.as_str());
        let set = self.set.iter().map(|spec| spec.name.as_str());
        let mut names: Vec<&str> = read.chain(set).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Kernels in NVIDIA's intermediate code, which every driver compiles for its own GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ptx {
    /// The code.
    pub text: String,
    /// Names of its kernels: as C++ writes them, and the linker's.
    pub kernels: Vec<(String, String)>,
}

/// A text whose kernels are to be compiled to PTX.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PtxSource {
    /// The text.
    pub source: JobSource,
    /// Its kernels, as C++ names them.
    pub kernels: Vec<String>,
}

/// What came of sources that were compiled for no GPU in particular.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledPtx {
    /// What compiled them, as in `NVRTC 12.0`.
    pub compiler: String,
    /// The code of each.
    pub sources: Vec<Ptx>,
}

/// A variable at file scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSymbol {
    /// Its name, behind its namespaces.
    pub name: String,
    /// Its size.
    pub size_bytes: usize,
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobLaunch {
    /// Index into [`Job::sources`].
    pub source: usize,
    /// The kernel, as C++ names it: `softmax<float, 4>`.
    pub kernel: String,
    /// Where its source defines it.
    #[serde(skip)]
    pub span: Span,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Its arguments, scalar by scalar.
    pub arguments: Vec<JobArgument>,
    /// Whether its blocks may wait for each other.
    pub is_cooperative: bool,
}

/// A scalar of a launch's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobArgument {
    /// Where it stands among the parameters.
    pub offset_bytes: u32,
    /// How long it is: 1, 2, 4 or 8.
    pub size_bytes: u32,
    /// What it is.
    pub value: JobValue,
}

/// The value of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobValue {
    /// A number's bits.
    Bits(u64),
    /// The address of a buffer: an index into [`Job::buffers`].
    Buffer(usize),
    /// A tensor map of a buffer, by value.
    TensorMap(TensorMap),
}

/// What is in the L2 cache when a timed run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimingChoice {
    /// Nothing of the buffers: it was overwritten.
    Flushed,
    /// What the run before left there.
    Warm,
}

/// The GPU and its software.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The driver and its GPUs, or why there are none.
    pub driver: Result<DriverFacts, Unavailable>,
    /// The compiler, or why there is none.
    pub nvrtc: Result<FoundLibrary, Unavailable>,
    /// Libraries of the baselines that were asked for and found.
    pub baselines: Vec<FoundLibrary>,
}

impl Facts {
    /// The GPU that would run, or what keeps it from running. Without the compiler, it runs what comes
    /// with the program as PTX.
    pub fn usable(&self) -> Result<&FoundGpu, &Unavailable> {
        let driver = self.driver.as_ref()?;
        Ok(&driver.gpus[0])
    }
}

/// A driver that works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverFacts {
    /// The CUDA that it is for, as in `13.0`.
    pub version: String,
    /// Its library's file, where the system tells.
    pub path: Option<String>,
    /// Every GPU that it finds, at least one; the first one is used.
    pub gpus: Vec<FoundGpu>,
}

/// A GPU that the driver finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundGpu {
    /// Its name, as in `NVIDIA H200`.
    pub name: String,
    /// Its compute capability, as in `9.0`.
    pub compute_capability: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Streaming multiprocessors.
    pub sm_count: u32,
    /// L2 cache.
    pub l2_bytes: u64,
}

impl FoundGpu {
    /// What the table of GPUs says of it.
    pub fn row(&self) -> Option<&'static device::Gpu> {
        device::described_gpu(&self.compute_capability, self.sm_count, self.memory_bytes)
    }
}

/// A library that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundLibrary {
    /// Its name, as in `nvrtc`.
    pub name: String,
    /// Its file; a bare name where the loader found it.
    pub path: String,
    /// Its version.
    pub version: String,
}

/// What a plan gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The GPU.
    pub gpu: FoundGpu,
    /// What the compiler made of each launch's kernel.
    pub reports: Vec<CompileReport>,
    /// Addresses of the buffers.
    pub addresses: Vec<u64>,
    /// Milliseconds of each timed run, by launch.
    pub launch_ms: Vec<Vec<f32>>,
    /// Milliseconds of each timed run of the whole plan.
    pub plan_ms: Vec<f32>,
    /// Milliseconds of each timed run of the launches as one CUDA graph, where they make one.
    pub graph_ms: Vec<f32>,
    /// Bytes a second that a copy within its memory reads and writes together.
    pub copy_bytes_per_s: Option<f64>,
}

/// What an operation of NVIDIA's libraries gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineRun {
    /// The library, if it was found.
    pub library: Option<FoundLibrary>,
    /// The largest error of a sample of its result, if it ran.
    pub max_abs_error: Option<f64>,
    /// Milliseconds of each timed run, or why there are none.
    pub measured: Result<Vec<f32>, String>,
}

impl BaselineRun {
    /// One without times.
    pub fn without_times(why: impl ToString) -> Self {
        BaselineRun {
            library: None,
            max_abs_error: None,
            measured: Err(why.to_string()),
        }
    }
}

/// Why a plan did not run to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The launch it happened in, if it was one.
    pub launch: Option<usize>,
    /// The source it happened in, if that is known.
    pub source: Option<usize>,
    /// What happened.
    pub message: String,
    /// What else is known.
    pub notes: Vec<String>,
    /// What to try.
    pub help: Option<String>,
    /// What the driver said, as `CUresult` numbers it in cuda.h, of a launch that it refused or that faulted.
    pub driver_error: Option<u32>,
}
