//! Runs a gang whose warps have gone in unison so far.

use std::ops::Range;

use super::adjacent_blocks::MOST_WARPS;
use super::cached_access::Reach;
use super::lockstep::Outcome;
use super::partial_if::Narrow;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::machine::{Halt, Machine};
use crate::simt::operations::exchange_in_each;
use crate::simt::program::Action;
use crate::simt::uniformity::Offsets;
use crate::simt::uniformity::Storage;
use crate::simt::uniformity::{Part, Plan, Work};
use crate::simt::warp::SHARED;
use crate::source::Diagnostic;

/// How far a stretch went.
enum Went {
    /// To its end.
    On,
    /// To where the gang's turn ends.
    Off(Outcome),
    /// Not past this instruction, which each warp must do for itself.
    UpTo(usize),
    /// Nowhere: each warp must do all of it before the next one does.
    Nowhere,
    /// To its end, and on with some of the warps.
    Into(Narrow),
}

impl Machine<'_> {
    /// Runs a gang in unison until its warps end, reach a barrier or part. Nothing if it must go on
    /// without: all values are in the registers of each warp then. Unless they part, only the first
    /// warp's state is brought up to date.
    pub(crate) fn run_in_unison(&mut self, gang: &Range<usize>) -> Result<Option<Outcome>, Halt> {
        let program = self.program;
        let Some(plan) = &program.plan else {
            return Ok(None);
        };
        self.lanes.set_gang(gang);
        self.lanes.set_active(self.warps[gang.start].active);
        let mut narrow: Option<Narrow> = None;
        loop {
            let pc = self.warps[gang.start].pc;
            if let Some(whole) = narrow.take_if(|narrow| narrow.end == pc) {
                self.widen(&whole);
                continue;
            }
            let now = narrow.as_ref().map_or(gang, |narrow| &narrow.inside);
            let Some(end) = self.draw(pc, now)? else {
                self.settle(now, pc);
                return Ok(self.without_unison(plan, narrow));
            };
            match self.stretch(plan, pc..end, now)? {
                Went::On => {}
                Went::Off(outcome) => return Ok(Some(outcome)),
                Went::Into(inside) => narrow = Some(inside),
                Went::Nowhere => {
                    self.begin_again(pc..end, now);
                    self.settle(now, pc);
                    if let Some(narrow) = &narrow {
                        self.abandon(plan, narrow);
                        self.run_inside(narrow)?;
                        return Ok(Some(Outcome::Parted));
                    }
                    return Ok(Some(Outcome::InTurn));
                }
                Went::UpTo(at) => {
                    self.retreat(pc..end, at, now);
                    return Ok(self.without_unison(plan, narrow));
                }
            }
        }
    }

    /// What comes of a gang that must go on without unison.
    #[cold]
    fn without_unison(&mut self, plan: &Plan, narrow: Option<Narrow>) -> Option<Outcome> {
        narrow.map(|narrow| {
            self.abandon(plan, &narrow);
            self.follow(&narrow.inside);
            Outcome::Parted
        })
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
                    if self.must_part(own, gang) {
                        return Ok(Went::Nowhere);
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
                        if !self.early.is_empty() {
                            return Ok(Went::Nowhere);
                        }
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
        let is_asked = matches!(part.i.op, Op::If | Op::LeaveUnless);
        if !is_asked || self.held.keeps_once(condition, part.i.a, gang.start) {
            let first = gang.start..gang.start + 1;
            let taken = if is_asked {
                self.look_at(part.i, &first)[0]
            } else {
                0
            };
            self.go(part.at, gang, taken);
            return Ok(Went::On);
        }
        let taken = self.look_at(part.i, gang);
        let taken = &taken[..gang.len()];
        if taken.iter().any(|other| *other != taken[0]) {
            if let Some(narrow) = self.narrow(plan, part.at, gang, taken) {
                return Ok(Went::Into(narrow));
            }
            self.part(part.at, gang, taken);
            self.divide(plan, gang, taken);
            return Ok(Went::Off(Outcome::Parted));
        }
        self.go(part.at, gang, taken[0]);
        Ok(Went::On)
    }

    /// The active lanes in which a condition holds, warp by warp.
    #[inline(always)]
    fn look_at(&self, i: Instruction, warps: &Range<usize>) -> [u32; MOST_WARPS] {
        let (rows, active) = (self.lanes.rows(i.a, warps), self.lanes.active());
        let mut taken = [0; MOST_WARPS];
        (self.program.vectors.nonzero)(rows, &mut taken);
        for taken in &mut taken[..rows.len()] {
            *taken &= active;
        }
        taken
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
