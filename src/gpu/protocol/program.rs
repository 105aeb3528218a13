//! What is asked of the worker about a whole program: its host code runs in the program's own process, its memory and its
//! kernels are on the GPU. The kernels are a [`Job`](super::Job) of one source with a launch of each.

use serde::{Deserialize, Serialize};

use super::job::JobLaunch;
use crate::launch::CompileReport;

/// A step of a program, behind the request that loads its kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum ProgramStep {
    /// Allocate so many bytes, all zero.
    Allocate(u64),
    /// Free what begins at this address.
    Free(u64),
    /// Write the bytes behind the message to this address.
    Write(u64),
    /// Read so many bytes from an address.
    Read {
        /// The first.
        address: u64,
        /// How many.
        size_bytes: u64,
    },
    /// Launch a kernel; the bytes behind the message are its arguments.
    Launch(JobLaunch),
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum StepDone {
    /// The address of new memory; nothing where there is no room for it.
    Allocated(Option<u64>),
    /// It is done; what was read came before.
    Done,
    /// The kernel ran.
    Launched(Box<RealRun>),
}

/// What one run of a kernel gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealRun {
    /// How long it took, between two events.
    pub ms: f32,
    /// What the compiler made of it.
    pub report: CompileReport,
}

/// A program's kernels on the GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedProgram {
    /// What the compiler made of each kernel, in order of the job's launches.
    pub kernels: Vec<CompileReport>,
    /// Where each variable at file scope lies, and its size in bytes, in order of [`JobSource::symbols`](super::JobSource).
    pub variables: Vec<(u64, u64)>,
}
