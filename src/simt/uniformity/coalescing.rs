//! Register coalescing (G. Chaitin, "Register allocation & spilling via graph coloring", 1982): values of each warp that
//! are copied from register to register are kept in one, and the copies leave a scalarised batch nothing to do.
//!
//! ```text
//! ld r62, r60                        ld r27, r60
//! mov r36, r62               →
//! mov r27, r36
//! ```
//!
//! Only where a batch keeps values changes, not the kernel's code: a batch that goes on warp by warp puts them where the
//! code has them.
//!
//! Two slots stand for each instruction, one in which it reads and one in which it writes. A live range may move to a
//! register that is free in all of its slots. Each lane follows its own path through the code, and an instruction writes
//! active lanes only, so that lanes which wait meanwhile lose nothing.

use std::ops::Range;

use super::live_ranges::{LiveRange, Stretch};
use super::placement::{Facts, Storage};
use crate::ir::{Op, Operand, Register, Registers};
use crate::simt::program::Action;

/// Most registers times instructions of a kernel that is looked through: a table has two bits for each.
const MOST_LOOKED_AT: usize = 1 << 23;

/// Which register holds each live range in a scalarised batch; `may_run_twice` are instructions in blocks that begin
/// again with what they have found.
pub fn coalesce(
    facts: &Facts<'_>,
    storages: &[Storage],
    may_run_twice: &[Range<usize>],
) -> Vec<Register> {
    let registers = usize::from(facts.kernel.registers);
    let homes = facts.ranges.registers(facts.kernel);
    if registers * facts.kernel.code.len() > MOST_LOOKED_AT {
        return homes;
    }
    let mut coalescing = Coalescing::new(facts, homes, storages, may_run_twice);
    for at in 0..facts.kernel.code.len() {
        if facts.is_copy(at) {
            coalescing.join(facts, storages, at);
        }
    }
    coalescing.homes
}

/// Live ranges and the registers that they have so far.
struct Coalescing {
    homes: Vec<Register>,
    stretches: Vec<Vec<Stretch>>,
    occupied: Occupancy,
    /// By live range: the number of its class. All of a class move together, as the words of one operand do.
    classes: Vec<usize>,
    /// By class.
    members: Vec<Vec<LiveRange>>,
    /// By class: whether it has to stay where it is.
    is_fixed: Vec<bool>,
}

impl Coalescing {
    fn new(
        facts: &Facts<'_>,
        homes: Vec<Register>,
        storages: &[Storage],
        may_run_twice: &[Range<usize>],
    ) -> Self {
        let count = facts.ranges.count;
        let is_late = |at: usize, read: Registers, ranges: &[LiveRange]| {
            outlives_writing(facts, storages, at, read, ranges)
        };
        let stretches = facts.ranges.stretches(facts.kernel, is_late);
        let mut occupied = Occupancy::new(facts.kernel.registers, facts.kernel.code.len());
        for (stretches, &home) in stretches.iter().zip(&homes) {
            occupied.fill(home, stretches, true);
        }
        let is_fixed = (0..count).map(|range| {
            storages[range] != Storage::EachWarp || facts.is_known(&[range as LiveRange])
        });
        let mut coalescing = Coalescing {
            homes,
            stretches,
            occupied,
            classes: (0..count).collect(),
            members: (0..count).map(|range| vec![range as LiveRange]).collect(),
            is_fixed: is_fixed.collect(),
        };
        coalescing.fix(facts, may_run_twice);
        for at in 0..facts.kernel.code.len() {
            for (_, ranges) in facts.ranges.operands(at) {
                for words in ranges.windows(2) {
                    coalescing.unite(words[0], words[1]);
                }
            }
        }
        coalescing
    }

    /// Leaves where they are what the launch sets, and what blocks that may begin again use.
    fn fix(&mut self, facts: &Facts<'_>, may_run_twice: &[Range<usize>]) {
        for live in &facts.ranges.initial {
            self.is_fixed[live.range as usize] = true;
            // Registers that the launch sets and no instruction writes are not set again for the next block.
            self.occupied.close(live.register);
        }
        for at in may_run_twice.iter().cloned().flatten() {
            for &range in facts.ranges.operands(at).flat_map(|(_, ranges)| ranges) {
                self.is_fixed[range as usize] = true;
            }
        }
    }

    /// What one of them has to do, both do from here on.
    fn unite(&mut self, a: LiveRange, b: LiveRange) {
        let [mut a, mut b] = [a, b].map(|range| self.classes[range as usize]);
        if a == b {
            return;
        }
        // The smaller one is renumbered.
        if self.members[a].len() < self.members[b].len() {
            std::mem::swap(&mut a, &mut b);
        }
        let moved = std::mem::take(&mut self.members[b]);
        for &range in &moved {
            self.classes[range as usize] = a;
        }
        self.members[a].extend(moved);
        self.is_fixed[a] |= self.is_fixed[b];
    }

    /// Gives what the copy at `at` reads and what it writes one register, if that can be.
    fn join(&mut self, facts: &Facts<'_>, storages: &[Storage], at: usize) {
        let read = facts.ranges.reads(at).flat_map(|(_, ranges)| ranges).next();
        let (Some(&from), Some(&to)) = (read, facts.ranges.writes(at).first()) else {
            return;
        };
        let of_each = |range: LiveRange| {
            storages[range as usize] == Storage::EachWarp && !facts.is_known(&[range])
        };
        if !of_each(from) || !of_each(to) {
            return;
        }
        let [source, target] = [from, to].map(|range| self.classes[range as usize]);
        let distance = i32::from(self.homes[to as usize]) - i32::from(self.homes[from as usize]);
        if distance == 0 || source == target {
            return;
        }
        if self.shift(source, distance) || self.shift(target, -distance) {
            self.unite(from, to);
        }
    }

    /// Moves a class by so many registers, if they are free; whether it has.
    fn shift(&mut self, class: usize, distance: i32) -> bool {
        if self.is_fixed[class] {
            return false;
        }
        let members = &self.members[class];
        // First out of its own way.
        for &range in members {
            let range = range as usize;
            self.occupied
                .fill(self.homes[range], &self.stretches[range], false);
        }
        let moved = |range: LiveRange| {
            Register::try_from(i32::from(self.homes[range as usize]) + distance).ok()
        };
        let fits = members.iter().all(|&range| {
            let stretches = &self.stretches[range as usize];
            moved(range).is_some_and(|register| self.occupied.is_free(register, stretches))
        });
        for &range in members {
            let range = range as usize;
            let home = i32::from(self.homes[range]) + if fits { distance } else { 0 };
            self.homes[range] = home as Register;
            self.occupied
                .fill(self.homes[range], &self.stretches[range], true);
        }
        fits
    }
}

/// Whether the instruction at `at` may still read an operand when it has begun to write its result.
fn outlives_writing(
    facts: &Facts<'_>,
    storages: &[Storage],
    at: usize,
    read: Registers,
    ranges: &[LiveRange],
) -> bool {
    let op = facts.kernel.code[at].op;
    match facts.code[at].action {
        // Each warp's operands are read before its result is written; those that one warp has for all are read again.
        Action::Lanes(_) => ranges
            .iter()
            .any(|&range| storages[range as usize] != Storage::EachWarp),
        _ => !(has_all_sums_first(op) && read.operand == Operand::C128),
    }
}

/// Whether a product of matrices has all of its sums before it writes the first.
fn has_all_sums_first(op: Op) -> bool {
    matches!(
        op,
        Op::MmaF32F16 | Op::MmaF32Bf16 | Op::MmaF32Tf32 | Op::MmaF32Tf32K4 | Op::MmaF16F16
    )
}

impl Facts<'_> {
    /// Whether the instruction at `at` copies values as they are.
    pub fn is_copy(&self, at: usize) -> bool {
        matches!(self.kernel.code[at].op, Op::Mov32 | Op::Mov64)
    }
}

/// Which registers hold values of which instructions' slots.
struct Occupancy {
    bits: Vec<u64>,
    /// Words of a register.
    words: usize,
}

impl Occupancy {
    fn new(registers: u16, instructions: usize) -> Self {
        let words = (2 * instructions).div_ceil(64);
        Occupancy {
            bits: vec![0; words * usize::from(registers)],
            words,
        }
    }

    /// Nothing fits into a register any more.
    fn close(&mut self, register: Register) {
        let first = usize::from(register) * self.words;
        self.bits[first..first + self.words].fill(u64::MAX);
    }

    /// Whether a register there is holds nothing in these slots.
    fn is_free(&self, register: Register, stretches: &[Stretch]) -> bool {
        let first = usize::from(register) * self.words;
        let Some(words) = self.bits.get(first..first + self.words) else {
            return false;
        };
        let mut masks = stretches.iter().flat_map(masks);
        masks.all(|(word, mask)| words[word] & mask == 0)
    }

    fn fill(&mut self, register: Register, stretches: &[Stretch], is_taken: bool) {
        let first = usize::from(register) * self.words;
        for (word, mask) in stretches.iter().flat_map(masks) {
            let bits = &mut self.bits[first + word];
            *bits = if is_taken {
                *bits | mask
            } else {
                *bits & !mask
            };
        }
    }
}

/// The words of a register that a stretch goes through, and its bits there.
fn masks(stretch: &Stretch) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (stretch.first as usize, stretch.last as usize);
    (first / 64..=last / 64).map(move |word| {
        let low = first.saturating_sub(word * 64);
        let high = (last - word * 64).min(63);
        (word, u64::MAX >> (63 - high) & u64::MAX << low)
    })
}
