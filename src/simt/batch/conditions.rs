//! Conditions: comparisons of values that differ by known offsets mostly come out the same in all
//! warps, which shows from the least and the greatest of them.

use std::ops::Range;

use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::machine::Machine;
use crate::simt::operations::Vectors;
use crate::simt::uniformity::Plan;
use crate::simt::uniformity::Storage;
use crate::simt::uniformity::{NONE, Offsets};
use crate::simt::warp::Vector;

/// The least and the greatest of some numbers.
type Span = (i64, i64);

impl Machine<'_> {
    /// Compares values that differ from warp to warp by the offsets of `of`.
    pub(crate) fn compare(
        &mut self,
        plan: &Plan,
        i: Instruction,
        of: [Offsets; 2],
        gang: &Range<usize>,
    ) {
        let signed = !matches!(i.op, Op::LtU32 | Op::LeU32);
        let active = self.lanes.active();
        let rows = [i.a, i.b].map(|register| *self.lanes.row(register, gang.start));
        let changes = of.map(|offsets| {
            let offsets = plan.shapes.offsets(offsets);
            let change = |warp: usize| offsets[warp].wrapping_sub(offsets[gang.start]) as u32;
            move |warp| change(warp)
        });
        let firsts = [0, 1].map(|at| span_of(&rows[at], active, signed, &self.program.vectors));
        let outcome = |spans: [Span; 2]| {
            let fits = spans.iter().all(|&span| is_in_range(span, signed));
            fits.then(|| decide(i.op, spans[0], spans[1])).flatten()
        };
        let decided = outcome([0, 1].map(|at| {
            let (mut low, mut high) = (0, 0);
            if of[at] != NONE {
                for step in gang.clone().map(|warp| i64::from(changes[at](warp) as i32)) {
                    (low, high) = (step.min(low), step.max(high));
                }
            }
            (firsts[at].0 + low, firsts[at].1 + high)
        }));
        self.held.set_agrees(i.dst, gang.start, decided.is_some());
        if let Some(outcome) = decided {
            let value = [u32::from(outcome); WARP_LANES];
            self.lanes.put(i.dst, gang.start, active, &value);
            return;
        }
        for warp in gang.clone() {
            // Most warps of those that differ are alike within themselves.
            let alone = outcome([0, 1].map(|at| {
                let step = i64::from(changes[at](warp) as i32);
                (firsts[at].0 + step, firsts[at].1 + step)
            }));
            if let Some(outcome) = alone {
                let value = [u32::from(outcome); WARP_LANES];
                self.lanes.put(i.dst, warp, active, &value);
                continue;
            }
            let moved = |at: usize| {
                let change = changes[at](warp);
                rows[at].map(|value| value.wrapping_add(change))
            };
            let (a, b) = (moved(0), moved(1));
            let value = std::array::from_fn(|lane| u32::from(holds(i.op, a[lane], b[lane])));
            self.lanes.put(i.dst, warp, active, &value);
        }
    }

    /// Makes a condition of conditions that are kept so, in the first warp only or in all.
    pub(crate) fn combine(&mut self, i: Instruction, kept: [Storage; 2], gang: &Range<usize>) {
        let first = self.held.keeps_once(kept[0], i.a, gang.start);
        let second = self.held.keeps_once(kept[1], i.b, gang.start);
        let row = |machine: &Self, register: u16, agrees: bool, warp: usize| {
            let warp = if agrees { gang.start } else { warp };
            *machine.lanes.row(register, warp)
        };
        let agreed = first && second;
        self.held.set_agrees(i.dst, gang.start, agreed);
        let count = if agreed { 1 } else { gang.len() };
        for warp in gang.clone().take(count) {
            let a = row(self, i.a, first, warp);
            let value = match i.op {
                Op::Mov32 => a,
                op => {
                    let b = row(self, i.b, second, warp);
                    let join = |lane: usize| match op {
                        Op::And32 => a[lane] & b[lane],
                        _ => a[lane] | b[lane],
                    };
                    std::array::from_fn(join)
                }
            };
            let active = self.lanes.active();
            self.lanes.put(i.dst, warp, active, &value);
        }
    }
}

/// The least and the greatest value of some lanes.
fn span_of(values: &Vector, active: u32, signed: bool, vectors: &Vectors) -> Span {
    let flip = 1 << 31;
    if signed {
        let (least, most) = (vectors.span)(values, active);
        return (least.into(), most.into());
    }
    let (least, most) = (vectors.span)(&values.map(|value| value ^ flip), active);
    let back = |value: i32| i64::from(value as u32 ^ flip);
    (back(least), back(most))
}

fn is_in_range((least, most): Span, signed: bool) -> bool {
    match signed {
        true => least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX),
        false => least >= 0 && most <= i64::from(u32::MAX),
    }
}

/// What a comparison gives for all values of two spans, if it is the same for all.
fn decide(op: Op, a: Span, b: Span) -> Option<bool> {
    let (always, never) = match op {
        Op::LtI32 | Op::LtU32 => (a.1 < b.0, a.0 >= b.1),
        Op::LeI32 | Op::LeU32 => (a.1 <= b.0, a.0 > b.1),
        Op::Eq32 => (a.0 == a.1 && a == b, a.1 < b.0 || b.1 < a.0),
        _ => (a.1 < b.0 || b.1 < a.0, a.0 == a.1 && a == b),
    };
    match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
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
            let span = |(least, width): (u32, u32)| (i64::from(least), i64::from(least + width));
            if let Some(outcome) = decide(op, span(a), span(b)) {
                for x in a.0..=a.0 + a.1 {
                    for y in b.0..=b.0 + b.1 {
                        prop_assert_eq!(holds(op, x, y), outcome);
                    }
                }
            }
        }
    }
}
