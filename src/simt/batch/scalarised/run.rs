//! Runs a batch whose warps have gone alike so far, by the code of `uniformity`.

use std::ops::Range;

use super::conditions::Interval;
use super::partial_if::PartialIf;
use crate::ir::{Instruction, Op};
use crate::simt::batch::cached_access::BatchAccess;
use crate::simt::batch::pattern_cache::MAX_BLOCK_WARPS;
use crate::simt::batch::state::{BatchMachine, Outcome};
use crate::simt::machine::Halt;
use crate::simt::operations::exchange_in_each;
use crate::simt::program::Action;
use crate::simt::uniformity::{Defaults, ExecutionMode, ScalarStep, Storage, Widening};
use crate::simt::warp::{LaneOperation, OF_FIRST_WARP};
use crate::source::Diagnostic;

/// How far a basic block went.
enum Went {
    /// To its end.
    On,
    /// To where the batch's turn ends.
    Off(Outcome),
    /// Not past this instruction, which each warp must do for itself.
    UpTo(usize),
    /// Nowhere: each warp must do all of it before the next one does.
    Nowhere,
    /// Not past this instruction: from there on each warp must do all before the next one does.
    InOrderFrom(usize),
    /// To its end, and on with some of the warps.
    Into(PartialIf),
}

/// What came of one step.
enum Stepped {
    Done,
    /// The block goes no further.
    Stops(Went),
    /// A warp did something wrong.
    Faulted(Box<Diagnostic>),
}

impl From<Result<(), Box<Diagnostic>>> for Stepped {
    #[inline(always)]
    fn from(result: Result<(), Box<Diagnostic>>) -> Self {
        match result {
            Ok(()) => Stepped::Done,
            Err(fault) => Stepped::Faulted(fault),
        }
    }
}

impl BatchMachine<'_> {
    /// Runs a batch scalarised until its warps end, reach a barrier or `join`, or diverge. Nothing if it must go
    /// on otherwise: all values are in the registers of each warp then. Unless they diverge, only the
    /// first warp's state is brought up to date.
    pub(crate) fn run_scalarised(
        &mut self,
        batch: &Range<usize>,
        join: Option<usize>,
    ) -> Result<Option<Outcome>, Halt> {
        self.machine.select(batch);
        let mut partial: Option<PartialIf> = None;
        loop {
            let pc = self.machine.warps[batch.start].pc;
            if Some(pc) == join {
                return Ok(Some(self.wait_at_join(batch)));
            }
            if self.leave_whole(&mut partial, pc) {
                continue;
            }
            let now = partial.as_ref().map_or(batch, |partial| &partial.inside);
            let Some(end) = self.draw(pc, now)? else {
                self.materialise(now, pc);
                return Ok(self.give_up(partial));
            };
            match self.run_block_of_code(pc..end, now)? {
                Went::On => {}
                Went::Off(outcome) => return Ok(Some(outcome)),
                Went::Into(inside) => partial = Some(inside),
                Went::Nowhere => {
                    self.begin_again(pc..end, now);
                    self.materialise(now, pc);
                    return self.go_in_order(partial).map(Some);
                }
                Went::InOrderFrom(at) => {
                    self.retreat(pc..end, at, now);
                    return self.go_in_order(partial).map(Some);
                }
                Went::UpTo(at) => {
                    self.retreat(pc..end, at, now);
                    return Ok(self.give_up(partial));
                }
            }
        }
    }

    /// A batch has come to where others join it.
    fn wait_at_join(&mut self, batch: &Range<usize>) -> Outcome {
        self.scalar.waiting[batch.start] = batch.len();
        Outcome::Joined
    }

    /// What comes of a batch that must go on without being scalarised.
    #[cold]
    fn give_up(&mut self, partial: Option<PartialIf>) -> Option<Outcome> {
        partial.map(|partial| {
            self.abandon(&partial);
            self.follow_first(&partial.inside);
            Outcome::Diverged { join: None }
        })
    }

    /// The warps of a batch, or those inside an `if`, go on one after the other.
    #[cold]
    fn go_in_order(&mut self, partial: Option<PartialIf>) -> Result<Outcome, Halt> {
        let Some(partial) = partial else {
            return Ok(Outcome::OneByOne);
        };
        self.abandon(&partial);
        self.run_inside(&partial)?;
        Ok(Outcome::Diverged { join: None })
    }

    /// Runs the steps of a basic block, whose instructions are `range`: where scalarised batches go on
    /// is always the beginning of one.
    #[inline(always)]
    fn run_block_of_code(
        &mut self,
        range: Range<usize>,
        batch: &Range<usize>,
    ) -> Result<Went, Halt> {
        let plan = self.plan;
        let block = self.machine.program.basic_blocks.at(range.start);
        for step in plan.scalar.steps(block) {
            if let ExecutionMode::Control {
                condition,
                defaults,
            } = step.work
            {
                self.machine.warps[batch.start].pc = step.pc;
                return self.control_scalarised(step, condition, defaults, batch);
            }
            match self.step(step, batch) {
                Stepped::Done => {}
                Stepped::Stops(went) => return Ok(went),
                Stepped::Faulted(fault) => {
                    return Err(self.fault_scalarised(fault, range, step.pc, batch));
                }
            }
        }
        self.machine.warps[batch.start].pc = range.end;
        Ok(Went::On)
    }

    /// Runs a step that decides nothing about what comes next.
    #[inline(always)]
    fn step(&mut self, step: &ScalarStep, batch: &Range<usize>) -> Stepped {
        let i = step.i;
        match step.work {
            ExecutionMode::EachWarp(operation) => operation(&mut self.machine.lanes, i),
            ExecutionMode::FirstWarp(operation) => self.operate_on_first(operation, i, batch.len()),
            ExecutionMode::Compare(of) => self.compare(i, of, batch),
            ExecutionMode::Combine(storage) => self.combine(i, storage, batch),
            ExecutionMode::Access {
                guards,
                first_only,
                alone,
            } => {
                let access = BatchAccess {
                    i,
                    guards,
                    first_only,
                    scalarised: true,
                };
                return self.access_scalarised(access, alone, step.pc, batch);
            }
            ExecutionMode::Widen(widening) => return self.widen(step, widening, batch),
            ExecutionMode::Exchange { first_only } => {
                return self.exchange_scalarised(step, first_only, batch).into();
            }
            ExecutionMode::Alone => return self.step_alone(step, batch).into(),
            ExecutionMode::Control { .. } => unreachable!("control ends a basic block"),
        }
        Stepped::Done
    }

    /// What all warps of the batch have in common is computed for the first.
    #[inline(always)]
    fn operate_on_first(&mut self, operation: LaneOperation, i: Instruction, count: usize) {
        self.machine.lanes.set_count(1);
        operation(&mut self.machine.lanes, i);
        self.machine.lanes.set_count(count);
    }

    /// A load or store: by its pattern, or else warp by warp.
    #[inline(always)]
    fn access_scalarised(
        &mut self,
        access: BatchAccess,
        alone: Option<Instruction>,
        pc: usize,
        batch: &Range<usize>,
    ) -> Stepped {
        // The cheap way first: sites mostly keep the pattern of their last execution.
        if self.access_cached(access, batch) {
            return Stepped::Done;
        }
        if self.wants_to_learn(access, batch) {
            // A pattern is found out from the registers of each warp, which scalarised warps do not
            // hold.
            let own = self.access_at_home(pc, batch);
            if self.access_and_learn(access, own, batch) {
                return Stepped::Done;
            }
        }
        if self.must_begin_again(access.i, batch) {
            return Stepped::Stops(Went::Nowhere);
        }
        if self.must_keep_apart(access.i, batch) {
            return Stepped::Stops(Went::InOrderFrom(pc));
        }
        // The values that all load are in one row; warp by warp there must be one for each.
        if access.first_only {
            return Stepped::Stops(Went::UpTo(pc));
        }
        let i = alone.unwrap_or_else(|| self.access_at_home(pc, batch));
        self.each_warp(batch, |machine| machine.access(i)).into()
    }

    /// Gives each warp of a batch what access `pc` reads, and where that is.
    fn access_at_home(&mut self, pc: usize, batch: &Range<usize>) -> Instruction {
        self.materialise_operands(batch, pc);
        self.plan.scalar.at_home(self.machine.program.kernel, pc)
    }

    /// A 32-bit value becomes one of 64 bits.
    #[inline(always)]
    fn widen(&mut self, step: &ScalarStep, widening: Widening, batch: &Range<usize>) -> Stepped {
        if !self.stays_narrow(step.i, widening, batch) {
            // Loads of a speculative block cannot be left as they are: it must begin again.
            return Stepped::Stops(match self.speculation.is_open() {
                true => Went::Nowhere,
                false => Went::UpTo(step.pc),
            });
        }
        let lanes = &mut self.machine.lanes;
        lanes.set_count(if widening.each_warp { batch.len() } else { 1 });
        (widening.operation)(lanes, step.i);
        lanes.set_count(batch.len());
        Stepped::Done
    }

    /// Whether a 32-bit value that differs by offsets wraps in no warp.
    fn stays_narrow(&self, i: Instruction, widening: Widening, batch: &Range<usize>) -> bool {
        let lanes = &self.machine.lanes;
        let row = lanes.row(i.a & !OF_FIRST_WARP, batch.start);
        let offsets = self.plan.scalar.values.offsets(widening.offsets);
        let is_signed = i.op == Op::I32ToI64;
        let (low, high) = batch.clone().fold((0, 0), |(low, high), warp| {
            let change = offsets[warp].wrapping_sub(offsets[batch.start]) as i64;
            (change.min(low), change.max(high))
        });
        // In 64 bits, where it cannot wrap: only then does widening commute with adding the offset.
        Interval::of(row, lanes.active(), is_signed, &self.plan.loops)
            .widened(low, high)
            .is_in_range(is_signed)
    }

    /// What each warp does for itself.
    fn step_alone(
        &mut self,
        step: &ScalarStep,
        batch: &Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        self.materialise_operands(batch, step.pc);
        match self.machine.program.code[step.pc].action {
            Action::Atomic => self.each_warp(batch, |machine| machine.atomic(step.i)),
            _ => self.each_warp(batch, |machine| machine.block_wide(step.i, step.pc)),
        }
    }

    fn exchange_scalarised(
        &mut self,
        step: &ScalarStep,
        first_only: bool,
        batch: &Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        let machine = &mut self.machine;
        let live = machine.warps[batch.start].live;
        let count = if first_only { 1 } else { batch.len() };
        let warps = batch.start..batch.start + count;
        let program = machine.program;
        let span = || program.span_at(step.pc);
        let undefined = exchange_in_each(&mut machine.lanes, step.i, warps, live, span)?;
        machine.note_undefined(step.pc, undefined);
        machine.lanes.set_count(batch.len());
        Ok(())
    }

    /// A warp has done something wrong at `pc`: takes back what did not run.
    #[cold]
    fn fault_scalarised(
        &mut self,
        fault: Box<Diagnostic>,
        range: Range<usize>,
        pc: usize,
        batch: &Range<usize>,
    ) -> Halt {
        // Before `materialise`, which selects other warps.
        let faulty = self.machine.lanes.warp;
        self.uncount_later_warps(range, pc, batch);
        self.materialise(batch, pc + 1);
        self.machine.lanes.select(faulty);
        self.faulted(fault, pc, batch)
    }

    /// Control flow.
    #[inline(always)]
    fn control_scalarised(
        &mut self,
        step: &ScalarStep,
        condition: Storage,
        defaults: Defaults,
        batch: &Range<usize>,
    ) -> Result<Went, Halt> {
        let (i, pc) = (step.i, step.pc);
        match i.op {
            Op::Barrier => {
                self.arrive(batch)?;
                self.scalar.waiting[batch.start] = batch.len();
                Ok(Went::Off(Outcome::AtBarrier))
            }
            Op::End => {
                self.machine.warps[batch.start].ended = true;
                Ok(Went::Off(Outcome::Ended))
            }
            Op::If | Op::LeaveUnless if self.scalar.is_scalar(condition, i.a, batch.start) => {
                // The condition is one value for all warps, and stands in the row of the first.
                let first = batch.start..batch.start + 1;
                let taken = self.lanes_taken(i, &first)[0];
                self.set_defaults(defaults, &[taken], batch);
                self.branch_alike(pc, batch, taken);
                Ok(Went::On)
            }
            Op::If | Op::LeaveUnless => {
                let taken = self.lanes_taken(i, batch);
                let taken = &taken[..batch.len()];
                self.set_defaults(defaults, taken, batch);
                Ok(self.branch_by_warp(taken, pc, batch))
            }
            _ => {
                self.branch_alike(pc, batch, 0);
                Ok(Went::On)
            }
        }
    }

    /// Computes what lanes need that go past an `If`, if some do.
    #[inline(always)]
    fn set_defaults(&mut self, defaults: Defaults, taken: &[u32], batch: &Range<usize>) {
        let active = self.machine.lanes.active();
        if taken.iter().any(|&taken| taken != active) {
            for step in self.plan.scalar.defaults(defaults) {
                self.step(step, batch);
            }
        }
    }

    /// A branch by a condition that each warp has for itself, which holds in the lanes `taken`.
    #[inline(always)]
    fn branch_by_warp(&mut self, taken: &[u32], pc: usize, batch: &Range<usize>) -> Went {
        if taken.iter().all(|other| *other == taken[0]) {
            self.branch_alike(pc, batch, taken[0]);
            return Went::On;
        }
        if let Some(partial) = self.enter_partly(pc, batch, taken) {
            return Went::Into(partial);
        }
        let outcome = self.diverge(pc, batch, taken);
        self.divide(batch, taken);
        Went::Off(outcome)
    }

    /// The active lanes in which a condition holds, warp by warp.
    #[inline(always)]
    fn lanes_taken(&self, i: Instruction, warps: &Range<usize>) -> [u32; MAX_BLOCK_WARPS] {
        let lanes = &self.machine.lanes;
        let (rows, active) = (lanes.rows(i.a, warps), lanes.active());
        let mut taken = [0; MAX_BLOCK_WARPS];
        (self.plan.loops.nonzero)(rows, &mut taken);
        for taken in &mut taken[..rows.len()] {
            *taken &= active;
        }
        taken
    }

    /// Takes back what was counted of a basic block from instruction `pc` on, where the batch goes on
    /// without being scalarised.
    #[cold]
    fn retreat(&mut self, block: Range<usize>, pc: usize, batch: &Range<usize>) {
        self.give_back_from(block, pc, batch);
        self.materialise(batch, pc);
        self.machine.warps[batch.start].pc = pc;
    }
}
