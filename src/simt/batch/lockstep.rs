//! Runs a block batch by batch: warps that agree on where they are and which lanes are active go
//! through each instruction together, and a basic block is counted once a run.
//!
//! What comes of it is what the machine does warp by warp: see `dependence` for where batches may run.
//! While a batch runs, only its first warp's place in the code is up to date.

use std::ops::Range;

use super::cached_access::BatchAccess;
use super::dependence::Lockstep;
use super::pattern_cache::MAX_BATCH_WARPS;
use super::state::{BatchMachine, Outcome};
use crate::ir::{Instruction, Op};
use crate::simt::execute::{Turn, Turns};
use crate::simt::machine::{Halt, Machine, Moment, Nobody, Observer};
use crate::simt::program::Action;
use crate::source::Diagnostic;

/// A warp at a time, with what is remembered of accesses: what the machine does by itself, 3 to 6 times as fast.
impl<'a> Turns<'a> for BatchMachine<'a> {
    fn machine(&mut self) -> &mut Machine<'a> {
        &mut self.machine
    }

    fn take_turn<O: Observer>(&mut self, warp: usize, observer: &mut O) -> Result<Turn, Halt> {
        match self.run_each(&(warp..warp + 1), None, observer)? {
            Outcome::AtBarrier | Outcome::Ended | Outcome::Joined => Ok(Turn::Over),
            Outcome::Interrupted => Ok(Turn::Interrupted),
            Outcome::Diverged { .. } | Outcome::OneByOne => self.machine.take_turn(warp, observer),
        }
    }

    fn run_unobserved(&mut self) -> Result<bool, Halt> {
        self.run_to_barrier()?;
        Ok(true)
    }

    fn settle_values(&mut self) {
        self.materialise_all();
    }
}

impl BatchMachine<'_> {
    /// Runs block `index` of the grid to its end; `turn` is its place in the order of blocks.
    pub fn run_in_batches(&mut self, turn: u64, index: u64) -> Result<(), Halt> {
        self.start(turn, index);
        let is_done = if self.begins_as_one() {
            self.run_as_one()?
        } else {
            self.machine.start_other_warps();
            false
        };
        if !is_done {
            // A round ends when every warp has ended or waits at a barrier, which thus opens.
            while self.machine.warps.iter().any(|warp| !warp.ended) {
                self.run_to_barrier()?;
            }
        }
        self.machine.tally.blocks += 1;
        Ok(())
    }

    /// Whether all warps of every block begin as one batch.
    fn begins_as_one(&mut self) -> bool {
        self.reconverges = self.plan.dependences.lockstep[0] == Lockstep::Allowed;
        let geometry = &self.machine.program.geometry;
        let warps = geometry.warps();
        self.plan.dependences.lockstep[0] != Lockstep::Forbidden
            && warps <= MAX_BATCH_WARPS
            && (1..warps).all(|warp| geometry.lanes(warp) == geometry.lanes(0))
    }

    /// Runs a block as one batch, as far as that goes; whether to the block's end.
    fn run_as_one(&mut self) -> Result<bool, Halt> {
        let batch = 0..self.machine.warps.len();
        // A block begins with the registers of the launch, which are as the analysis has them.
        let mut scalarised = true;
        // Round by round between barriers, as long as all warps come to each barrier together.
        loop {
            match self.run_batch(&batch, scalarised, None)? {
                Outcome::Ended => return Ok(true),
                Outcome::AtBarrier => {
                    // The barrier opens at once: all warps have come as one.
                    self.machine.warps[0].waits = false;
                    if self.may_go_in_lockstep(self.machine.warps[0].pc) {
                        // Only if it came to the barrier so: otherwise each warp's registers hold its own values by now.
                        scalarised = std::mem::take(&mut self.scalar.waiting[0]) > 0;
                        continue;
                    }
                    self.follow_first(&batch);
                }
                Outcome::Diverged { join } => {
                    if self.reconverges && join.is_some() {
                        self.run_batches(&batch, MAX_BATCH_WARPS, join)?;
                    }
                    self.run_batches(&batch, MAX_BATCH_WARPS, None)?;
                }
                Outcome::Joined | Outcome::Interrupted => {
                    self.run_batches(&batch, MAX_BATCH_WARPS, None)?;
                }
                Outcome::OneByOne => {
                    self.follow_first(&batch);
                    self.run_one_by_one(batch)?;
                }
            }
            return Ok(false);
        }
    }

    /// Gives all warps their turns until they have ended or wait at a barrier, as batches where that
    /// cannot be seen.
    fn run_to_barrier(&mut self) -> Result<(), Halt> {
        let warps = &mut self.machine.warps;
        warps.iter_mut().for_each(|warp| warp.waits = false);
        // Of warps that wait at different places it is not known whether what they run is free of
        // dependences.
        let mut running = warps.iter().filter(|warp| !warp.ended);
        let first = running.next().map_or(0, |warp| warp.pc);
        let all_there = running.all(|warp| warp.pc == first);
        let in_lockstep = self.may_go_in_lockstep(first) && all_there;
        let most = if in_lockstep { MAX_BATCH_WARPS } else { 1 };
        self.run_batches(&(0..self.machine.warps.len()), most, None)
    }

    /// Gives those of `warps` that do not wait their turns, as batches of so many at most: up to instruction `join`,
    /// where lanes that went both ways at a branch are together again.
    fn run_batches(
        &mut self,
        warps: &Range<usize>,
        most: usize,
        join: Option<usize>,
    ) -> Result<(), Halt> {
        while let Some(all) = self.next_batch(warps, most, join) {
            let first = all.start;
            if let Err(halt) = self.run_next(all, most, join) {
                return Err(self.earlier(halt, warps.start..first));
            }
        }
        Ok(())
    }

    /// Gives some or all warps of `all`, which agree, their turn. Those that diverge come together again where the branch
    /// ends, if nobody can see in which order they go: so a batch falls apart for the branch alone, not up to the next
    /// barrier.
    fn run_next(
        &mut self,
        all: Range<usize>,
        most: usize,
        join: Option<usize>,
    ) -> Result<(), Halt> {
        let (batch, scalarised) = self.next_scalarised(all);
        match self.run_batch(&batch, scalarised, join)? {
            Outcome::AtBarrier | Outcome::Ended | Outcome::Joined => self.follow_first(&batch),
            Outcome::Diverged { join } if self.reconverges && join.is_some() => {
                self.run_batches(&batch, most, join)?;
            }
            Outcome::Diverged { .. } | Outcome::Interrupted => {}
            Outcome::OneByOne => {
                self.follow_first(&batch);
                self.run_one_by_one(batch)?;
            }
        }
        Ok(())
    }

    /// What ends the launch where a warp has faulted: had the warps run one after the other, those before it, which may
    /// wait where a branch ends, would have gone on first, and might have faulted too.
    #[cold]
    fn earlier(&mut self, halt: Halt, before: Range<usize>) -> Halt {
        if !matches!(halt, Halt::Fault(_)) {
            return halt;
        }
        self.materialise_all();
        self.run_one_by_one(before).err().unwrap_or(halt)
    }

    /// The first of `warps` that may run and is not at `join`, with those after it that agree.
    fn next_batch(
        &self,
        warps: &Range<usize>,
        most: usize,
        join: Option<usize>,
    ) -> Option<Range<usize>> {
        let all = &self.machine.warps;
        let mut indices = warps.clone();
        let first = indices.find(|&at| {
            let warp = &all[at];
            !warp.ended && !warp.waits && Some(warp.pc) != join
        })?;
        let candidates = all[first..warps.end].iter().take(most);
        let count = candidates
            .take_while(|warp| warp.agrees(&all[first]))
            .count();
        Some(first..first + count)
    }

    /// Runs a batch, scalarised as long as it can.
    fn run_batch(
        &mut self,
        batch: &Range<usize>,
        scalarised: bool,
        join: Option<usize>,
    ) -> Result<Outcome, Halt> {
        if scalarised && let Some(outcome) = self.run_scalarised(batch, join)? {
            return Ok(outcome);
        }
        self.run_each(batch, join, &mut Nobody)
    }

    /// Runs each warp of a batch by single instructions.
    pub(super) fn run_one_by_one(&mut self, warps: Range<usize>) -> Result<(), Halt> {
        for warp in warps {
            let state = &self.machine.warps[warp];
            if !state.ended && !state.waits {
                self.machine.run_warp_alone(warp)?;
            }
        }
        Ok(())
    }

    /// Whether warps that all go on at `pc` may go in lockstep.
    fn may_go_in_lockstep(&mut self, pc: usize) -> bool {
        self.reconverges = self.plan.dependences.lockstep[pc] == Lockstep::Allowed;
        match self.plan.dependences.lockstep[pc] {
            Lockstep::Forbidden => false,
            Lockstep::Speculative => !self.speculation.has_failed,
            Lockstep::Apart | Lockstep::Allowed => true,
        }
    }

    /// Runs a batch over the registers of each of its warps until they end, reach a barrier or `join`, or
    /// diverge. Counts and faults are as if they had run one after the other.
    ///
    /// An observer, of a batch of one warp, sees the instructions that it wants.
    fn run_each<O: Observer>(
        &mut self,
        batch: &Range<usize>,
        join: Option<usize>,
        observer: &mut O,
    ) -> Result<Outcome, Halt> {
        self.machine.select(batch);
        let mut is_first = true;
        loop {
            let pc = self.machine.warps[batch.start].pc;
            if Some(pc) == join {
                return Ok(Outcome::Joined);
            }
            // Near the end of the fuel warps take it one by one, so that exactly the right
            // instruction is the last.
            let Some(end) = self.draw(pc, batch)? else {
                return Ok(Outcome::OneByOne);
            };
            if let Some(outcome) = self.run_counted(pc..end, batch, is_first, observer)? {
                return Ok(outcome);
            }
            is_first = false;
        }
    }

    /// Runs instructions that are counted already; nothing where the batch goes on after them. The first one of a turn
    /// is not interrupted.
    #[inline(always)]
    fn run_counted<O: Observer>(
        &mut self,
        counted: Range<usize>,
        batch: &Range<usize>,
        is_first: bool,
        observer: &mut O,
    ) -> Result<Option<Outcome>, Halt> {
        let program = self.machine.program;
        for at in counted.clone() {
            if O::OBSERVES && observer.wants(at) {
                if !(is_first && at == counted.start) && observer.interrupts(at) {
                    self.give_back_from(counted, at, batch);
                    self.machine.warps[batch.start].pc = at;
                    return Ok(Some(Outcome::Interrupted));
                }
                observer.before(&Moment::new(&self.machine, at));
            }
            let step = &program.code[at];
            let i = step.instruction;
            let result = match step.action {
                Action::Lanes(operation) => {
                    operation(&mut self.machine.lanes, i);
                    continue;
                }
                Action::Access if self.access_batch(i, batch) => continue,
                Action::Access => match self.stops_at(counted.clone(), at, batch) {
                    Some(outcome) => return Ok(Some(outcome)),
                    None => self.each_warp(batch, |machine| machine.access(i)),
                },
                Action::Control => return self.control(at, batch),
                _ => self.run_by_warps(step.action, i, at, batch),
            };
            if let Err(fault) = result {
                self.uncount_later_warps(counted, at, batch);
                return Err(self.faulted(fault, at, batch));
            }
        }
        self.machine.warps[batch.start].pc = counted.end;
        Ok(None)
    }

    /// Carries out, warp by warp, an instruction that no loop over a batch is made for.
    #[inline(always)]
    fn run_by_warps(
        &mut self,
        action: Action,
        i: Instruction,
        pc: usize,
        batch: &Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        match action {
            Action::Atomic => self.each_warp(batch, |machine| machine.atomic(i)),
            Action::Exchange => {
                let live = self.machine.warps[batch.start].live;
                self.each_warp(batch, |machine| machine.exchange(i, pc, live))
            }
            _ => self.each_warp(batch, |machine| machine.block_wide(i, pc)),
        }
    }

    /// Carries out a load or store of a batch at once, if it can; whether it has.
    #[inline(always)]
    fn access_batch(&mut self, i: Instruction, batch: &Range<usize>) -> bool {
        let access = BatchAccess {
            i,
            guards: self.plan.guards[i.imm as usize],
            first_only: false,
            scalarised: false,
        };
        self.access_cached(access, batch)
            || (self.wants_to_learn(access, batch) && self.access_and_learn(access, i, batch))
    }

    /// Control flow; nothing where the batch goes on together.
    #[inline(always)]
    fn control(&mut self, pc: usize, batch: &Range<usize>) -> Result<Option<Outcome>, Halt> {
        self.machine.warps[batch.start].pc = pc;
        match self.machine.program.code[pc].instruction.op {
            Op::Barrier => {
                self.arrive(batch)?;
                Ok(Some(Outcome::AtBarrier))
            }
            Op::End => {
                self.machine.warps[batch.start].ended = true;
                Ok(Some(Outcome::Ended))
            }
            _ => Ok(self.branch(pc, batch)),
        }
    }

    /// Branches; nothing where all warps go one way.
    #[inline(always)]
    fn branch(&mut self, pc: usize, batch: &Range<usize>) -> Option<Outcome> {
        let i = self.machine.program.code[pc].instruction;
        let mut taken = [0; MAX_BATCH_WARPS];
        if matches!(i.op, Op::If | Op::LeaveUnless) {
            let lanes = &self.machine.lanes;
            // Lanes that are not active hold whatever they held: their bits say nothing.
            let (rows, active) = (lanes.rows(i.a, batch), lanes.active());
            (self.plan.loops.nonzero)(rows, &mut taken);
            taken.iter_mut().for_each(|taken| *taken &= active);
        }
        let taken = &taken[..batch.len()];
        if taken.iter().any(|other| *other != taken[0]) {
            return Some(self.diverge(pc, batch, taken));
        }
        self.branch_alike(pc, batch, taken[0]);
        None
    }

    /// All warps of a batch branch in one way.
    #[inline(always)]
    pub(super) fn branch_alike(&mut self, pc: usize, batch: &Range<usize>, taken: u32) {
        let machine = &mut self.machine;
        let warp = &mut machine.warps[batch.start];
        if warp.branch(machine.program.code[pc].instruction, taken) {
            machine.tally.instructions[pc].divergent += batch.len() as u64;
        }
        machine.lanes.set_active(warp.active);
    }

    /// All warps of a batch reach a barrier, of which only the first is brought up to date.
    pub(super) fn arrive(&mut self, batch: &Range<usize>) -> Result<(), Halt> {
        self.machine.wait_at_barrier(batch.start)?;
        if let Some(log) = &mut self.machine.output.log {
            log.barrier(batch.clone());
        }
        Ok(())
    }

    /// Each warp of a batch branches for itself.
    pub(super) fn diverge(&mut self, pc: usize, batch: &Range<usize>, taken: &[u32]) -> Outcome {
        self.follow_first(batch);
        let machine = &mut self.machine;
        for (warp, &taken) in machine.warps[batch.clone()].iter_mut().zip(taken) {
            let went_both_ways = warp.branch(machine.program.code[pc].instruction, taken);
            machine.tally.instructions[pc].divergent += u64::from(went_both_ways);
        }
        let join = self.end_of_branch(pc);
        Outcome::Diverged { join }
    }

    /// The instruction behind the end of the `if` or scope at whose branch `pc` lanes may part.
    fn end_of_branch(&self, pc: usize) -> Option<usize> {
        let code = &self.machine.program.code;
        let target = code[pc].instruction.imm as usize;
        let target_instruction = code[target].instruction;
        match target_instruction.op {
            Op::EndIf | Op::ScopeEnd => Some(target + 1),
            Op::Else => Some(target_instruction.imm as usize + 1),
            _ => None,
        }
    }

    /// Brings the other warps of a batch to where the first is.
    pub(super) fn follow_first(&mut self, batch: &Range<usize>) {
        let warps = &mut self.machine.warps[batch.clone()];
        if let Some((first, others)) = warps.split_first_mut() {
            others.iter_mut().for_each(|warp| warp.follow(first));
        }
    }

    /// Takes back what was counted of `counted` but did not run: a warp has faulted at `pc`, which
    /// those after it in the batch have not reached.
    #[cold]
    pub(super) fn uncount_later_warps(
        &mut self,
        counted: Range<usize>,
        pc: usize,
        batch: &Range<usize>,
    ) {
        let later = self.executions(batch.end - 1 - self.machine.lanes.warp);
        self.take_back(counted, pc + 1, batch);
        self.machine.tally.instructions[pc].remove(later);
    }

    /// Whether a batch must not go past the access at `pc`, which it has not carried out at once, and what comes then.
    fn stops_at(
        &mut self,
        block: Range<usize>,
        pc: usize,
        batch: &Range<usize>,
    ) -> Option<Outcome> {
        let i = self.machine.program.code[pc].instruction;
        if self.must_begin_again(i, batch) {
            // A speculative access that cannot go at once would be seen half done.
            self.begin_again(block, batch);
        } else if self.must_keep_apart(i, batch) {
            // Nobody has been at its place yet: from there on each warp finds what those before it left.
            self.give_back_from(block, pc, batch);
            self.machine.warps[batch.start].pc = pc;
        } else {
            return None;
        }
        Some(Outcome::OneByOne)
    }

    /// Takes back what was counted and drawn of a basic block from instruction `pc` on, where its warps go on
    /// otherwise.
    #[cold]
    pub(super) fn give_back_from(&mut self, block: Range<usize>, pc: usize, batch: &Range<usize>) {
        self.take_back(block.clone(), pc, batch);
        let rest = (block.end - pc) * batch.len();
        self.machine.lease.give_back(rest as u64);
    }

    /// Takes back that a batch has begun with the instructions of a speculative block.
    #[cold]
    pub(super) fn begin_again(&mut self, block: Range<usize>, batch: &Range<usize>) {
        self.take_back(block.clone(), block.start, batch);
        let machine = &mut self.machine;
        machine.lease.give_back((block.len() * batch.len()) as u64);
        machine.warps[batch.start].pc = block.start;
        self.speculation.roll_back(&mut machine.tally);
    }

    /// A warp of a batch has faulted at `pc`. Had the warps run one after the other, those before
    /// it would have gone on first, and might have faulted too.
    #[cold]
    pub(super) fn faulted(
        &mut self,
        fault: Box<Diagnostic>,
        pc: usize,
        batch: &Range<usize>,
    ) -> Halt {
        let faulty = self.machine.lanes.warp;
        // As if it had carried out the faulting instruction: the warps before it have, and go on behind it.
        self.machine.warps[batch.start].pc = pc + 1;
        self.follow_first(batch);
        // Later warps have not run: the fault ends the launch.
        match self.run_one_by_one(batch.start..faulty) {
            Ok(()) => Halt::Fault(fault),
            Err(earlier) => earlier,
        }
    }
}
