//! The machine that runs blocks batch by batch: the plain machine, and what is remembered so that it
//! need not do everything again.

use std::ops::Range;

use super::pattern_cache::PatternCache;
use super::pending_footprints::{Destination, PendingFootprints};
use super::plan::BatchPlan;
use super::scalar_state::ScalarState;
use super::speculation::Speculation;
use crate::simt::count::Executions;
use crate::simt::machine::{Halt, Machine};
use crate::source::Diagnostic;

/// How a batch's turn ended.
pub enum Outcome {
    /// All wait at a barrier.
    AtBarrier,
    /// All have ended.
    Ended,
    /// They go on in different ways, but for the instruction `join` at the latest if there is one: see
    /// `reconverges`.
    Diverged { join: Option<usize> },
    /// All have come to where lanes that went both ways are together again.
    Joined,
    /// They must go one after the other until a barrier.
    OneByOne,
    /// An observer wants others to run before they go on.
    Interrupted,
}

/// A machine that takes warps which agree on where they are through each instruction at once.
pub struct BatchMachine<'a> {
    pub machine: Machine<'a>,
    pub plan: &'a BatchPlan,
    pub patterns: PatternCache,
    pub footprints: PendingFootprints<'a>,
    pub speculation: Speculation,
    pub scalar: ScalarState,
    /// Whether warps that diverge may wait for each other where their branch ends: then they do not go in the order of
    /// warps up to the next barrier.
    pub reconverges: bool,
}

impl<'a> BatchMachine<'a> {
    /// Lets `machine` run batches by `plan`, which is one for the machine's program.
    pub fn new(machine: Machine<'a>, plan: &'a BatchPlan) -> Self {
        let (kernel, warps) = (machine.program.kernel, machine.warps.len());
        BatchMachine {
            patterns: PatternCache::new(kernel.sites.len(), warps),
            footprints: PendingFootprints::new(
                kernel,
                warps,
                machine.touched.footprints,
                machine.memory,
            ),
            speculation: Speculation::default(),
            scalar: ScalarState::new(usize::from(kernel.registers), warps),
            reconverges: false,
            machine,
            plan,
        }
    }

    /// Makes the machine ready for a block, but for its other warps.
    pub fn start(&mut self, turn: u64, index: u64) {
        self.scalar.clear();
        self.machine.start(turn, index);
    }

    /// Brings the footprints and what is counted of them up to date.
    pub fn settle_footprints(&mut self) {
        let Machine { touched, tally, .. } = &mut self.machine;
        self.footprints.settle(&mut Destination { touched, tally });
        self.machine.settle_footprints();
    }

    /// Adds the counters to the total, if they were not lately.
    pub fn report(&mut self) {
        if self.machine.lease.owes_a_report() {
            self.settle_footprints();
            self.machine.report();
        }
    }

    /// Draws fuel for the instructions from `pc` on that run in a row, and counts them; where they
    /// end. None if it does not suffice for so many warps.
    #[inline(always)]
    pub fn draw(&mut self, pc: usize, batch: &Range<usize>) -> Result<Option<usize>, Halt> {
        let program = self.machine.program;
        let block = program.basic_blocks.at(pc);
        let range = program.basic_blocks.range(block);
        // Fuel for all of the block at once: exact, because a block runs to its end or gives back.
        let wanted = ((range.end - pc) * batch.len()) as u64;
        if !self.machine.lease.take(wanted) {
            self.renew()?;
            if !self.machine.lease.take(wanted) {
                return Ok(None);
            }
        }
        let ran = self.executions(batch.len());
        // A batch that begins in the middle, where a scalarised one has given up, counts
        // instruction by instruction.
        if pc == range.start {
            self.machine.tally.basic_blocks[block].add(ran);
        } else {
            self.count(pc..range.end, ran);
        }
        Ok(Some(range.end))
    }

    #[cold]
    fn renew(&mut self) -> Result<(), Halt> {
        if self.machine.program.geometry.side_by_side == 1 && self.machine.lease.owes_a_report() {
            self.settle_footprints();
        }
        self.machine.renew()
    }

    /// One instruction run by so many warps.
    pub fn executions(&self, warps: usize) -> Executions {
        Executions {
            warps: warps as u64,
            lanes: warps as u64 * self.machine.lanes.active_count(),
            divergent: 0,
        }
    }

    fn count(&mut self, instructions: Range<usize>, ran: Executions) {
        for instruction in &mut self.machine.tally.instructions[instructions] {
            instruction.add(ran);
        }
    }

    /// Takes back what was counted of `counted` from instruction `from` on, which no warp has
    /// reached.
    pub fn take_back(&mut self, counted: Range<usize>, from: usize, batch: &Range<usize>) {
        let all = self.executions(batch.len());
        let blocks = &self.machine.program.basic_blocks;
        let block = blocks.at(counted.start);
        // A whole basic block was counted as such: only single instructions can be taken back.
        if blocks.range(block) == counted {
            self.machine.tally.basic_blocks[block].remove(all);
            self.count(counted.clone(), all);
        }
        for instruction in &mut self.machine.tally.instructions[from..counted.end] {
            instruction.remove(all);
        }
    }

    /// Does `f` for each warp of the batch; stays at the one that fails.
    #[inline(always)]
    pub fn each_warp(
        &mut self,
        batch: &Range<usize>,
        mut f: impl FnMut(&mut Machine<'a>) -> Result<(), Box<Diagnostic>>,
    ) -> Result<(), Box<Diagnostic>> {
        for warp in batch.clone() {
            self.machine.lanes.select(warp);
            f(&mut self.machine)?;
        }
        self.machine.lanes.set_batch(batch);
        Ok(())
    }
}
