//! The real GPU: finds the driver and NVRTC, compiles, runs and times kernels.
//!
//! NVIDIA's libraries are loaded at run time, never linked, and only in a **worker process**
//! ([`serve`], the program's own `gpu-worker` command): [`Gpu`] sends it a [`Job`] and receives the
//! answer. A kernel that faults or never ends costs a worker; the next run starts another. What is missing
//! is [`Unavailable`], which says what to do about it.
//!
//! `protocol` is what both processes say to each other, `library` where NVIDIA's libraries lie, `worker`
//! the inside of the worker process, `client` its other end, `program` what that end knows of whole programs, `tool` NVIDIA's command-line tools, `python` what a Python with
//! Triton makes of a plan; `instrument` rewrites kernels so that they count or record themselves, and needs no GPU.
//!
//! Nothing here knows lessons, the simulated GPU or screens. Unsafe code stands in `library`,
//! `protocol::printed` and in `worker`'s `nvrtc`, `device` and `baseline` only.

mod protocol;
mod library;
mod worker;
mod lines;
mod python_folder;
mod python_process;
mod client;
mod program;
mod tool;
mod nvidia_smi;
mod profile;
mod python;
mod instrument;

pub use self::protocol::{
    BaselineRun, CompiledPtx, DriverFacts, Facts, Failure, Finished, FoundGpu, FoundLibrary, Job,
    JobArgument, JobLaunch, JobSource, JobSymbol, JobValue, LoadedProgram, Ptx, PtxSource, RealRun,
    Stage, Startup, TimingChoice, Unavailable, answers_in,
};
pub use self::worker::{serve, serve_file};
pub use client::{Gpu, GpuError, GpuRun, TIME_LIMIT, WORKER_COMMAND};
pub use instrument::{
    BufferRange, Counted, CountedSource, InstrumentError, InstrumentedPlan, TracedSource,
    instrument_accesses, instrument_values,
};
pub use nvidia_smi::driver_and_clocks;
pub use profile::{HardwareCounts, NoCounters, find_profiler, hardware_counters};
pub use python::{PythonArgument, PythonJob, PythonLaunch, python_counters};
