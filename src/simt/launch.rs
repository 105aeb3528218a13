//! What goes into a run of the simulated GPU and what comes out of it: plain data, but for the
//! ways to watch a launch, to stop it and to take its log away.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::ir::Kernel;
use crate::launch::{AccessCounts, BufferFootprint, Counts, Dim3, LineCounts, Trace, Watch};
use crate::memory::LogQueue;
use crate::source::{Diagnostic, Span};

/// One kernel launch.
pub struct Launch<'a> {
    /// The kernel, which must pass `ir::verify`.
    pub kernel: &'a Kernel,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// The bits of each argument, one a parameter; pointers as [`GlobalMemory::address`](super::GlobalMemory::address) gives.
    pub arguments: Vec<u64>,
}

/// How a launch is run and looked at.
pub struct Control<'a> {
    /// Ends the launch within some ten milliseconds once it is true.
    pub cancel: &'a AtomicBool,
    /// Called about sixty times a second while the launch runs, and once when it has ended, from
    /// the thread that called [`run`](super::run).
    pub progress: &'a (dyn Fn(LaunchProgress) + Sync),
    /// Worker threads; at least one is used.
    pub threads: usize,
    /// Warp instructions that the launch may take. Exact with one thread; with more, a launch that
    /// comes within some thousands of instructions of it may be stopped.
    pub fuel: u64,
    /// How long the launch may take, if that is bounded beside its fuel.
    pub time_limit: Option<Duration>,
    /// The warp to trace.
    pub watch: Option<Watch>,
    /// Most statements to trace.
    pub trace_steps: usize,
    /// What is checked beyond what always is. Where a check has something to look at, the launch runs on one thread.
    pub checks: Checks,
    /// Seed of another legal order of blocks and warps, also on one thread; where nobody could see it, there is none.
    pub schedule: Option<u64>,
    /// Where each block's accesses to global memory go, to be taken from there by another thread;
    /// closed early if the launch is. Without it nobody keeps them.
    pub logs: Option<&'a LogQueue>,
}

/// What is checked at every access and every value. No check changes a count or a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses that nothing puts in order.
    pub races: bool,
    /// Values that were never set, in variables, shared and local memory.
    pub uninitialised: bool,
    /// Variables in memory: accesses that leave one for its neighbour, or use one that has ended.
    pub lifetimes: bool,
}

impl Checks {
    /// Nothing.
    pub const NONE: Checks = Checks {
        races: false,
        uninitialised: false,
        lifetimes: false,
    };
    /// Everything.
    pub const ALL: Checks = Checks {
        races: true,
        uninitialised: true,
        lifetimes: true,
    };
}

/// How far a launch is.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchProgress {
    /// Blocks that have ended.
    pub blocks_done: u64,
    /// Blocks in the grid.
    pub blocks: u64,
    /// Counts so far.
    pub counts: Counts,
    /// The same by line.
    pub lines: Vec<LineCounts>,
}

/// A launch by a thread of a kernel. It runs when the grid that makes it has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildLaunch {
    /// Which kernel, as [`LaunchSite::kernel`](crate::ir::LaunchSite) has it.
    pub kernel: usize,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub shared_bytes: u64,
    /// The stream: what the thread was given, or one of CUDA's own by number.
    pub stream: u64,
    /// All arguments as the kernel finds them.
    pub arguments: Vec<u8>,
    /// Where the kernel launches it.
    pub span: Span,
}

/// How a launch ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every thread ran to its end.
    Finished,
    /// [`Control::cancel`] became true.
    Cancelled,
    /// A thread did something wrong; of several blocks that did, the first in order is told.
    Fault(Diagnostic),
    /// It took all its fuel or time: [`Control::fuel`], [`Control::time_limit`].
    OutOfFuel(Diagnostic),
}

/// What a launch did.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Counts in total; distinct elements are summed over the buffers.
    pub counts: Counts,
    /// Counts by line, in order of lines; lines that did nothing are left out.
    pub lines: Vec<LineCounts>,
    /// Counts of each load and store of the source, in order of its text.
    pub accesses: Vec<AccessCounts>,
    /// Distinct elements of each buffer that was touched.
    pub footprints: Vec<BufferFootprint>,
    /// What the watched warp did, if the launch has it.
    pub trace: Option<Trace>,
    /// What the checks found.
    pub reports: Vec<Diagnostic>,
    /// What `printf` printed, in the order of `BlockText`.
    pub printed: String,
    /// What its threads launched, in order of blocks.
    pub launches: Vec<ChildLaunch>,
    /// How it ended.
    pub end: End,
}

impl Run {
    /// One that did nothing, and ended so.
    pub fn blank(end: End) -> Self {
        Run {
            counts: Counts::default(),
            lines: Vec::new(),
            accesses: Vec::new(),
            footprints: Vec::new(),
            trace: None,
            reports: Vec::new(),
            printed: String::new(),
            launches: Vec::new(),
            end,
        }
    }
}
