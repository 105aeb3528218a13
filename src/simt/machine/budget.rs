//! What the machines of a launch share while they run: how many instructions are left, whether
//! they must stop, and the total of their counters. Each machine draws instructions by the thousand,
//! so that the shared numbers are touched rarely.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::simt::count::WorkerCounters;
use crate::simt::program::BasicBlocks;
use crate::source::Deadline;

/// Instructions that a worker draws at once: it looks for cancellation as often, which at the
/// slowest (scattered accesses, some 300 ns each) is about once a millisecond.
const LEASE_INSTRUCTIONS: u64 = 4096;
/// How often a worker adds its counters to the total.
const REPORT_EVERY: Duration = Duration::from_millis(4);
/// What the machines of a launch share.
pub struct Budget<'a> {
    cancel: &'a AtomicBool,
    /// Warp instructions that the launch may take.
    fuel: u64,
    fuel_left: AtomicU64,
    /// When the launch must have ended.
    deadline: Deadline,
    /// First block in order that has faulted, or `u64::MAX`; blocks before it go on, for one of them
    /// may fault too, and it is the first that is told.
    faulted_block: AtomicU64,
    /// Threads that run its blocks.
    threads: u64,
    total: Mutex<WorkerCounters>,
}

impl<'a> Budget<'a> {
    /// So much fuel, with counters at zero; `cancel` ends the launch.
    pub fn new(cancel: &'a AtomicBool, fuel: u64, total: WorkerCounters) -> Self {
        Budget {
            cancel,
            fuel,
            fuel_left: AtomicU64::new(fuel),
            deadline: Deadline::default(),
            faulted_block: AtomicU64::new(u64::MAX),
            threads: 1,
            total: Mutex::new(total),
        }
    }

    /// The same, but no longer than this from now on.
    pub fn within(self, time_limit: Option<Duration>) -> Self {
        Budget {
            deadline: Deadline::within(time_limit),
            ..self
        }
    }

    /// The same, shared by so many threads.
    pub fn shared_by(self, threads: u64) -> Self {
        Budget { threads, ..self }
    }

    /// Whether the time is over.
    pub fn is_late(&self) -> bool {
        self.deadline.is_past()
    }

    /// Whether the block at `turn` in the order of blocks need not be run.
    pub fn is_stopped(&self, turn: u64) -> bool {
        // The clock last: reading it costs more than the two loads.
        self.cancel.load(Relaxed) || self.faulted_block.load(Relaxed) < turn || self.is_late()
    }

    /// Notes that a block has faulted; whether it is the first in order so far.
    pub fn fault_at(&self, turn: u64) -> bool {
        self.faulted_block.fetch_min(turn, Relaxed) > turn
    }

    /// The counters so far.
    pub fn total(&self) -> MutexGuard<'_, WorkerCounters> {
        // A poisoned lock means that a worker panicked, which ends the launch when it is joined.
        self.total.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counters when all machines have ended.
    pub fn into_total(self) -> WorkerCounters {
        self.total
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Instructions that a machine may still run before it must look up.
pub struct Lease<'a> {
    budget: &'a Budget<'a>,
    left: u64,
    drawn: u64,
    reported: Instant,
    /// The running block's place in the order of blocks.
    turn: u64,
    /// What had been taken when it began.
    taken_before: u64,
}

impl<'a> Lease<'a> {
    /// An empty lease.
    pub fn new(budget: &'a Budget<'a>) -> Self {
        Lease {
            budget,
            left: 0,
            drawn: 0,
            reported: Instant::now(),
            turn: 0,
            taken_before: 0,
        }
    }

    /// A block begins.
    pub fn begin_block(&mut self, turn: u64) {
        (self.turn, self.taken_before) = (turn, self.taken());
    }

    /// Takes so many instructions, if they are left.
    #[inline(always)]
    pub fn take(&mut self, instructions: u64) -> bool {
        // All or nothing: a batch that took what was left of its need would have to give it back.
        let rest = self.left.checked_sub(instructions);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    /// Gives back instructions that were taken and did not run.
    pub fn give_back(&mut self, instructions: u64) {
        self.left += instructions;
    }

    /// Returns all that has not been taken.
    pub fn return_rest(&mut self) {
        if self.left > 0 {
            self.budget.fuel_left.fetch_add(self.left, Relaxed);
            // `taken` is the difference of the two, and must not change by this.
            self.drawn -= self.left;
            self.left = 0;
        }
    }

    /// Whether no other thread runs blocks of the launch.
    pub fn is_alone(&self) -> bool {
        self.budget.threads == 1
    }

    /// Whether the running block need not go on.
    pub fn is_stopped(&self) -> bool {
        self.budget.is_stopped(self.turn)
    }

    /// The running block's place in the order of blocks.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Draws more instructions, if there are any.
    pub fn renew(&mut self) {
        // Exactly the fuel of the launch is given out, however many threads draw.
        let draw = |left: u64| (left > 0).then(|| left - left.min(LEASE_INSTRUCTIONS));
        let before = self.budget.fuel_left.fetch_update(Relaxed, Relaxed, draw);
        let drawn = before.map_or(0, |left| left.min(LEASE_INSTRUCTIONS));
        self.left += drawn;
        self.drawn += drawn;
    }

    /// Instructions taken so far.
    pub fn taken(&self) -> u64 {
        self.drawn - self.left
    }

    /// Instructions that the running block has taken.
    pub fn taken_in_block(&self) -> u64 {
        self.taken() - self.taken_before
    }

    /// The launch's fuel.
    pub fn fuel(&self) -> u64 {
        self.budget.fuel
    }

    /// Whether the counters were not added to the total lately.
    pub fn owes_a_report(&self) -> bool {
        self.reported.elapsed() >= REPORT_EVERY
    }

    /// Adds the counters to the total.
    pub fn report(&mut self, tally: &mut WorkerCounters, basic_blocks: &BasicBlocks) {
        tally.flush_into(&mut self.budget.total(), basic_blocks);
        self.reported = Instant::now();
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.budget.fuel_left.fetch_add(self.left, Relaxed);
    }
}
