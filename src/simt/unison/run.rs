//! Runs a gang whose warps have gone in unison so far.

use std::ops::Range;

use super::plan::{Part, Plan, Work};
use super::shape::Offsets;
use super::storage::Storage;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::exchange::exchange_in_each;
use crate::simt::gang::{GANG_WARPS, Outcome};
use crate::simt::lanes::SHARED;
use crate::simt::machine::{Halt, Machine};
use crate::simt::program::Action;
use crate::simt::together::Reach;
use crate::source::Diagnostic;

/// How far a stretch went.
enum Went {
    /// To its end.
    On,
    /// To where the gang's turn ends.
    Off(Outcome),
    /// Not past this instruction, which each warp must do for itself.
    UpTo(usize),
}

impl Machine<'_> {
    /// Runs a gang in unison until its warps end, reach a barrier or part. Nothing if it must go on
    /// without: all values are in the registers of each warp then. Unless they part, only the first
    /// warp's state is brought up to date.
    pub(in crate::simt) fn run_in_unison(
        &mut self,
        gang: &Range<usize>,
    ) -> Result<Option<Outcome>, Halt> {
        let program = self.program;
        let Some(plan) = &program.plan else {
            return Ok(None);
        };
        self.lanes.set_gang(gang);
        self.lanes.set_active(self.warps[gang.start].active);
        loop {
            let pc = self.warps[gang.start].pc;
            let Some(end) = self.draw(pc, gang)? else {
                self.settle(gang, pc);
                return Ok(None);
            };
            let went = self.stretch(plan, pc..end, gang)?;
            match went {
                Went::On => {}
                Went::Off(outcome) => return Ok(Some(outcome)),
                Went::UpTo(at) => {
                    self.retreat(pc..end, at, gang);
                    return Ok(None);
                }
            }
        }
    }

    #[inline(always)]
    fn stretch(
        &mut self,
        plan: &Plan,
        range: Range<usize>,
        gang: &Range<usize>,
    ) -> Result<Went, Halt> {
        let count = gang.len();
        let stretch = self.program.stretches.at(range.start);
        for part in plan.parts(stretch) {
            let i = part.i;
            let result = match part.work {
                Work::All(operation) => {
                    operation(&mut self.lanes, i);
                    continue;
                }
                Work::First(operation) => {
                    self.lanes.set_count(1);
                    operation(&mut self.lanes, i);
                    self.lanes.set_count(count);
                    continue;
                }
                Work::Access(looks, first_only) => {
                    let reach = Reach {
                        i,
                        looks,
                        first_only,
                        in_unison: true,
                    };
                    if self.access_together(reach, gang) {
                        continue;
                    }
                    let own = self.program.kernel.code[part.at];
                    self.settle_reads(plan, gang, part.at);
                    if self.learn(reach, own, gang) {
                        continue;
                    }
                    if first_only {
                        return Ok(Went::UpTo(part.at));
                    }
                    self.each(gang, |machine| machine.access(own))
                }
                Work::Compare(of) => {
                    self.compare(plan, i, of, gang);
                    continue;
                }
                Work::Combine(kept) => {
                    self.combine(i, kept, gang);
                    continue;
                }
                Work::Widen(operation, offsets, for_all) => {
                    if !self.stays_narrow(plan, i, offsets, gang) {
                        return Ok(Went::UpTo(part.at));
                    }
                    self.lanes.set_count(if for_all { count } else { 1 });
                    operation(&mut self.lanes, i);
                    self.lanes.set_count(count);
                    continue;
                }
                Work::Exchange(first_only) => self.exchange_in_unison(part, first_only, gang),
                Work::Alone => self.alone(plan, part, gang),
                Work::Control(condition) => {
                    self.warps[gang.start].pc = part.at;
                    return self.turn(plan, part, condition, gang);
                }
            };
            if let Err(fault) = result {
                let faulty = self.lanes.warp;
                self.uncount(range, part.at, gang);
                self.settle(gang, part.at + 1);
                self.lanes.select(faulty);
                return Err(self.faulted(fault, part.at, gang));
            }
        }
        self.warps[gang.start].pc = range.end;
        Ok(Went::On)
    }

    fn alone(
        &mut self,
        plan: &Plan,
        part: &Part,
        gang: &Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        self.settle_reads(plan, gang, part.at);
        match self.program.steps[part.at].action {
            Action::Atomic => self.each(gang, |machine| machine.atomic(part.i)),
            _ => self.each(gang, |machine| machine.effect(part.i)),
        }
    }

    fn exchange_in_unison(
        &mut self,
        part: &Part,
        first_only: bool,
        gang: &Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        let live = self.warps[gang.start].live;
        let warps = if first_only { 1 } else { gang.len() };
        let warps = gang.start..gang.start + warps;
        let span = || self.program.span_at(part.at);
        exchange_in_each(&mut self.lanes, part.i, warps, live, span)?;
        self.lanes.set_count(gang.len());
        Ok(())
    }

    /// Whether a 32-bit value that differs by offsets wraps in no warp.
    fn stays_narrow(
        &self,
        plan: &Plan,
        i: Instruction,
        offsets: Offsets,
        gang: &Range<usize>,
    ) -> bool {
        let (row, active) = (
            self.lanes.row(i.a & !SHARED, gang.start),
            self.lanes.active(),
        );
        let offsets = plan.shapes.offsets(offsets);
        (0..WARP_LANES)
            .filter(|lane| active >> lane & 1 == 1)
            .all(|lane| {
                gang.clone().all(|warp| {
                    let change = offsets[warp].wrapping_sub(offsets[gang.start]) as i64;
                    let (sum, wrapped) = match i.op {
                        Op::I32ToI64 => {
                            let sum = i64::from(row[lane] as i32) + change;
                            (sum, i64::from(sum as i32))
                        }
                        _ => {
                            let sum = i64::from(row[lane]) + change;
                            (sum, i64::from(sum as u32))
                        }
                    };
                    sum == wrapped
                })
            })
    }

    /// Control flow.
    #[inline(always)]
    fn turn(
        &mut self,
        plan: &Plan,
        part: &Part,
        condition: Storage,
        gang: &Range<usize>,
    ) -> Result<Went, Halt> {
        match part.i.op {
            Op::Barrier => {
                self.arrive_together(gang)?;
                self.held.waiting[gang.start] = gang.len();
                return Ok(Went::Off(Outcome::Waits));
            }
            Op::End => {
                self.warps[gang.start].ended = true;
                return Ok(Went::Off(Outcome::Ended));
            }
            _ => {}
        }
        let mut taken = [0; GANG_WARPS];
        if matches!(part.i.op, Op::If | Op::LeaveUnless) {
            let is_one = self.held.keeps_once(condition, part.i.a, gang.start);
            self.look_at(part.i, is_one, gang, &mut taken);
        }
        let taken = &taken[..gang.len()];
        if taken.iter().any(|other| *other != taken[0]) {
            self.part(part.at, gang, taken);
            self.divide(plan, gang, taken);
            return Ok(Went::Off(Outcome::Parted));
        }
        self.go(part.at, gang, taken[0]);
        Ok(Went::On)
    }

    /// The active lanes in which a condition holds, warp by warp.
    #[inline(always)]
    fn look_at(
        &mut self,
        i: Instruction,
        is_one: bool,
        gang: &Range<usize>,
        taken: &mut [u32; GANG_WARPS],
    ) {
        let active = self.lanes.active();
        if is_one {
            self.lanes.set_count(1);
            *taken = [self.lanes.nonzero(i.a) & active; GANG_WARPS];
        } else {
            for (taken, warp) in taken.iter_mut().zip(gang.clone()) {
                self.lanes.select(warp);
                *taken = self.lanes.nonzero(i.a) & active;
            }
        }
        self.lanes.set_count(gang.len());
    }

    /// Takes back what was counted of a stretch from instruction `at` on, where the gang goes on
    /// without unison.
    #[cold]
    fn retreat(&mut self, stretch: Range<usize>, at: usize, gang: &Range<usize>) {
        self.take_back(stretch.clone(), at, gang);
        self.lease
            .give_back(((stretch.end - at) * gang.len()) as u64);
        self.settle(gang, at);
        self.warps[gang.start].pc = at;
    }
}
