//! Materialisation: from registers of the first warp to those of all, and back. A scalarised batch that
//! diverges, faults or has to go on warp by warp gets, in every warp, what the warps would hold had
//! they gone alone; warps that come to hold such values again may be scalarised again.

use std::ops::Range;

use crate::ir::Register;
use crate::launch::WARP_LANES;
use crate::simt::batch::state::BatchMachine;
use crate::simt::uniformity::{LiveRegister, OffsetsId, Storage, UNIFORM, Uniformity};
use crate::simt::warp::Vector;

/// Lanes of a warp that go on together.
#[derive(Clone, Copy)]
struct Party {
    lanes: u32,
    /// The instruction that they go on with.
    pc: usize,
}

impl BatchMachine<'_> {
    /// The next batch of warps out of `all`, which agree on where they are, and whether it may go on
    /// scalarised.
    pub(crate) fn next_scalarised(&mut self, all: Range<usize>) -> (Range<usize>, bool) {
        if self.machine.warps[all.start].pc == 0 {
            return (all, true);
        }
        let mut end = all.start + self.scalar.waiting[all.start];
        if end > all.start && end <= all.end {
            self.scalar.waiting[all.start] = 0;
            // Batches that diverged in a loop come together again behind it, if their values still
            // fit each other.
            while end < all.end {
                let count = self.scalar.waiting[end];
                if count == 0 || end + count > all.end || !self.can_join(all.start, end) {
                    break;
                }
                self.scalar.waiting[end] = 0;
                end += count;
            }
            return (all.start..end, true);
        }
        self.materialise_all();
        let agrees = all.len() > 1 && self.scalar.may_check() && self.agree(&all);
        (all, agrees)
    }

    /// Gives all warps all their values.
    #[cold]
    pub(crate) fn materialise_all(&mut self) {
        for first in 0..self.machine.warps.len() {
            let count = std::mem::take(&mut self.scalar.waiting[first]);
            if count > 0 {
                self.materialise(&(first..first + count), self.machine.warps[first].pc);
            }
        }
    }

    /// Whether warps that went alone may be scalarised again.
    #[cold]
    fn agree(&mut self, batch: &Range<usize>) -> bool {
        let parties = self.parties(batch.start);
        let agrees = parties.iter().all(|&party| {
            let mut others = batch.clone().skip(1);
            others.all(|warp| self.follows(batch.start, warp, party))
        });
        if agrees {
            let (plan, kernel) = (self.plan, self.machine.program.kernel);
            for party in parties {
                let entry = plan.scalar.live_ranges.entry(kernel, party.pc);
                for live in entry.iter() {
                    // Conditions were computed by each warp for itself.
                    self.scalar.set_agrees(live.register, batch.start, false);
                }
                self.relocate(&entry, batch, party.lanes, |register, home| {
                    (register, home)
                });
            }
        }
        agrees
    }

    /// Whether the batch that begins with warp `second`, which agrees on where it is with the one
    /// that begins with `first`, may join it.
    fn can_join(&self, first: usize, second: usize) -> bool {
        let scalar = &self.plan.scalar;
        let is_condition =
            |live: &LiveRegister| scalar.storages[live.range as usize] == Storage::Condition;
        self.parties(first).iter().all(|&party| {
            let live = scalar
                .live_ranges
                .entry(self.machine.program.kernel, party.pc);
            // A condition that one batch holds once and the other per warp has no common form.
            !live.iter().any(is_condition) && self.follows(first, second, party)
        })
    }

    /// Warps of a batch have diverged: those that go the same way stay together, and the first of each
    /// such batch gets its values.
    pub(super) fn divide(&mut self, batch: &Range<usize>, taken: &[u32]) {
        let (plan, kernel) = (self.plan, self.machine.program.kernel);
        let (mut first, mut parties) = (batch.start, Vec::new());
        for same in taken.chunk_by(|a, b| a == b) {
            self.scalar.waiting[first] = same.len();
            if first > batch.start {
                self.find_parties(first, &mut parties);
                for party in &parties {
                    let live = plan.scalar.live_ranges.entry(kernel, party.pc);
                    for &live in live.iter().rev() {
                        if plan.scalar.is_needed[live.range as usize] {
                            self.hand_on(live, batch.start, first, party.lanes);
                        }
                    }
                }
            }
            first += same.len();
        }
    }

    /// Gives warp `to` what follows from the values of warp `from`.
    fn hand_on(&mut self, live: LiveRegister, from: usize, to: usize, mask: u32) {
        let storage = self.plan.scalar.storages[live.range as usize];
        if self.scalar.is_scalar(storage, live.register, from) {
            let row = self.row_of(live, from, to);
            self.machine.lanes.put(live.register, to, mask, &row);
        }
        let agrees = self.scalar.agrees(live.register, from);
        self.scalar.set_agrees(live.register, to, agrees);
    }

    /// Whether the values of a warp differ from those of warp `first` as the analysis has it.
    fn follows(&self, first: usize, warp: usize, party: Party) -> bool {
        let scalar = &self.plan.scalar;
        let kernel = self.machine.program.kernel;
        let live = scalar.live_ranges.entry(kernel, party.pc);
        live.iter().all(|&live| {
            let uniformity = scalar.values.uniformity[live.range as usize];
            let is_affine = matches!(
                uniformity,
                Uniformity::Affine(_) | Uniformity::AffineHigh(_)
            );
            if !is_affine || !scalar.is_needed[live.range as usize] {
                return true;
            }
            // Only the lanes of this party: the same register may hold another live range in
            // others.
            let expected = self.row_of(live, first, warp);
            let row = self.machine.lanes.row(live.register, warp);
            (0..WARP_LANES).all(|lane| party.lanes >> lane & 1 == 0 || row[lane] == expected[lane])
        })
    }

    /// The values of a live range in one warp, from those of the batch's first.
    fn row_of(&self, live: LiveRegister, first: usize, warp: usize) -> Vector {
        let values = &self.plan.scalar.values;
        let row = |register| *self.machine.lanes.row(register, first);
        let change = |offsets: OffsetsId| {
            let offsets = values.offsets(offsets);
            offsets[warp].wrapping_sub(offsets[first])
        };
        match values.uniformity[live.range as usize] {
            Uniformity::Affine(offsets) if offsets != UNIFORM => {
                let change = change(offsets) as u32;
                row(live.register).map(|value| value.wrapping_add(change))
            }
            // The carry out of the low word decides it.
            Uniformity::AffineHigh(offsets) if offsets != UNIFORM => {
                let (low, high) = (row(live.register - 1), row(live.register));
                let change = change(offsets);
                std::array::from_fn(|lane| {
                    let value = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                    (value.wrapping_add(change) >> 32) as u32
                })
            }
            _ => row(live.register),
        }
    }

    /// Gives each warp of a batch all its values, as it goes on with instruction `pc`.
    #[cold]
    pub(super) fn materialise(&mut self, batch: &Range<usize>, pc: usize) {
        let (plan, kernel) = (self.plan, self.machine.program.kernel);
        self.machine.warps[batch.start].pc = pc;
        for party in self.parties(batch.start) {
            let live = plan.scalar.live_ranges.live(kernel, party.pc);
            // The high word of a pair is found from its low word, as long as that is the first's.
            for &live in live.iter().rev() {
                self.materialise_range(live, batch, party.lanes);
            }
            self.relocate(&live, batch, party.lanes, |register, home| (home, register));
        }
    }

    /// Moves values between the registers of the kernel's code and those that a scalarised batch has them in.
    fn relocate(
        &mut self,
        live: &[LiveRegister],
        batch: &Range<usize>,
        mask: u32,
        way: impl Fn(Register, Register) -> (Register, Register),
    ) {
        let homes = &self.plan.scalar.homes;
        let away = live.iter().filter_map(|live| {
            let home = homes[live.range as usize];
            (home != live.register).then(|| way(live.register, home))
        });
        let moves: Vec<(Register, Register)> = away.collect();
        let lanes = &mut self.machine.lanes;
        for warp in batch.clone() {
            // All at once: what one leaves another may enter.
            let rows = moves.iter().map(|&(from, _)| *lanes.row(from, warp));
            let rows: Vec<Vector> = rows.collect();
            for (&(_, to), row) in moves.iter().zip(&rows) {
                lanes.put(to, warp, mask, row);
            }
        }
    }

    /// Gives each warp of a batch what instruction `pc` reads.
    #[cold]
    pub(super) fn materialise_operands(&mut self, batch: &Range<usize>, pc: usize) {
        let (plan, mask) = (self.plan, self.machine.lanes.active());
        // The high word of a pair before its low word, from which it is found.
        for (registers, ranges) in plan.scalar.live_ranges.reads(pc).rev() {
            for (&range, register) in ranges.iter().zip(registers.each()).rev() {
                self.materialise_range(LiveRegister { register, range }, batch, mask);
            }
        }
    }

    fn materialise_range(&mut self, live: LiveRegister, batch: &Range<usize>, mask: u32) {
        let scalar = &self.plan.scalar;
        let register = live.register;
        if let Some(rows) = scalar.values.known(live.range) {
            for warp in batch.clone() {
                self.machine.lanes.put(register, warp, mask, &rows[warp]);
            }
            return;
        }
        let storage = scalar.storages[live.range as usize];
        if self.scalar.is_scalar(storage, register, batch.start) {
            for warp in batch.clone().skip(1) {
                let row = self.row_of(live, batch.start, warp);
                self.machine.lanes.put(register, warp, mask, &row);
            }
        }
    }

    /// The lanes of a warp, by the instruction that they go on with.
    fn parties(&self, warp: usize) -> Vec<Party> {
        let mut parties = Vec::new();
        self.find_parties(warp, &mut parties);
        parties
    }

    /// The same, into a list that is used again.
    fn find_parties(&self, warp: usize, parties: &mut Vec<Party>) {
        let warp = &self.machine.warps[warp];
        parties.clear();
        parties.push(Party {
            lanes: warp.active,
            pc: warp.pc,
        });
        // Mostly no lane waits anywhere, and looking up the frames can be left out.
        if warp.frames().any(|frame| !frame.is_empty()) {
            let block = self.machine.program.basic_blocks.at(warp.pc);
            let frames = warp.frames().zip(self.plan.scalar.reconvergence(block));
            for (frame, place) in frames {
                parties.push(Party {
                    lanes: frame.waiting,
                    pc: place.join,
                });
                parties.push(Party {
                    lanes: frame.leaving,
                    pc: place.end,
                });
            }
        }
        parties.retain(|party| party.lanes != 0);
    }
}
