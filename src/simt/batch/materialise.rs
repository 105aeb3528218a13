//! From registers of the first warp to those of all, and back.

use std::ops::Range;

use crate::ir::Register;
use crate::launch::WARP_LANES;
use crate::simt::machine::Machine;
use crate::simt::uniformity::Plan;
use crate::simt::uniformity::Storage;
use crate::simt::uniformity::Web;
use crate::simt::uniformity::{NONE, Shape};
use crate::simt::warp::Vector;

/// Times that warps of a block which went alone are asked whether they agree again: that is not
/// free.
const MOST_CHECKS: u32 = 8;

/// What gangs of a block hold of each other's values.
#[derive(Debug)]
pub struct Held {
    /// By first warp: how many warps of a gang are in unison, and wait for their turn.
    pub waiting: Vec<usize>,
    /// By register, in each by first warp: whether a condition is the same in all warps.
    agreed: Vec<bool>,
    warps: usize,
    /// Times that warps of the block have been asked whether they agree again.
    checks: u32,
}

impl Held {
    /// Nothing, in a block of so many warps.
    pub fn new(registers: usize, warps: usize) -> Self {
        Held {
            waiting: vec![0; warps],
            agreed: vec![false; registers * warps],
            warps,
            checks: 0,
        }
    }

    /// A block begins.
    pub fn clear(&mut self) {
        self.waiting.fill(0);
        self.checks = 0;
    }

    /// Whether a condition is the same in all warps of the gang whose first warp is `first`.
    pub fn agrees(&self, register: Register, first: usize) -> bool {
        self.agreed[usize::from(register) * self.warps + first]
    }

    /// Says whether it is.
    pub fn set_agrees(&mut self, register: Register, first: usize, agrees: bool) {
        self.agreed[usize::from(register) * self.warps + first] = agrees;
    }

    /// Whether the first warp of a gang keeps a value for all of them.
    pub fn keeps_once(&self, storage: Storage, register: Register, first: usize) -> bool {
        match storage {
            Storage::All => false,
            Storage::First => true,
            Storage::Condition => self.agrees(register, first),
        }
    }
}

/// Lanes, and the instruction that they go on with.
type Lanes = (u32, usize);

impl Machine<'_> {
    /// The next gang of warps out of `all`, which agree on where they are, and whether it may go on
    /// in unison.
    pub(crate) fn next_in_unison(&mut self, all: Range<usize>) -> (Range<usize>, bool) {
        let Some(plan) = &self.program.plan else {
            return (all, false);
        };
        let pc = self.warps[all.start].pc;
        if pc == 0 {
            return (all, true);
        }
        let mut end = all.start + self.held.waiting[all.start];
        if end > all.start && end <= all.end {
            self.held.waiting[all.start] = 0;
            while end < all.end {
                let count = self.held.waiting[end];
                if count == 0 || end + count > all.end || !self.joins(plan, all.start, end) {
                    break;
                }
                self.held.waiting[end] = 0;
                end += count;
            }
            return (all.start..end, true);
        }
        self.settle_all();
        let agrees = all.len() > 1 && self.held.checks < MOST_CHECKS && self.agree(plan, &all);
        (all, agrees)
    }

    /// Gives all warps all their values.
    #[cold]
    fn settle_all(&mut self) {
        for first in 0..self.warps.len() {
            let count = std::mem::take(&mut self.held.waiting[first]);
            if count > 0 {
                self.settle(&(first..first + count), self.warps[first].pc);
            }
        }
    }

    /// Whether warps that went alone may go in unison again.
    #[cold]
    fn agree(&mut self, plan: &Plan, gang: &Range<usize>) -> bool {
        self.held.checks += 1;
        let everywhere = self.lanes_and_places(plan, gang.start);
        let agrees = everywhere.iter().all(|&lanes| {
            let mut others = gang.clone().skip(1);
            others.all(|warp| self.follows(plan, gang.start, warp, lanes))
        });
        if agrees {
            for &(_, place) in &everywhere {
                for &(register, _) in plan.webs.entry(self.program.kernel, place).iter() {
                    self.held.set_agrees(register, gang.start, false);
                }
            }
        }
        agrees
    }

    /// Whether the gang that begins with warp `second`, which agrees on where it is with the one
    /// that begins with `first`, may join it.
    fn joins(&self, plan: &Plan, first: usize, second: usize) -> bool {
        let is_condition =
            |&(_, web): &(Register, Web)| plan.storages[web as usize] == Storage::Condition;
        self.lanes_and_places(plan, first).iter().all(|&lanes| {
            !plan
                .webs
                .entry(self.program.kernel, lanes.1)
                .iter()
                .any(is_condition)
                && self.follows(plan, first, second, lanes)
        })
    }

    /// Warps of a gang have parted: those that go the same way stay together, and the first of each
    /// such gang gets its values.
    pub(crate) fn divide(&mut self, plan: &Plan, gang: &Range<usize>, taken: &[u32]) {
        let mut first = gang.start;
        for same in taken.chunk_by(|a, b| a == b) {
            self.held.waiting[first] = same.len();
            if first > gang.start {
                for (mask, place) in self.lanes_and_places(plan, first) {
                    for &(register, web) in plan.webs.entry(self.program.kernel, place).iter().rev()
                    {
                        if plan.needed[web as usize] {
                            self.hand_on(plan, (register, web), [gang.start, first], mask);
                        }
                    }
                }
            }
            first += same.len();
        }
    }

    /// Gives one warp what follows from another's values.
    fn hand_on(
        &mut self,
        plan: &Plan,
        (register, web): (Register, Web),
        [from, to]: [usize; 2],
        mask: u32,
    ) {
        let storage = plan.storages[web as usize];
        if self.held.keeps_once(storage, register, from) {
            let row = self.row_of(plan, (register, web), from, to);
            self.lanes.put(register, to, mask, &row);
        }
        let agrees = self.held.agrees(register, from);
        self.held.set_agrees(register, to, agrees);
    }

    /// Whether the values of a warp differ from those of warp `first` as the plan has it.
    fn follows(&self, plan: &Plan, first: usize, warp: usize, (mask, place): Lanes) -> bool {
        plan.webs
            .entry(self.program.kernel, place)
            .iter()
            .all(|&(register, web)| {
                let has_shape = matches!(
                    plan.shapes.shapes[web as usize],
                    Shape::Differs(_) | Shape::High(_)
                );
                if !has_shape || !plan.needed[web as usize] {
                    return true;
                }
                let expected = self.row_of(plan, (register, web), first, warp);
                let row = self.lanes.row(register, warp);
                (0..WARP_LANES).all(|lane| mask >> lane & 1 == 0 || row[lane] == expected[lane])
            })
    }

    /// The values of a web in one warp, from those of the gang's first.
    fn row_of(
        &self,
        plan: &Plan,
        (register, web): (Register, Web),
        first: usize,
        warp: usize,
    ) -> Vector {
        let row = |register| *self.lanes.row(register, first);
        let change = |offsets| {
            let offsets = plan.shapes.offsets(offsets);
            offsets[warp].wrapping_sub(offsets[first])
        };
        match plan.shapes.shapes[web as usize] {
            Shape::Differs(NONE) | Shape::High(NONE) | Shape::Any | Shape::Unwritten => {
                row(register)
            }
            Shape::Differs(offsets) => {
                let change = change(offsets) as u32;
                row(register).map(|value| value.wrapping_add(change))
            }
            Shape::High(offsets) => {
                let (low, high, change) = (row(register - 1), row(register), change(offsets));
                std::array::from_fn(|lane| {
                    let value = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                    (value.wrapping_add(change) >> 32) as u32
                })
            }
        }
    }

    /// Gives each warp of a gang all its values, as it goes on with instruction `pc`.
    #[cold]
    pub(crate) fn settle(&mut self, gang: &Range<usize>, pc: usize) {
        let Some(plan) = &self.program.plan else {
            return;
        };
        self.warps[gang.start].pc = pc;
        for (mask, place) in self.lanes_and_places(plan, gang.start) {
            let mut live = plan.webs.live(self.program.kernel, place);
            // The high word of a pair is found from its low word, as long as that is the first's.
            live.reverse();
            for (register, web) in live {
                self.settle_web(plan, (register, web), gang, mask);
            }
        }
    }

    /// Gives each warp of a gang what instruction `pc` reads.
    #[cold]
    pub(crate) fn settle_reads(&mut self, plan: &Plan, gang: &Range<usize>, pc: usize) {
        let mask = self.lanes.active();
        let reads = plan.webs.reads(pc);
        let held = reads.flat_map(|(registers, webs)| registers.each().zip(webs.iter().copied()));
        let held: Vec<(Register, Web)> = held.collect();
        for held in held.into_iter().rev() {
            self.settle_web(plan, held, gang, mask);
        }
    }

    fn settle_web(
        &mut self,
        plan: &Plan,
        (register, web): (Register, Web),
        gang: &Range<usize>,
        mask: u32,
    ) {
        if let Some(rows) = plan.shapes.known(web) {
            for warp in gang.clone() {
                self.lanes.put(register, warp, mask, &rows[warp]);
            }
            return;
        }
        let storage = plan.storages[web as usize];
        if self.held.keeps_once(storage, register, gang.start) {
            for warp in gang.clone().skip(1) {
                let row = self.row_of(plan, (register, web), gang.start, warp);
                self.lanes.put(register, warp, mask, &row);
            }
        }
    }

    /// The lanes of a warp, by the instruction that they go on with.
    fn lanes_and_places(&self, plan: &Plan, warp: usize) -> Vec<Lanes> {
        let warp = &self.warps[warp];
        let mut all = vec![(warp.active, warp.pc)];
        if warp.parked().any(|parked| parked != [0, 0]) {
            let joins = plan.joins(self.program.stretches.at(warp.pc));
            for (parked, &joins) in warp.parked().zip(joins) {
                all.extend(parked.into_iter().zip(joins));
            }
        }
        all.retain(|(mask, _)| *mask != 0);
        all
    }
}
