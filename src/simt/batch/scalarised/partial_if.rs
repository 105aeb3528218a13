//! Batches that go through an `if` without some of their warps: those of which no lane goes in, as the
//! last warps of `if (threadIdx.x < 64)`. They have nothing to do until its end, where the whole batch
//! goes on scalarised, as long as nothing that the batch keeps for all of its warps is written in
//! between.

use std::ops::Range;

use crate::simt::batch::state::BatchMachine;
use crate::simt::count::Executions;
use crate::simt::machine::Halt;

/// A batch of which only the first warps are inside an `if`.
pub struct PartialIf {
    /// All of it.
    pub all: Range<usize>,
    /// Those inside.
    pub inside: Range<usize>,
    /// The `EndIf`.
    pub end: usize,
}

impl BatchMachine<'_> {
    /// Sends the first warps of a batch into the `If` at `pc`, if those of which lanes `taken` go in
    /// all do so alike, and the others may sit it out.
    pub(super) fn enter_partly(
        &mut self,
        pc: usize,
        all: &Range<usize>,
        taken: &[u32],
    ) -> Option<PartialIf> {
        let end = self.plan.scalar.skippable[pc]?;
        let count = taken.iter().take_while(|&&mask| mask == taken[0]).count();
        // Those inside must be the first warps: a batch is a run of them.
        let others_pass = taken[count..].iter().all(|&mask| mask == 0);
        // Fuel for the `EndIf`, which all of them run.
        if taken[0] == 0 || !others_pass || !self.machine.lease.take(all.len() as u64) {
            return None;
        }
        let inside = all.start..all.start + count;
        self.branch_alike(pc, &inside, taken[0]);
        self.machine.lanes.set_batch(&inside);
        Some(PartialIf {
            all: all.clone(),
            inside,
            end,
        })
    }

    /// Whether the warps inside have come to the `EndIf`, at `pc`; then the batch goes on as a whole.
    pub(super) fn leave_whole(&mut self, partial: &mut Option<PartialIf>, pc: usize) -> bool {
        // The `EndIf`, a basic block of its own, is run by all, those outside included.
        let Some(partial) = partial.take_if(|partial| partial.end == pc) else {
            return false;
        };
        let machine = &mut self.machine;
        let block = machine.program.basic_blocks.at(partial.end);
        machine.tally.basic_blocks[block].add(Executions {
            warps: partial.all.len() as u64,
            lanes: partial.inside.len() as u64 * machine.lanes.active_count(),
            divergent: 0,
        });
        machine.lanes.set_batch(&partial.all);
        self.branch_alike(partial.end, &partial.all, 0);
        true
    }

    /// The warps inside must go on without the others, which wait at the `EndIf`.
    #[cold]
    pub(super) fn abandon(&mut self, partial: &PartialIf) {
        let PartialIf { all, inside, end } = partial;
        self.machine.lease.give_back(all.len() as u64);
        let (inner, outer) = self.machine.warps.split_at_mut(inside.end);
        for warp in &mut outer[..all.end - inside.end] {
            warp.pass_by(&inner[inside.start], *end);
        }
        let mut went_in = vec![1; inside.len()];
        went_in.resize(all.len(), 0);
        self.divide(all, &went_in);
        // Those inside have been materialised and go on warp by warp.
        self.scalar.waiting[inside.start] = 0;
    }

    /// Runs the warps inside one after the other, to a barrier or their end.
    #[cold]
    pub(super) fn run_inside(&mut self, partial: &PartialIf) -> Result<(), Halt> {
        self.follow_first(&partial.inside);
        self.run_one_by_one(partial.inside.clone())
    }
}
