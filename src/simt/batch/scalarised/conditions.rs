//! Conditions of scalarised batches: comparisons of values that differ by known offsets mostly come
//! out the same in all warps, which shows from the least and the greatest of them. With `i < n`, where
//! `i` is 0 to 31 in the first warp and the others' lie up to 224 higher, `n` of 256 or more decides it
//! for all eight warps by two numbers.

use std::ops::Range;

use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::batch::loops::Loops;
use crate::simt::batch::state::BatchMachine;
use crate::simt::uniformity::{OffsetsId, Storage, UNIFORM};
use crate::simt::warp::Vector;

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Interval {
    least: i64,
    most: i64,
}

impl Interval {
    /// That of the active lanes of a register.
    pub(super) fn of(values: &Vector, active: u32, signed: bool, loops: &Loops) -> Self {
        // Flipping the sign bit puts unsigned numbers in the order of signed ones.
        let flip = 1 << 31;
        if signed {
            let (least, most) = (loops.span)(values, active);
            return Interval {
                least: least.into(),
                most: most.into(),
            };
        }
        let (least, most) = (loops.span)(&values.map(|value| value ^ flip), active);
        let back = |value: i32| i64::from(value as u32 ^ flip);
        Interval {
            least: back(least),
            most: back(most),
        }
    }

    /// With all that they may be moved by.
    pub(super) fn widened(self, low: i64, high: i64) -> Self {
        Interval {
            least: self.least + low,
            most: self.most + high,
        }
    }

    /// Whether none of the numbers wraps in 32 bits.
    pub(super) fn is_in_range(self, signed: bool) -> bool {
        match signed {
            true => self.least >= i64::from(i32::MIN) && self.most <= i64::from(i32::MAX),
            false => self.least >= 0 && self.most <= i64::from(u32::MAX),
        }
    }
}

/// What a comparison gives for all values of two intervals, if it is the same for all.
fn decide(op: Op, a: Interval, b: Interval) -> Option<bool> {
    let (are_one, are_apart) = (
        a.least == a.most && a == b,
        a.most < b.least || b.most < a.least,
    );
    let (always, never) = match op {
        Op::LtI32 | Op::LtU32 => (a.most < b.least, a.least >= b.most),
        Op::LeI32 | Op::LeU32 => (a.most <= b.least, a.least > b.most),
        Op::Eq32 => (are_one, are_apart),
        _ => (are_apart, are_one),
    };
    match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A comparison of values that differ from warp to warp by offsets.
struct AffineComparison {
    op: Op,
    signed: bool,
    /// Both operands in the first warp.
    rows: [Vector; 2],
    intervals: [Interval; 2],
}

impl AffineComparison {
    fn new(op: Op, rows: [Vector; 2], active: u32, loops: &Loops) -> Self {
        let signed = !matches!(op, Op::LtU32 | Op::LeU32);
        AffineComparison {
            op,
            signed,
            intervals: [0, 1].map(|at| Interval::of(&rows[at], active, signed, loops)),
            rows,
        }
    }

    /// What it gives in all lanes of all warps whose operands are moved by between `low` and `high`.
    #[inline(always)]
    fn decide(&self, low: [i64; 2], high: [i64; 2]) -> Option<bool> {
        let [a, b] = [0, 1].map(|at| self.intervals[at].widened(low[at], high[at]));
        let fits = a.is_in_range(self.signed) && b.is_in_range(self.signed);
        fits.then(|| decide(self.op, a, b)).flatten()
    }

    /// What it gives in each lane of a warp whose operands are moved by `offsets`.
    fn lane_by_lane(&self, offsets: [u32; 2]) -> Vector {
        let moved = |at: usize| self.rows[at].map(|value| value.wrapping_add(offsets[at]));
        let (a, b) = (moved(0), moved(1));
        std::array::from_fn(|lane| u32::from(holds(self.op, a[lane], b[lane])))
    }
}

impl BatchMachine<'_> {
    /// Compares values that differ from warp to warp by the offsets of `of`.
    pub(super) fn compare(&mut self, i: Instruction, of: [OffsetsId; 2], batch: &Range<usize>) {
        let plan = self.plan;
        let lanes = &mut self.machine.lanes;
        let active = lanes.active();
        let rows = [i.a, i.b].map(|register| *lanes.row(register, batch.start));
        let comparison = AffineComparison::new(i.op, rows, active, &plan.loops);
        let offset = |at: usize, warp: usize| {
            let offsets = plan.scalar.values.offsets(of[at]);
            offsets[warp].wrapping_sub(offsets[batch.start]) as u32
        };
        let reach = [0, 1].map(|at| match of[at] {
            UNIFORM => (0, 0),
            _ => batch.clone().fold((0, 0), |(low, high), warp| {
                let step = i64::from(offset(at, warp) as i32);
                (step.min(low), step.max(high))
            }),
        });
        // First for all warps at once, by the reach of their offsets; only where that leaves it
        // open, warp by warp.
        let decided = comparison.decide(reach.map(|reach| reach.0), reach.map(|reach| reach.1));
        self.scalar
            .set_agrees(i.dst, batch.start, decided.is_some());
        if let Some(outcome) = decided {
            let value = [u32::from(outcome); WARP_LANES];
            lanes.put(i.dst, batch.start, active, &value);
            return;
        }
        for warp in batch.clone() {
            let offsets = [offset(0, warp), offset(1, warp)];
            let steps = offsets.map(|offset| i64::from(offset as i32));
            // Most warps of those that differ are alike within themselves.
            let value = match comparison.decide(steps, steps) {
                Some(outcome) => [u32::from(outcome); WARP_LANES],
                None => comparison.lane_by_lane(offsets),
            };
            lanes.put(i.dst, warp, active, &value);
        }
    }

    /// Makes a condition of conditions that are kept so, in the first warp only or in all.
    pub(super) fn combine(&mut self, i: Instruction, storage: [Storage; 2], batch: &Range<usize>) {
        let first = self.scalar.is_scalar(storage[0], i.a, batch.start);
        let second = self.scalar.is_scalar(storage[1], i.b, batch.start);
        let agreed = first && second;
        self.scalar.set_agrees(i.dst, batch.start, agreed);
        let lanes = &mut self.machine.lanes;
        let count = if agreed { 1 } else { batch.len() };
        for warp in batch.clone().take(count) {
            let row = |register: u16, is_scalar: bool| {
                *lanes.row(register, if is_scalar { batch.start } else { warp })
            };
            let a = row(i.a, first);
            let value = match i.op {
                Op::Mov32 => a,
                op => {
                    let b = row(i.b, second);
                    std::array::from_fn(|lane| match op {
                        Op::And32 => a[lane] & b[lane],
                        _ => a[lane] | b[lane],
                    })
                }
            };
            let active = lanes.active();
            lanes.put(i.dst, warp, active, &value);
        }
    }
}

fn holds(op: Op, a: u32, b: u32) -> bool {
    match op {
        Op::LtI32 => (a as i32) < b as i32,
        Op::LeI32 => a as i32 <= b as i32,
        Op::LtU32 => a < b,
        Op::LeU32 => a <= b,
        Op::Eq32 => a == b,
        _ => a != b,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COMPARISONS: [Op; 6] = [
        Op::Eq32,
        Op::Ne32,
        Op::LtI32,
        Op::LeI32,
        Op::LtU32,
        Op::LeU32,
    ];

    proptest! {
        #[test]
        fn what_is_decided_holds_for_all(
            op in 0_usize..6,
            a in (0_u32..6, 0_u32..3),
            b in (0_u32..6, 0_u32..3),
        ) {
            let op = COMPARISONS[op];
            let interval = |(least, width): (u32, u32)| Interval {
                least: i64::from(least),
                most: i64::from(least + width),
            };
            if let Some(outcome) = decide(op, interval(a), interval(b)) {
                for x in a.0..=a.0 + a.1 {
                    for y in b.0..=b.0 + b.1 {
                        prop_assert_eq!(holds(op, x, y), outcome);
                    }
                }
            }
        }
    }
}
