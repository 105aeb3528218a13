//! What the workers of a launch share: which blocks are left, and what comes of the launch.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::latch::{into_inner, lock};
use super::undefined::undefined;
use crate::ir::Kernel;
use crate::launch::Trace;
use crate::simt::count::{Footprints, WorkerCounters};
use crate::simt::fault;
use crate::simt::launch::{ChildLaunch, Control, End, LaunchProgress, Run};
use crate::simt::machine::{BlockText, Budget, Halt, Printed};
use crate::source::Diagnostic;

/// Neighbouring blocks mostly touch neighbouring memory, which is dear to share between threads: a
/// worker claims several at once where there are enough for so many claims each.
const CLAIMS_EACH: u64 = 32;
/// Most blocks of one claim.
const MOST_CLAIMED: u64 = 16;

/// What the workers of a launch share.
pub struct Grid<'a> {
    pub budget: Budget<'a>,
    time_limit: Option<Duration>,
    /// Blocks of the launch.
    pub blocks: u64,
    next_block: AtomicU64,
    /// Blocks that a worker claims at once.
    claim_blocks: u64,
    /// How the first block in order ended that has faulted.
    fault: Mutex<Option<End>>,
    trace: Mutex<Option<Trace>>,
    reports: Mutex<Vec<Diagnostic>>,
    printed: Mutex<Printed>,
    /// What blocks have launched, by their places in the order of blocks.
    launches: Mutex<BTreeMap<u64, Vec<ChildLaunch>>>,
}

impl<'a> Grid<'a> {
    /// A launch of so many blocks, of which none has run, on so many threads.
    pub fn new(control: &Control<'a>, blocks: u64, threads: u64, total: WorkerCounters) -> Self {
        let budget = Budget::new(control.cancel, control.fuel, total);
        Grid {
            budget: budget.within(control.time_limit).shared_by(threads),
            time_limit: control.time_limit,
            blocks,
            next_block: AtomicU64::new(0),
            // Small claims keep one worker from being left with many blocks at the end, while others idle.
            claim_blocks: (blocks / (threads * CLAIMS_EACH)).clamp(1, MOST_CLAIMED),
            fault: Mutex::default(),
            trace: Mutex::default(),
            reports: Mutex::default(),
            printed: Mutex::default(),
            launches: Mutex::default(),
        }
    }

    /// The next blocks to run, in order; none when there are no more.
    pub fn claim(&self) -> Range<u64> {
        let first = self.next_block.fetch_add(self.claim_blocks, Relaxed);
        // The last claim may be shorter; those after it are empty.
        first.min(self.blocks)..(first + self.claim_blocks).min(self.blocks)
    }

    /// The block at `turn` in the order of blocks did not come to its end.
    pub fn halt(&self, turn: u64, halt: Halt) {
        let end = match halt {
            Halt::Stopped => return,
            Halt::Fault(fault) => End::Fault(*fault),
            Halt::OutOfFuel(fault) => End::OutOfFuel(*fault),
        };
        // The lock is taken first, so that of two faults the earlier block's is kept.
        let mut first = lock(&self.fault);
        if self.budget.fault_at(turn) {
            *first = Some(end);
        }
    }

    /// Keeps what the watched warp did.
    pub fn keep_trace(&self, trace: Option<Trace>) {
        // Every worker comes here after every block; only one of them ran the watched one.
        if trace.is_some() {
            *lock(&self.trace) = trace;
        }
    }

    /// Keeps what a block has printed.
    pub fn keep_printed(&self, turn: u64, text: BlockText) {
        // Most kernels print nothing: the lock would be taken once a block for it.
        if text.end() > 0 {
            lock(&self.printed).add(turn, text);
        }
    }

    /// Keeps what a block has launched.
    pub fn keep_launches(&self, turn: u64, launches: Vec<ChildLaunch>) {
        if !launches.is_empty() {
            lock(&self.launches).insert(turn, launches);
        }
    }

    /// Keeps what a worker's checks have found.
    pub fn keep_reports(&self, reports: Vec<Diagnostic>) {
        lock(&self.reports).extend(reports);
    }

    /// How far the launch is.
    pub fn progress(&self, kernel: &Kernel) -> LaunchProgress {
        let total = self.budget.total();
        let (counts, lines) = total.counts(kernel);
        LaunchProgress {
            blocks_done: total.blocks,
            blocks: self.blocks,
            counts,
            lines,
        }
    }

    /// What the launch did, when all workers have left; `touched` is what it touched, and `found` what is to be said of
    /// it besides.
    pub fn end(self, kernel: &Kernel, touched: &Footprints, found: Vec<Diagnostic>) -> Run {
        // Somebody who stops a launch is not told that it was slow.
        let late = self.time_limit.filter(|_| self.budget.is_late());
        let total = self.budget.into_total();
        let (counts, lines) = total.counts(kernel);
        let undefined = undefined(kernel, &total.undefined);
        let end = match into_inner(self.fault) {
            Some(fault) => fault,
            // Cancelling a launch whose last block has just ended changes nothing.
            None if total.blocks == self.blocks => End::Finished,
            None => late.map_or(End::Cancelled, |limit| {
                End::OutOfFuel(fault::out_of_time(kernel, limit))
            }),
        };
        Run {
            counts,
            lines,
            accesses: total.accesses(kernel),
            footprints: total.footprints(touched),
            trace: into_inner(self.trace),
            reports: [into_inner(self.reports), found, undefined].concat(),
            printed: into_inner(self.printed).into_text(),
            launches: into_inner(self.launches).into_values().flatten().collect(),
            end,
        }
    }
}
