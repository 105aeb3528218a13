//! What CUDA's runtime keeps between calls, and what it finds wrong with them.

use std::collections::{BTreeMap, HashMap};

use super::facts::errors::{self, Code, SUCCESS};
use super::work::{Graphs, Streams};
use crate::cuda::{FunctionId, Program};
use crate::device::Gpu;
use crate::host::machine::{Call, Machine, Stop};
use crate::launch::Dim3;
use crate::source::{Diagnostic, Span};

/// What a function of the runtime gives: an error of CUDA's, or why the program cannot go on.
pub type Answer = Result<Code, Stop>;

/// How the runtime behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeOptions {
    /// Seed of another legal order of streams.
    pub schedule: Option<u64>,
    /// Whether leaks, and what went wrong unseen, are told.
    pub check: bool,
}

/// CUDA's runtime, for one run of a program.
pub struct Runtime<'a> {
    pub(super) program: &'a Program,
    pub(super) gpu: &'static Gpu,
    pub(super) options: RuntimeOptions,
    pub(super) errors: Errors,
    pub(super) allocations: BTreeMap<u64, Allocation>,
    pub(super) streams: Streams,
    pub(super) graphs: Graphs,
    pub(super) launches: LaunchState,
    pub(super) limits: BTreeMap<u32, u64>,
    /// What kernels have printed that the host has not seen.
    pub(super) printed: String,
    pub(super) findings: Findings,
    /// The stream of cuBLAS.
    pub(super) cublas_stream: u64,
}

/// What launches go by.
#[derive(Debug, Default)]
pub struct LaunchState {
    /// Dynamic shared memory that kernels may have, where the program has set it.
    pub shared_limits: HashMap<FunctionId, u32>,
    /// What `<<<…>>>` has pushed and no kernel has taken.
    pub configurations: Vec<Configuration>,
}

/// How a kernel is launched: what stands between `<<<` and `>>>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: u64,
    pub stream: u64,
}

/// Errors of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// What `cudaGetLastError` gives.
    pub last: Code,
    /// A fault of a kernel that no call has shown yet.
    pub hidden: Option<Code>,
    /// One that was shown: nothing works any more.
    pub shown: Option<Code>,
    /// Whether the device was reset behind a fault.
    pub is_gone: bool,
}

/// Memory that the program has asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    pub kind: AllocationKind,
    pub size_bytes: u64,
    pub span: Span,
    /// Where the host's own memory lies that it stands for.
    pub host: Option<u64>,
}

/// Who may use memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    /// Kernels.
    Device,
    /// Both sides.
    Managed,
    /// Both sides: it lies in the host's memory.
    Pinned,
}

impl AllocationKind {
    /// How messages call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            AllocationKind::Device => "memory of cudaMalloc",
            AllocationKind::Managed => "memory of cudaMallocManaged",
            AllocationKind::Pinned => "pinned memory",
        }
    }
}

/// What is to be said when the program has ended.
#[derive(Debug, Default)]
pub struct Findings {
    /// Errors that calls have returned, with what is known of each.
    pub failed: Vec<FailedCall>,
    /// Why the call that runs fails.
    pub why: Option<String>,
    /// What went wrong without an error.
    pub noted: Vec<Diagnostic>,
    /// What kernels have printed after the program waited for one the last time.
    pub unseen_text: String,
    /// Whether times of the model were asked for.
    pub has_modelled_times: bool,
}

/// A call that has returned an error.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedCall {
    /// The function, or the kernel of a launch.
    pub name: String,
    pub code: Code,
    pub span: Span,
    /// Why, where that can be told.
    pub why: Option<String>,
    /// Whether the program has looked at the error since.
    pub is_seen: bool,
}

impl<'a> Runtime<'a> {
    /// The runtime at the beginning of a program.
    pub fn new(program: &'a Program, gpu: &'static Gpu, options: RuntimeOptions) -> Self {
        Runtime {
            program,
            gpu,
            options,
            errors: Errors::default(),
            allocations: BTreeMap::new(),
            streams: Streams::new(options.schedule.unwrap_or(0)),
            graphs: Graphs::default(),
            launches: LaunchState::default(),
            limits: BTreeMap::new(),
            printed: String::new(),
            findings: Findings::default(),
            cublas_stream: 0,
        }
    }

    /// Why a call fails now, whatever it asks for.
    pub(super) fn blocked(&self) -> Option<Code> {
        // Again and again: on a real GPU nothing but a new process helps after a kernel's fault.
        match self.errors.is_gone {
            true => Some(errors::DEVICES_UNAVAILABLE),
            false => self.errors.shown,
        }
    }

    /// Notes what a call returns.
    pub(super) fn returned(&mut self, machine: &Machine<'_>, name: &str, code: Code) {
        // Taken from a call that goes well, too: the reason is of no use to a later one.
        let why = self.findings.why.take();
        if code == SUCCESS {
            return;
        }
        // A later success leaves it: `cudaGetLastError` alone resets it.
        self.errors.last = code;
        // It is an answer, not a failure: nobody has to look at it.
        if code == errors::NOT_READY {
            return;
        }
        let span = machine.location();
        let failed = &mut self.findings.failed;
        // A loop would repeat it without an end.
        let is_known =
            |known: &FailedCall| known.span == span && known.code == code && known.name == name;
        if failed.iter().any(is_known) {
            return;
        }
        failed.push(FailedCall {
            name: name.to_owned(),
            code,
            span,
            why,
            is_seen: false,
        });
    }

    /// The program has looked at an error.
    pub(super) fn seen(&mut self, code: Code) {
        for failed in self
            .findings
            .failed
            .iter_mut()
            .filter(|failed| failed.code == code)
        {
            failed.is_seen = true;
        }
    }

    /// Says of a place what is wrong there, once.
    pub(super) fn note(&mut self, diagnostic: Diagnostic) {
        if !self.findings.noted.contains(&diagnostic) {
            self.findings.noted.push(diagnostic);
        }
    }

    /// The allocation in which `address` lies, and where it begins.
    pub(super) fn allocation_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (&begin, allocation) = self.allocations.range(..=address).next_back()?;
        let is_inside = address - begin < allocation.size_bytes.max(1);
        is_inside.then_some((begin, allocation))
    }
}

/// Writes to a place that a call has named; CUDA's error where it is null.
pub fn put(machine: &mut Machine<'_>, address: u64, bytes: &[u8]) -> Answer {
    if address == 0 {
        return Ok(errors::INVALID_VALUE);
    }
    machine.memory.write(address, bytes)?;
    Ok(SUCCESS)
}

/// The same with an `int`, at a place that an argument names.
pub fn put_i32(machine: &mut Machine<'_>, call: &Call<'_>, at: usize, value: i32) -> Answer {
    put(machine, call.u64(at), &value.to_le_bytes())
}

/// The same with 64 bits.
pub fn put_u64(machine: &mut Machine<'_>, call: &Call<'_>, at: usize, value: u64) -> Answer {
    put(machine, call.u64(at), &value.to_le_bytes())
}
