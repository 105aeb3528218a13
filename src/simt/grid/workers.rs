//! A launch: blocks handed to worker threads in order, counters gathered, ends agreed on.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::latch::{Gate, into_inner, lock};
use super::observers::Watchers;
use crate::ir::Kernel;
use crate::launch::{Counts, Trace};
use crate::memory::{AccessLog, LogQueue};
use crate::simt::batch::{Neighbours, plan_neighbours};
use crate::simt::count::{Footprints, Tally};
use crate::simt::execute::Printed;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::{Checks, Control, End, Launch, LaunchProgress, Run};
use crate::simt::machine::{Halt, Machine};
use crate::simt::machine::{Nobody, Observer};
use crate::simt::program::Program;
use crate::simt::program::Stretches;
use crate::simt::schedule::block_at_turn;
use crate::source::Diagnostic;

/// Instructions that a worker draws at once: it looks for cancellation as often, which at the
/// slowest (scattered accesses, some 300 ns each) is about once a millisecond.
const LEASE_INSTRUCTIONS: u64 = 4096;
/// Neighbouring blocks mostly touch neighbouring memory, which is dear to share between threads: a
/// worker claims several at once where there are enough for so many claims each.
const CLAIMS_EACH: u64 = 32;
/// Most blocks of one claim.
const MOST_CLAIMED: u64 = 16;
/// How often a worker adds its counters to the total.
const REPORT_EVERY: Duration = Duration::from_millis(4);
/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(16);

/// What the workers of a launch share.
pub struct Grid<'a> {
    cancel: &'a AtomicBool,
    /// Warp instructions that the launch may take.
    fuel: u64,
    fuel_left: AtomicU64,
    blocks: u64,
    next_block: AtomicU64,
    /// Blocks that a worker claims at once.
    claim_blocks: u64,
    /// First block in order that has faulted; blocks before it go on, for one of them may too.
    fault_block: AtomicU64,
    fault: Mutex<Option<End>>,
    trace: Mutex<Option<Trace>>,
    reports: Mutex<Vec<Diagnostic>>,
    printed: Mutex<Printed>,
    total: Mutex<Tally>,
}

impl<'a> Grid<'a> {
    fn new(control: &Control<'a>, blocks: u64, workers: u64, total: Tally) -> Self {
        Grid {
            cancel: control.cancel,
            fuel: control.fuel,
            fuel_left: AtomicU64::new(control.fuel),
            blocks,
            next_block: AtomicU64::new(0),
            claim_blocks: (blocks / (workers * CLAIMS_EACH)).clamp(1, MOST_CLAIMED),
            fault_block: AtomicU64::new(u64::MAX),
            fault: Mutex::new(None),
            trace: Mutex::new(None),
            reports: Mutex::new(Vec::new()),
            printed: Mutex::default(),
            total: Mutex::new(total),
        }
    }

    /// The next blocks to run, in order; none when there are no more.
    fn claim(&self) -> Range<u64> {
        let first = self.next_block.fetch_add(self.claim_blocks, Relaxed);
        first.min(self.blocks)..(first + self.claim_blocks).min(self.blocks)
    }

    /// Whether block `block` need not be run.
    fn is_stopped(&self, block: u64) -> bool {
        self.cancel.load(Relaxed) || self.fault_block.load(Relaxed) < block
    }

    fn report(&self, block: u64, halt: Halt) {
        let end = match halt {
            Halt::Stopped => return,
            Halt::Fault(fault) => End::Fault(*fault),
            Halt::OutOfFuel(fault) => End::OutOfFuel(*fault),
        };
        let mut first = lock(&self.fault);
        if block < self.fault_block.load(Relaxed) {
            self.fault_block.store(block, Relaxed);
            *first = Some(end);
        }
    }

    fn progress(&self, kernel: &Kernel) -> LaunchProgress {
        let total = lock(&self.total);
        let (counts, lines) = total.counts(kernel);
        LaunchProgress {
            blocks_done: total.blocks,
            blocks: self.blocks,
            counts,
            lines,
        }
    }

    fn end(self, kernel: &Kernel) -> Run {
        let total = into_inner(self.total);
        let (counts, lines) = total.counts(kernel);
        let end = match into_inner(self.fault) {
            Some(fault) => fault,
            None if total.blocks == self.blocks => End::Finished,
            None => End::Cancelled,
        };
        Run {
            counts,
            lines,
            accesses: total.accesses(kernel),
            footprints: total.footprints(),
            trace: into_inner(self.trace),
            reports: into_inner(self.reports),
            printed: into_inner(self.printed).into_lines(),
            end,
        }
    }
}

/// Instructions that a worker may still run before it must look up.
pub struct Lease<'a> {
    grid: &'a Grid<'a>,
    left: u64,
    drawn: u64,
    reported: Instant,
}

impl<'a> Lease<'a> {
    /// An empty lease.
    pub fn new(grid: &'a Grid<'a>) -> Self {
        Lease {
            grid,
            left: 0,
            drawn: 0,
            reported: Instant::now(),
        }
    }

    /// Takes so many instructions, if they are left.
    #[inline(always)]
    pub fn take(&mut self, instructions: u64) -> bool {
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
            self.grid.fuel_left.fetch_add(self.left, Relaxed);
            self.drawn -= self.left;
            self.left = 0;
        }
    }

    /// Whether block `block` need not go on.
    pub fn is_stopped(&self, block: u64) -> bool {
        self.grid.is_stopped(block)
    }

    /// Draws more instructions, if there are any.
    pub fn renew(&mut self) {
        let draw = |left: u64| (left > 0).then(|| left - left.min(LEASE_INSTRUCTIONS));
        let before = self.grid.fuel_left.fetch_update(Relaxed, Relaxed, draw);
        let drawn = before.map_or(0, |left| left.min(LEASE_INSTRUCTIONS));
        self.left += drawn;
        self.drawn += drawn;
    }

    /// Instructions taken so far.
    pub fn taken(&self) -> u64 {
        self.drawn - self.left
    }

    /// The launch's fuel.
    pub fn fuel(&self) -> u64 {
        self.grid.fuel
    }

    /// Whether the counters were not added to the total lately.
    pub fn owes_a_report(&self) -> bool {
        self.reported.elapsed() >= REPORT_EVERY
    }

    /// Adds the counters to the total.
    pub fn report(&mut self, tally: &mut Tally, stretches: &Stretches) {
        tally.flush_into(&mut lock(&self.grid.total), stretches);
        self.reported = Instant::now();
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.grid.fuel_left.fetch_add(self.left, Relaxed);
    }
}

/// Runs a launch over `memory` to its end. Never panics on what a kernel does; a launch of a shape
/// that CUDA refuses ends in a fault.
pub fn run(launch: &Launch<'_>, memory: &GlobalMemory, control: &Control<'_>) -> Run {
    let mut program = match Program::new(launch, 1) {
        Ok(program) => program,
        Err(fault) => return refused(fault),
    };
    program.plan_gangs(launch);
    let in_order = control.schedule.is_some() || control.checks != Checks::NONE;
    // A log is of one block.
    let broad = if in_order || control.logs.is_some() {
        None
    } else {
        plan_neighbours(launch, &program)
    };
    let footprints = Footprints::new(launch.kernel, memory);
    let blocks = program.geometry.blocks();
    let threads = if in_order { 1 } else { control.threads.max(1) };
    let workers = (threads as u64).min(blocks);
    let total = Tally::new(launch.kernel, program.stretches.len(), memory);
    let grid = Grid::new(control, blocks, workers, total);
    let gate = Gate::new(workers);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let _leaving = gate.pass();
                let programs = (&program, broad.as_ref());
                work(programs, memory, &footprints, &grid, control);
            });
        }
        while gate.wait(PROGRESS_EVERY) {
            (control.progress)(grid.progress(launch.kernel));
        }
    });
    (control.progress)(grid.progress(launch.kernel));
    grid.end(launch.kernel)
}

/// Runs one block alone on this thread, for an observer; ends early when `stop` becomes true.
pub fn run_alone<O: Observer>(
    program: &Program<'_>,
    memory: &GlobalMemory,
    block: u64,
    fuel: u64,
    stop: &AtomicBool,
    observer: &mut O,
) -> Result<(), Halt> {
    let control = Control {
        cancel: stop,
        progress: &|_| {},
        threads: 1,
        fuel,
        watch: None,
        trace_steps: 0,
        checks: Checks::NONE,
        schedule: None,
        logs: None,
    };
    let footprints = Footprints::new(program.kernel, memory);
    let total = Tally::new(program.kernel, program.stretches.len(), memory);
    let grid = Grid::new(&control, 1, 1, total);
    Machine::new(program, memory, &footprints, &grid).run_block(0, block, observer)
}

fn refused(fault: Diagnostic) -> Run {
    Run {
        counts: Counts::default(),
        lines: Vec::new(),
        accesses: Vec::new(),
        footprints: Vec::new(),
        trace: None,
        reports: Vec::new(),
        printed: Vec::new(),
        end: End::Fault(fault),
    }
}

/// Runs blocks until there are no more.
fn work(
    (program, broad): (&Program<'_>, Option<&Program<'_>>),
    memory: &GlobalMemory,
    footprints: &Footprints,
    grid: &Grid<'_>,
    control: &Control<'_>,
) {
    let mut machine = Machine::new(program, memory, footprints, grid);
    let broad = broad.map(|broad| Machine::new(broad, memory, footprints, grid));
    let mut neighbours = broad.map(Neighbours::new);
    let mut logs = Logs {
        queue: control.logs,
        owed: false,
    };
    let mut watchers = Watchers::new(program, control);
    let watched = control
        .watch
        .filter(|watch| (watch.warp as usize) < program.geometry.warps());
    let is_watched =
        |block: u64| watched.is_some_and(|watch| watch.block == program.geometry.block_at(block));
    let mut claimed = 0..0;
    loop {
        if claimed.is_empty() {
            claimed = grid.claim();
            neighbours.iter_mut().for_each(Neighbours::report);
        }
        let Some(turn) = claimed.next() else {
            break;
        };
        logs.owed = true;
        if grid.is_stopped(turn) {
            break;
        }
        if let Some(neighbours) = &mut neighbours {
            let is_looked_at = |block| watchers.look() || is_watched(block);
            match neighbours.run(turn, &mut claimed, is_looked_at) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(_) => break,
            }
        }
        let block = control
            .schedule
            .map_or(turn, |seed| block_at_turn(seed, turn, grid.blocks));
        if let Some(watch) = watched.filter(|_| is_watched(block)) {
            watchers.trace(watch, control.trace_steps);
        }
        machine.log = logs.blank(program.geometry.warps());
        let result = if watchers.look() {
            machine.run_block(turn, block, &mut watchers)
        } else {
            machine.run_block(turn, block, &mut Nobody)
        };
        if let Some(trace) = watchers.take_trace() {
            *lock(&grid.trace) = Some(trace);
        }
        if !machine.printed.is_empty() {
            let text = std::mem::take(&mut machine.printed);
            lock(&grid.printed).add(turn, text);
        }
        match result {
            Ok(()) => logs.deliver(turn, machine.log.take()),
            Err(halt) => {
                grid.report(turn, halt);
                break;
            }
        }
    }
    for mut machine in [Some(machine), neighbours.map(Neighbours::into_machine)]
        .into_iter()
        .flatten()
    {
        machine.settle_strides();
        let stretches = &program.stretches;
        machine.tally.flush_into(&mut lock(&grid.total), stretches);
    }
    lock(&grid.reports).extend(watchers.into_reports());
}

/// The logs that a worker owes, if anybody wants them.
struct Logs<'a> {
    queue: Option<&'a LogQueue>,
    /// A block has begun and its log has not been delivered.
    owed: bool,
}

impl Logs<'_> {
    fn blank(&self, warps: usize) -> Option<AccessLog> {
        self.queue.map(|queue| queue.blank(warps))
    }

    fn deliver(&mut self, block: u64, log: Option<AccessLog>) {
        if let (Some(queue), Some(log)) = (self.queue, log) {
            queue.deliver(block, log);
        }
        self.owed = false;
    }
}

impl Drop for Logs<'_> {
    /// A worker that stops or panics inside a block leaves nobody waiting for its log.
    fn drop(&mut self) {
        if let (Some(queue), true) = (self.queue, self.owed) {
            queue.close();
        }
    }
}
