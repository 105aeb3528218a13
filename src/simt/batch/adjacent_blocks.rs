//! Adjacent blocks that run side by side, as one scalarised batch, where nobody can tell: blocks of a
//! few instructions cost less so than one after the other.
//!
//! They are run to their end, or not at all: where they diverge, fault or lack fuel, all that was
//! counted is taken back and the blocks run one after the other. Nothing that they store is loaded by
//! anybody, so that running again does no harm.

use std::ops::Range;

use super::dependence::Lockstep;
use super::pattern_cache::MAX_BLOCK_WARPS;
use super::plan::BatchPlan;
use super::state::{BatchMachine, Outcome};
use crate::ir::Op;
use crate::launch::WARP_LANES;
use crate::memory::{AccessLog, LogQueue};
use crate::simt::launch::Launch;
use crate::simt::machine::Halt;
use crate::simt::program::{Action, Program, action};

/// Their registers should stay in the processor's first cache, but for half of it.
const MOST_REGISTER_BYTES: usize = 24 << 10;
/// Few enough blocks may have more, in the second cache: so many warps at once, whose rows of memory the first one still has
/// room for.
const MOST_BYTES_OF_FEW: usize = 96 << 10;
const FEW_WARPS: usize = 16;
/// Blocks of a launch, for each that runs side by side, that make planning them worth while.
const LEAST_TURNS: u64 = 16;
/// Times that adjacent blocks may diverge, beyond one of so many times that they do not.
const PATIENCE: u32 = 4;
const ONE_OF: u32 = 8;

/// What runs blocks side by side.
pub struct AdjacentBlocks<'a> {
    batch: BatchMachine<'a>,
    /// Who wants the accesses of each block.
    queue: Option<&'a LogQueue>,
    /// Those of blocks side by side.
    log: Option<AccessLog>,
    /// How often they have come to their end so.
    ended: u32,
    /// How often they have not.
    gave_up: u32,
    /// Blocks before this one are run one after the other.
    alone_until: u64,
}

/// A launch made ready for blocks side by side, if they may be; `program` and `plan` are those of
/// single blocks.
pub fn plan_adjacent_blocks<'a>(
    launch: &Launch<'a>,
    program: &Program<'a>,
    plan: &BatchPlan,
) -> Option<(Program<'a>, BatchPlan)> {
    let count = count(program, plan)?;
    if program.geometry.blocks() < LEAST_TURNS * count as u64 {
        return None;
    }
    let mut program = Program::new(launch, count).ok()?;
    let plan = BatchPlan::new(launch, &mut program)?;
    Some((program, plan))
}

/// How many blocks may go side by side.
fn count(program: &Program<'_>, plan: &BatchPlan) -> Option<usize> {
    let (kernel, geometry) = (program.kernel, &program.geometry);
    let is_plain = |op: Op| match action(op) {
        Action::Lanes(_) | Action::Exchange => true,
        Action::Access => matches!(op, Op::Load | Op::Store),
        // Warps of different blocks would wait for each other at one barrier.
        Action::Control => !matches!(op, Op::Barrier | Op::BarrierVote),
        // Running again, as is done where blocks diverge, must leave the same: an addition would not.
        Action::Atomic | Action::BlockWide => false,
    };
    let warps = geometry.warps();
    let are_alike = (1..warps).all(|warp| geometry.lanes(warp) == geometry.lanes(0));
    // Blocks know no order: what one loads another must not store.
    let is_free = plan.dependences.lockstep[0] == Lockstep::Allowed
        && kernel.code.iter().all(|i| is_plain(i.op));
    // One machine has one shared memory, and blocks have one each.
    let owns_memory = program.shared_bytes > 0 || kernel.memory.local_bytes > 0;
    if !is_free || !are_alike || owns_memory {
        return None;
    }
    let registers = plan.scalar.registers_of_each_warp().max(1);
    let bytes = registers * size_of::<[u32; WARP_LANES]>() * warps;
    let most_of =
        |warps_at_once: usize, most_bytes: usize| (warps_at_once / warps).min(most_bytes / bytes);
    // As many warps as a machine may have, and as many registers as stay in a cache; 0 where one block has too many.
    let most =
        most_of(MAX_BLOCK_WARPS, MOST_REGISTER_BYTES).max(most_of(FEW_WARPS, MOST_BYTES_OF_FEW));
    // A power of two divides most grids, so that few blocks are left to run alone.
    let count = 1 << most.checked_ilog2()?;
    (count > 1 && count <= geometry.grid[0] as usize).then_some(count)
}

impl<'a> AdjacentBlocks<'a> {
    /// Lets `batch`, made for a program of [`plan_adjacent_blocks`], run blocks whose accesses go to `queue`.
    pub fn new(batch: BatchMachine<'a>, queue: Option<&'a LogQueue>) -> Self {
        AdjacentBlocks {
            batch,
            queue,
            log: None,
            ended: 0,
            gave_up: 0,
            alone_until: 0,
        }
    }

    /// Runs block `first` and those after it side by side, if all the others are in `next`, which
    /// then goes on after them; whether it has. Otherwise nothing has happened.
    pub fn run(
        &mut self,
        first: u64,
        next: &mut Range<u64>,
        is_observed: impl Fn(u64) -> bool,
    ) -> Result<bool, Halt> {
        let geometry = &self.batch.machine.program.geometry;
        let end = first + geometry.side_by_side as u64;
        let last_in_x = geometry.block_at(first)[0] as usize + geometry.side_by_side;
        if first < self.alone_until
            || end > next.end
            // Side by side in x only: then one offset tells the blocks apart.
            || last_in_x > geometry.grid[0] as usize
            || self.gave_up > PATIENCE + self.ended / ONE_OF
            || (first..end).any(is_observed)
        {
            // The machine of single blocks draws from the same fuel.
            self.batch.machine.lease.return_rest();
            return Ok(false);
        }
        if self.run_side_by_side(first)? {
            self.ended += 1;
            next.start = end;
            return Ok(true);
        }
        self.batch.machine.lease.return_rest();
        self.gave_up += 1;
        // The same blocks would diverge again.
        self.alone_until = end;
        Ok(false)
    }

    /// Runs block `first` and those next to it; whether they have come to their end, and their accesses to the queue.
    fn run_side_by_side(&mut self, first: u64) -> Result<bool, Halt> {
        let Some(queue) = self.queue else {
            return self.batch.run_side_by_side(first);
        };
        let geometry = &self.batch.machine.program.geometry;
        let (warps, blocks) = (geometry.warps(), geometry.side_by_side);
        let mut log = self.log.take().or_else(|| queue.blank(warps));
        log.iter_mut().for_each(|log| log.reset(warps));
        let output = &mut self.batch.machine.output;
        (output.log, output.queue) = (log, Some(queue));
        let has_ended = self.batch.run_side_by_side(first)?;
        // Without a log the queue has given up.
        self.log = self.batch.machine.output.log.take();
        if has_ended && let Some(log) = &self.log {
            queue.deliver_divided(first, log, blocks);
        }
        Ok(has_ended)
    }

    /// Adds the counters to the total, if they were not lately.
    pub fn report(&mut self) {
        self.batch.report();
    }

    /// The machine, when all blocks have been run.
    pub fn into_batch(self) -> BatchMachine<'a> {
        self.batch
    }
}

impl BatchMachine<'_> {
    /// Runs block `index` and those next to it to their end, whether they have come there; if not,
    /// nothing has happened.
    fn run_side_by_side(&mut self, index: u64) -> Result<bool, Halt> {
        // Counts of a basic block are booked before it runs, so what was counted must be saved before the first one.
        self.machine.tally.save();
        let taken = self.machine.lease.taken();
        self.start(index, index);
        let outcome = self.run_scalarised(&(0..self.machine.warps.len()), None);
        if let Ok(Some(Outcome::Ended)) = outcome {
            self.machine.tally.blocks += self.machine.program.geometry.side_by_side as u64;
            return Ok(true);
        }
        self.settle_footprints();
        let machine = &mut self.machine;
        // Distinct elements stay: the footprints have them, and the blocks will touch them again.
        machine.tally.go_back();
        machine.lease.give_back(machine.lease.taken() - taken);
        match outcome {
            Err(Halt::Stopped) => Err(Halt::Stopped),
            _ => Ok(false),
        }
    }
}
