//! The real GPU: finds the driver and NVRTC, compiles, runs and times kernels.
//!
//! NVIDIA's libraries are loaded at run time, never linked, and only in a **worker process**
//! ([`serve`], the program's own `gpu-worker` command): [`Gpu`] sends it a [`Job`] and hears what came of
//! it. A kernel that faults or never ends costs a worker; the next run starts another. What is missing
//! is [`Unavailable`], which says what to do about it.
//!
//! Nothing here knows lessons, the simulated GPU or screens. Unsafe code stands in `device`, `nvrtc`,
//! `cublas`, `cudnn`, `library` and `output` only.

mod baseline;
mod client;
mod clock;
mod clocks;
mod cublas;
mod cudnn;
mod device;
mod execute;
mod fault;
mod instrument;
mod job;
mod library;
mod load;
mod nvrtc;
mod output;
mod pipe;
mod profile;
mod sample;
mod text;
mod translate;
mod unavailable;
mod worker;

pub use client::{Gpu, GpuError, Ran, TIME_LIMIT, WORKER_COMMAND};
pub use clocks::driver_and_clocks;
pub use instrument::{
    BufferRange, Counted, CountedSource, InstrumentError, TracedSource, instrument_accesses,
    instrument_values,
};
pub use job::{
    DriverFacts, Facts, Failure, Finished, FoundGpu, FoundLibrary, Job, JobArgument, JobLaunch,
    JobSource, JobSymbol, JobValue, Ptx, RanBaseline, Stage, TimingChoice, Translated,
};
pub use profile::{NoCounters, find_profiler, hardware_counters};
pub use unavailable::Unavailable;
pub use worker::{serve, serve_file};
