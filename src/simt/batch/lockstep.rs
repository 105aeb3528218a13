//! Warps of a block that agree on where they are, run as one: a gang. Each instruction is taken
//! once for all of them, and straight code is counted once a run.
//!
//! What comes of it is what the machine does warp by warp: see `order` for where gangs may run.

use std::ops::Range;

use super::cached_access::Reach;
use super::dependence::Order;
use crate::ir::{Instruction, Op};
use crate::simt::count::Executions;
use crate::simt::machine::Nobody;
use crate::simt::machine::{Halt, Machine};
use crate::simt::program::{Action, Program};
use crate::source::Diagnostic;

/// Most warps that run together: their registers should stay in the processor's first cache.
pub const GANG_WARPS: usize = 8;

/// How a gang's turn ended.
pub enum Outcome {
    /// All wait at a barrier.
    Waits,
    /// All have ended.
    Ended,
    /// They go on in different ways.
    Parted,
    /// They must go one after the other until a barrier.
    InTurn,
}

impl Machine<'_> {
    /// Whether all warps of every block begin as one gang.
    pub(crate) fn begins_as_one(program: &Program<'_>) -> bool {
        let geometry = &program.geometry;
        let lanes = |warp| geometry.lanes(warp);
        program.plan.is_some()
            && program.together[0] != Order::InTurn
            && geometry.warps() <= GANG_WARPS
            && (1..geometry.warps()).all(|warp| lanes(warp) == lanes(0))
    }

    /// Runs a block as one gang, of which only the first warp's state is up to date, as far as
    /// that goes; whether to the block's end.
    pub(crate) fn run_as_one(&mut self) -> Result<bool, Halt> {
        let gang = 0..self.warps.len();
        let mut in_unison = true;
        loop {
            match self.run_gang(&gang, in_unison)? {
                Outcome::Ended => return Ok(true),
                Outcome::Waits => {
                    self.warps[0].waits = false;
                    if self.goes_together(self.warps[0].pc) {
                        in_unison = std::mem::take(&mut self.held.waiting[0]) > 0;
                        continue;
                    }
                    self.follow(&gang);
                }
                Outcome::Parted => self.run_gangs(GANG_WARPS)?,
                Outcome::InTurn => {
                    self.follow(&gang);
                    self.run_alone(gang)?;
                }
            }
            return Ok(false);
        }
    }

    /// Gives all warps their turns until they have ended or wait at a barrier, as gangs where that
    /// cannot be seen.
    pub(crate) fn run_together(&mut self) -> Result<(), Halt> {
        self.warps.iter_mut().for_each(|warp| warp.waits = false);
        let most = if self.may_go_together() {
            GANG_WARPS
        } else {
            1
        };
        self.run_gangs(most)
    }

    /// Gives warps that do not wait their turns, as gangs of so many at most.
    fn run_gangs(&mut self, most: usize) -> Result<(), Halt> {
        while let Some(all) = self.next_gang(most) {
            let (gang, in_unison) = self.next_in_unison(all);
            match self.run_gang(&gang, in_unison)? {
                Outcome::Waits | Outcome::Ended => self.follow(&gang),
                Outcome::Parted => {}
                Outcome::InTurn => {
                    self.follow(&gang);
                    self.run_alone(gang)?;
                }
            }
        }
        Ok(())
    }

    /// Runs a gang, in unison as long as it can.
    fn run_gang(&mut self, gang: &Range<usize>, in_unison: bool) -> Result<Outcome, Halt> {
        if in_unison && let Some(outcome) = self.run_in_unison(gang)? {
            return Ok(outcome);
        }
        self.run(gang)
    }

    /// Runs each warp of a gang by single instructions.
    pub(crate) fn run_alone(&mut self, warps: Range<usize>) -> Result<(), Halt> {
        for warp in warps {
            let state = &self.warps[warp];
            if !state.ended && !state.waits {
                self.lanes.set_gang(&(warp..warp + 1));
                self.lanes.set_active(self.warps[warp].active);
                self.run_warp(&mut Nobody)?;
            }
        }
        Ok(())
    }

    /// Runs warps that agree until they end, reach a barrier or part. Counts and faults are as if
    /// they had run one after the other. Unless they part, only the first warp's state is brought up
    /// to date.
    fn run(&mut self, gang: &Range<usize>) -> Result<Outcome, Halt> {
        let program = self.program;
        self.lanes.set_gang(gang);
        self.lanes.set_active(self.warps[gang.start].active);
        'stretches: loop {
            let pc = self.warps[gang.start].pc;
            let Some(end) = self.draw(pc, gang)? else {
                return Ok(Outcome::InTurn);
            };
            for at in pc..end {
                let step = &program.steps[at];
                let i = step.instruction;
                let result = match step.action {
                    Action::Lanes(operation) => {
                        operation(&mut self.lanes, i);
                        continue;
                    }
                    Action::Access if self.access_as_gang(i, gang) => continue,
                    Action::Access if self.must_part(i, gang) => {
                        self.begin_again(pc..end, gang);
                        return Ok(Outcome::InTurn);
                    }
                    Action::Access => self.each(gang, |machine| machine.access(i)),
                    Action::Atomic => self.each(gang, |machine| machine.atomic(i)),
                    Action::Effect => self.each(gang, |machine| machine.effect(i)),
                    Action::Exchange => {
                        let live = self.warps[gang.start].live;
                        self.each(gang, |machine| machine.exchange(i, at, live))
                    }
                    Action::Control => {
                        self.warps[gang.start].pc = at;
                        match self.control(at, gang)? {
                            None => continue 'stretches,
                            Some(outcome) => return Ok(outcome),
                        }
                    }
                };
                if let Err(fault) = result {
                    self.uncount(pc..end, at, gang);
                    return Err(self.faulted(fault, at, gang));
                }
            }
            self.warps[gang.start].pc = end;
        }
    }

    /// Carries out a load or store of a gang at once, if it can; whether it has.
    #[inline(always)]
    fn access_as_gang(&mut self, i: Instruction, gang: &Range<usize>) -> bool {
        let reach = Reach {
            i,
            looks: self.program.looks[i.imm as usize],
            first_only: false,
            in_unison: false,
        };
        self.access_together(reach, gang) || self.learn(reach, i, gang)
    }

    /// Whether all warps go on at one place, and nobody can see in which order until a barrier.
    fn may_go_together(&self) -> bool {
        let mut places = self
            .warps
            .iter()
            .filter(|warp| !warp.ended)
            .map(|warp| warp.pc);
        let first = places.next().unwrap_or_default();
        self.goes_together(first) && places.all(|place| place == first)
    }

    /// Whether warps that all go on at `pc` may go together.
    fn goes_together(&self, pc: usize) -> bool {
        match self.program.together[pc] {
            Order::InTurn => false,
            Order::Watched => !self.in_turn,
            Order::Any => true,
        }
    }

    /// The first warp that may run, with those after it that agree.
    fn next_gang(&self, most: usize) -> Option<Range<usize>> {
        let first = self
            .warps
            .iter()
            .position(|warp| !warp.ended && !warp.waits)?;
        let warps = self.warps[first..].iter().take(most);
        let count = warps
            .take_while(|warp| warp.agrees(&self.warps[first]))
            .count();
        Some(first..first + count)
    }

    /// Draws fuel for the instructions from `pc` on that run in a row, and counts them; where they
    /// end. None if it does not suffice for so many warps.
    #[inline(always)]
    pub(crate) fn draw(&mut self, pc: usize, gang: &Range<usize>) -> Result<Option<usize>, Halt> {
        let stretch = self.program.stretches.at(pc);
        let range = self.program.stretches.range(stretch);
        let wanted = ((range.end - pc) * gang.len()) as u64;
        if !self.lease.take(wanted) {
            self.renew()?;
            if !self.lease.take(wanted) {
                return Ok(None);
            }
        }
        let ran = self.executions(gang.len());
        if pc == range.start {
            self.tally.stretches[stretch].add(ran);
        } else {
            self.count(pc..range.end, ran);
        }
        Ok(Some(range.end))
    }

    /// One instruction run by so many warps.
    fn executions(&self, warps: usize) -> Executions {
        Executions {
            warps: warps as u64,
            lanes: warps as u64 * self.lanes.active_count(),
            divergent: 0,
        }
    }

    fn count(&mut self, instructions: Range<usize>, ran: Executions) {
        for instruction in &mut self.tally.instructions[instructions] {
            instruction.add(ran);
        }
    }

    /// Does `f` for each warp of the gang; stays at the one that fails.
    #[inline(always)]
    pub(crate) fn each(
        &mut self,
        gang: &Range<usize>,
        mut f: impl FnMut(&mut Self) -> Result<(), Box<Diagnostic>>,
    ) -> Result<(), Box<Diagnostic>> {
        for warp in gang.clone() {
            self.lanes.set_gang(&(warp..warp + 1));
            f(self)?;
        }
        self.lanes.set_gang(gang);
        Ok(())
    }

    /// Control flow; nothing where the gang goes on together.
    #[inline(always)]
    fn control(&mut self, pc: usize, gang: &Range<usize>) -> Result<Option<Outcome>, Halt> {
        match self.program.steps[pc].instruction.op {
            Op::Barrier => {
                self.arrive_together(gang)?;
                Ok(Some(Outcome::Waits))
            }
            Op::End => {
                self.warps[gang.start].ended = true;
                Ok(Some(Outcome::Ended))
            }
            _ if self.branch_together(pc, gang) => Ok(None),
            _ => Ok(Some(Outcome::Parted)),
        }
    }

    #[inline(always)]
    fn branch_together(&mut self, pc: usize, gang: &Range<usize>) -> bool {
        let i = self.program.steps[pc].instruction;
        let mut taken = [0; GANG_WARPS];
        if matches!(i.op, Op::If | Op::LeaveUnless) {
            let (rows, active) = (self.lanes.rows(i.a, gang), self.lanes.active());
            (self.program.vectors.nonzero)(rows, &mut taken);
            taken.iter_mut().for_each(|taken| *taken &= active);
        }
        let taken = &taken[..gang.len()];
        if taken.iter().any(|other| *other != taken[0]) {
            self.part(pc, gang, taken);
            return false;
        }
        self.go(pc, gang, taken[0]);
        true
    }

    /// All warps of a gang branch in one way.
    #[inline(always)]
    pub(crate) fn go(&mut self, pc: usize, gang: &Range<usize>, taken: u32) {
        let warp = &mut self.warps[gang.start];
        if warp.branch(self.program.steps[pc].instruction, taken) {
            self.tally.instructions[pc].divergent += gang.len() as u64;
        }
        self.lanes.set_active(warp.active);
    }

    /// All warps of a gang reach a barrier, of which only the first is brought up to date.
    pub(crate) fn arrive_together(&mut self, gang: &Range<usize>) -> Result<(), Halt> {
        self.arrive(gang.start)?;
        if let Some(log) = &mut self.log {
            gang.clone().skip(1).for_each(|warp| log.barrier(warp));
        }
        Ok(())
    }

    /// Each warp of a gang branches for itself.
    pub(crate) fn part(&mut self, pc: usize, gang: &Range<usize>, taken: &[u32]) {
        self.follow(gang);
        for (warp, &taken) in self.warps[gang.clone()].iter_mut().zip(taken) {
            let went_both_ways = warp.branch(self.program.steps[pc].instruction, taken);
            self.tally.instructions[pc].divergent += u64::from(went_both_ways);
        }
    }

    /// Brings the other warps of a gang to where the first is.
    pub(crate) fn follow(&mut self, gang: &Range<usize>) {
        let Some((first, others)) = self.warps[gang.clone()].split_first_mut() else {
            return;
        };
        others.iter_mut().for_each(|warp| warp.follow(first));
    }

    /// Takes back what was counted of `counted` but did not run: a warp has faulted at `pc`, which
    /// those after it in the gang have not reached.
    #[cold]
    pub(crate) fn uncount(&mut self, counted: Range<usize>, pc: usize, gang: &Range<usize>) {
        let later = self.executions(gang.end - 1 - self.lanes.warp);
        self.take_back(counted, pc + 1, gang);
        self.tally.instructions[pc].remove(later);
    }

    /// Takes back what was counted of `counted` from instruction `from` on, which no warp has
    /// reached.
    pub(crate) fn take_back(&mut self, counted: Range<usize>, from: usize, gang: &Range<usize>) {
        let all = self.executions(gang.len());
        let stretch = self.program.stretches.at(counted.start);
        if self.program.stretches.range(stretch) == counted {
            self.tally.stretches[stretch].remove(all);
            self.count(counted.clone(), all);
        }
        for instruction in &mut self.tally.instructions[from..counted.end] {
            instruction.remove(all);
        }
    }

    /// Takes back that a gang has begun with the instructions of `stretch`.
    #[cold]
    pub(crate) fn begin_again(&mut self, stretch: Range<usize>, gang: &Range<usize>) {
        self.take_back(stretch.clone(), stretch.start, gang);
        self.lease.give_back((stretch.len() * gang.len()) as u64);
        self.warps[gang.start].pc = stretch.start;
        self.leave_window();
    }

    /// A warp of a gang has faulted at `pc`. Had the warps run one after the other, those before
    /// it would have gone on first, and might have faulted too.
    #[cold]
    pub(crate) fn faulted(
        &mut self,
        fault: Box<Diagnostic>,
        pc: usize,
        gang: &Range<usize>,
    ) -> Halt {
        let faulty = self.lanes.warp;
        self.warps[gang.start].pc = pc + 1;
        self.follow(gang);
        match self.run_alone(gang.start..faulty) {
            Ok(()) => Halt::Fault(fault),
            Err(earlier) => earlier,
        }
    }
}
