//! Runs a launch: hands its blocks to worker threads, tells progress, and gathers what comes of it.

use std::ops::Range;
use std::time::Duration;

use super::cooperative::Cooperative;
use super::latch::Latch;
use super::observers::Observers;
use super::overruns::overruns;
use super::shared::Grid;
use crate::ir::Op;
use crate::launch::Watch;
use crate::memory::{AccessLog, LogQueue};
use crate::simt::batch::{
    AdjacentBlocks, BatchMachine, BatchPlan, conflicts, plan_adjacent_blocks,
};
use crate::simt::count::{Footprints, WorkerCounters};
use crate::simt::execute::Turns;
use crate::simt::fault;
use crate::simt::global_memory::GlobalMemory;
use crate::simt::launch::{Checks, Control, End, Launch, Run};
use crate::simt::machine::{Halt, MOST_MACHINE_BYTES, Machine, Nobody, machine_bytes};
use crate::simt::program::{Conflicts, Program};
use crate::simt::schedule::block_at_turn;
use crate::source::Diagnostic;

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(16);

/// Most bytes of the machines of blocks that wait for each other.
const MOST_TOGETHER_BYTES: u64 = 2 << 30;

/// Most warp instructions of a launch that the calling thread runs itself: about as long as threads take to begin.
const MOST_BRIEF: u64 = 20_000;

/// A launch made ready for its workers.
struct Prepared<'a> {
    program: Program<'a>,
    /// How batches run it; nothing where warps must go one after the other.
    plan: Option<BatchPlan>,
    /// The same for adjacent blocks side by side, where that pays.
    side_by_side: Option<(Program<'a>, BatchPlan)>,
    footprints: Footprints,
    /// What may conflict, if somebody checks the launch or wants another order.
    conflicts: Conflicts,
    /// Whether blocks must go one after the other: somebody looks on, or takes their logs in another order.
    in_order: bool,
}

impl<'a> Prepared<'a> {
    /// Plans a launch; with adjacent blocks side by side if nobody looks on.
    fn new(
        launch: &Launch<'a>,
        memory: &GlobalMemory,
        control: &Control<'_>,
    ) -> Result<Self, Diagnostic> {
        let mut program = Program::new(launch, 1)?;
        let each = machine_bytes(launch.kernel, launch.block, launch.dynamic_shared_bytes);
        let blocks = program.geometry.blocks();
        // A GPU refuses a cooperative grid that is not resident at once; here memory is what bounds it.
        if launch.kernel.waits_for_grid() && each.saturating_mul(blocks) > MOST_TOGETHER_BYTES {
            return Err(fault::too_many_together(launch.kernel, blocks));
        }
        let plan = BatchPlan::new(launch, &mut program);
        let is_asked = control.schedule.is_some() || control.checks != Checks::NONE;
        let conflicts = match plan.as_ref().filter(|_| is_asked) {
            Some(plan) => conflicts(launch, plan, memory),
            None => Conflicts::unknown(launch.kernel),
        };
        let in_order = Observers::new(&program, control, &conflicts).observe()
            || (control.schedule.is_some() && control.logs.is_some());
        let joined = plan.as_ref().filter(|_| !in_order);
        Ok(Prepared {
            side_by_side: joined.and_then(|plan| plan_adjacent_blocks(launch, &program, plan)),
            plan,
            footprints: Footprints::new(launch.kernel, memory),
            program,
            conflicts,
            in_order,
        })
    }

    /// What each worker does.
    fn work(&self, memory: &GlobalMemory, grid: &Grid<'_>, control: &Control<'_>) {
        if !self.program.kernel.waits_for_grid() {
            return Worker::new(self, memory, grid, control).work();
        }
        let together = Cooperative {
            program: &self.program,
            memory,
            footprints: &self.footprints,
            grid,
        };
        together.run(control);
    }
}

/// Runs a launch over `memory` to its end. Never panics on what a kernel does; a launch of a shape
/// that CUDA refuses ends in a fault.
pub fn run(launch: &Launch<'_>, memory: &GlobalMemory, control: &Control<'_>) -> Run {
    let prepared = match Prepared::new(launch, memory, control) {
        Ok(prepared) => prepared,
        Err(fault) => return refused(fault),
    };
    let program = &prepared.program;
    let blocks = program.geometry.blocks();
    // Checks and schedules need one order of blocks.
    let threads = if prepared.in_order {
        1
    } else {
        control.threads
    };
    let is_brief = is_brief(launch, blocks);
    let workers = match is_brief {
        true => 1,
        false => worker_count(launch, threads, blocks),
    };
    let total = WorkerCounters::new(launch.kernel, program.basic_blocks.len(), memory);
    // Blocks that wait for each other have threads of their own.
    let sharers = match launch.kernel.waits_for_grid() {
        true => control.threads.max(1) as u64,
        false => workers,
    };
    let grid = Grid::new(control, blocks, sharers, total);
    match is_brief {
        true => prepared.work(memory, &grid, control),
        false => run_on_threads(workers, &prepared, memory, &grid, control),
    }
    // Once at the end, or a short launch would never have told any.
    (control.progress)(grid.progress(launch.kernel));
    let touched = &prepared.footprints;
    let found = overruns(launch.kernel, memory, touched);
    grid.end(launch.kernel, touched, found)
}

/// Runs a launch on so many threads of its own, and tells progress until they have left.
fn run_on_threads(
    workers: u64,
    prepared: &Prepared<'_>,
    memory: &GlobalMemory,
    grid: &Grid<'_>,
    control: &Control<'_>,
) {
    let latch = Latch::new(workers);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let _leaving = latch.worker();
                prepared.work(memory, grid, control);
            });
        }
        while latch.wait(PROGRESS_EVERY) {
            (control.progress)(grid.progress(prepared.program.kernel));
        }
    });
}

/// Whether a launch of so many blocks surely ends before anybody would see its progress: without a loop or a call, each
/// warp runs each instruction at most once.
pub fn is_brief(launch: &Launch<'_>, blocks: u64) -> bool {
    let kernel = launch.kernel;
    let may_repeat = |op| matches!(op, Op::Jump | Op::Call);
    if kernel.waits_for_grid() || kernel.code.iter().any(|i| may_repeat(i.op)) {
        return false;
    }
    let threads: u64 = launch.block.iter().map(|&count| u64::from(count)).product();
    let warps = threads.div_ceil(32).saturating_mul(blocks);
    warps.saturating_mul(kernel.code.len() as u64) <= MOST_BRIEF
}

/// So many workers as there are threads, if each has a block to run and memory for its machine; one for blocks that
/// wait for each other, which has threads of its own.
fn worker_count(launch: &Launch<'_>, threads: usize, blocks: u64) -> u64 {
    if launch.kernel.waits_for_grid() {
        return 1;
    }
    let each = machine_bytes(launch.kernel, launch.block, launch.dynamic_shared_bytes);
    // One worker at least, however large its machine: its size was checked before.
    let affordable = (MOST_MACHINE_BYTES / each.max(1)).max(1);
    (threads.max(1) as u64).min(blocks).min(affordable)
}

/// A launch that never began.
fn refused(fault: Diagnostic) -> Run {
    Run::blank(End::Fault(fault))
}

/// What runs single blocks: batch by batch where warps may, or warp by warp.
enum BlockRunner<'a> {
    Batches(Box<BatchMachine<'a>>),
    Warps(Box<Machine<'a>>),
}

impl<'a> BlockRunner<'a> {
    /// The plain machine inside.
    fn machine(&mut self) -> &mut Machine<'a> {
        match self {
            BlockRunner::Batches(batches) => &mut batches.machine,
            BlockRunner::Warps(machine) => machine,
        }
    }

    /// Runs a block, of which observers see each instruction, those that they want, or nothing.
    fn run(&mut self, turn: u64, block: u64, observers: &mut Observers<'_>) -> Result<(), Halt> {
        let observe = observers.observe();
        match self {
            BlockRunner::Batches(batches) if !observe => batches.run_in_batches(turn, block),
            BlockRunner::Batches(batches) if !observers.trace_next() => {
                batches.scalar.clear();
                batches.run_block(turn, block, observers)
            }
            _ if observe => self.machine().run_block(turn, block, observers),
            _ => self.machine().run_block(turn, block, &mut Nobody),
        }
    }
}

/// One thread of a launch: runs blocks until there are no more.
struct Worker<'a> {
    grid: &'a Grid<'a>,
    control: &'a Control<'a>,
    program: &'a Program<'a>,
    /// Seed of the order of blocks, if anybody could see another.
    schedule: Option<u64>,
    runner: BlockRunner<'a>,
    adjacent: Option<AdjacentBlocks<'a>>,
    observers: Observers<'a>,
    logs: Logs<'a>,
    /// The warp to trace, if the launch has it.
    watched: Option<Watch>,
}

impl<'a> Worker<'a> {
    fn new(
        prepared: &'a Prepared<'a>,
        memory: &'a GlobalMemory,
        grid: &'a Grid<'a>,
        control: &'a Control<'a>,
    ) -> Self {
        let program = &prepared.program;
        let machine = |program| Machine::new(program, memory, &prepared.footprints, &grid.budget);
        let side_by_side = prepared.side_by_side.as_ref();
        Worker {
            grid,
            control,
            program,
            schedule: control.schedule.filter(|_| prepared.in_order),
            runner: match &prepared.plan {
                Some(plan) => {
                    BlockRunner::Batches(Box::new(BatchMachine::new(machine(program), plan)))
                }
                None => BlockRunner::Warps(Box::new(machine(program))),
            },
            adjacent: side_by_side.map(|(program, plan)| {
                AdjacentBlocks::new(BatchMachine::new(machine(program), plan), control.logs)
            }),
            observers: Observers::new(program, control, &prepared.conflicts),
            logs: Logs {
                queue: control.logs,
                owed: false,
            },
            watched: control
                .watch
                .filter(|watch| (watch.warp as usize) < program.geometry.warps()),
        }
    }

    /// Runs blocks until there are no more, or the launch ends.
    fn work(mut self) {
        let mut claimed = 0..0;
        loop {
            if claimed.is_empty() {
                claimed = self.grid.claim();
                // Between claims nothing can be taken back any more, so what was counted may be shown.
                self.adjacent.iter_mut().for_each(AdjacentBlocks::report);
            }
            let Some(turn) = claimed.next() else {
                break;
            };
            self.logs.owed = true;
            // After `owed`: whoever waits for this block's log must learn that none will come.
            if self.grid.budget.is_stopped(turn) {
                break;
            }
            match self.run_adjacent(turn, &mut claimed) {
                Ok(true) => {
                    self.logs.owed = false;
                    continue;
                }
                Ok(false) => {}
                Err(_) => break,
            }
            if let Err(halt) = self.run_block(turn) {
                self.grid.halt(turn, halt);
                break;
            }
        }
        self.leave();
    }

    /// Runs the block at `turn` and those after it side by side, where they may; whether it has.
    fn run_adjacent(&mut self, turn: u64, claimed: &mut Range<u64>) -> Result<bool, Halt> {
        let Some(adjacent) = &mut self.adjacent else {
            return Ok(false);
        };
        let (observers, watched, program) = (&self.observers, self.watched, self.program);
        let is_observed = |block| observers.observe() || is_watched(watched, program, block);
        adjacent.run(turn, claimed, is_observed)
    }

    /// Runs the block at `turn` in the order of blocks.
    fn run_block(&mut self, turn: u64) -> Result<(), Halt> {
        let block = self
            .schedule
            .map_or(turn, |seed| block_at_turn(seed, turn, self.grid.blocks));
        let is_watched = is_watched(self.watched, self.program, block);
        if let Some(watch) = self.watched.filter(|_| is_watched) {
            self.observers.trace(watch, self.control.trace_steps);
        }
        // A log of its own for each block: it is handed over when the block has ended.
        let log = self.logs.blank(self.program.geometry.warps());
        let output = &mut self.runner.machine().output;
        (output.log, output.queue) = (log, self.logs.queue);
        let result = self.runner.run(turn, block, &mut self.observers);
        let output = std::mem::take(&mut self.runner.machine().output);
        self.grid.keep_trace(self.observers.take_trace());
        self.grid.keep_printed(turn, output.printed);
        self.grid.keep_launches(turn, output.launches);
        if result.is_ok() {
            self.logs.deliver(turn, output.log);
        }
        result
    }

    /// Adds what was counted to the total.
    fn leave(mut self) {
        let blocks = &self.program.basic_blocks;
        // Ranges of elements are noted late; what is still open would be missing from the totals.
        match &mut self.runner {
            BlockRunner::Batches(batches) => batches.settle_footprints(),
            BlockRunner::Warps(machine) => machine.settle_footprints(),
        }
        let mut total = self.grid.budget.total();
        self.runner.machine().tally.flush_into(&mut total, blocks);
        if let Some(adjacent) = self.adjacent {
            let mut batches = adjacent.into_batch();
            batches.settle_footprints();
            batches.machine.tally.flush_into(&mut total, blocks);
        }
        self.grid.keep_reports(self.observers.into_reports());
    }
}

fn is_watched(watched: Option<Watch>, program: &Program<'_>, block: u64) -> bool {
    watched.is_some_and(|watch| watch.block == program.geometry.block_at(block))
}

/// The logs that a worker owes, if anybody wants them.
struct Logs<'a> {
    queue: Option<&'a LogQueue>,
    /// A block has begun and its log has not been delivered.
    owed: bool,
}

impl Logs<'_> {
    fn blank(&self, warps: usize) -> Option<AccessLog> {
        self.queue.and_then(|queue| queue.blank(warps))
    }

    fn deliver(&mut self, block: u64, log: Option<AccessLog>) {
        // Without a log the queue has given up.
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
