//! Reductions of a warp, and lanes that hold the same.

use crate::ir::{Instruction, Op};
use crate::simt::warp::set_bits;
use crate::simt::warp::{Lanes, Vector, join};

/// The result of a reduction or match in each lane; `masks` holds the lanes that each takes part
/// with, all of them active.
pub fn collective(lanes: &Lanes<'_>, i: Instruction, masks: &Vector) -> Vector {
    let active = lanes.active();
    let wide = matches!(i.op, Op::MatchAny64 | Op::MatchAll64);
    let low = *lanes.get(i.a);
    let high = if wide { *lanes.get(i.a + 1) } else { [0; 32] };
    let values: [u64; 32] = std::array::from_fn(|lane| join(&(low, high), lane));
    // Lanes of one warp may pass different masks, each of which makes a group of its own.
    let mut result = [0; 32];
    for lane in set_bits(active) {
        // The caller has checked that all live lanes of the mask are here.
        let others = set_bits(masks[lane] & active);
        let same = |mask, other: usize| mask | u32::from(values[other] == values[lane]) << other;
        result[lane] = match i.op {
            Op::MatchAny32 | Op::MatchAny64 => others.fold(0, same),
            Op::MatchAll32 | Op::MatchAll64 => {
                let all = masks[lane] & active;
                if others.fold(0, same) == all { all } else { 0 }
            }
            op => {
                let words = others.map(|other| low[other]);
                words.reduce(|a, b| combine(op, a, b)).unwrap_or(0)
            }
        };
    }
    result
}

fn combine(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::ReduceMinI32 => (a as i32).min(b as i32) as u32,
        Op::ReduceMinU32 => a.min(b),
        Op::ReduceMaxI32 => (a as i32).max(b as i32) as u32,
        Op::ReduceMaxU32 => a.max(b),
        Op::ReduceAnd => a & b,
        Op::ReduceOr => a | b,
        Op::ReduceXor => a ^ b,
        _ => a.wrapping_add(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simt::warp::Geometry;

    fn naive(op: Op, values: &[u32], mask: u32, lane: usize) -> u32 {
        let of = |mask: u32| (0..32).filter(move |lane| mask >> lane & 1 == 1);
        let chosen: Vec<u32> = of(mask).map(|lane| values[lane]).collect();
        let signed = || chosen.iter().map(|&value| value as i32);
        let agree = of(mask).filter(|&other| values[other] == values[lane]);
        let agree: u32 = agree.map(|lane| 1 << lane).sum();
        match op {
            Op::ReduceAdd => (chosen.iter().map(|&value| u64::from(value)).sum::<u64>()) as u32,
            Op::ReduceMinI32 => signed().min().expect("some") as u32,
            Op::ReduceMaxI32 => signed().max().expect("some") as u32,
            Op::ReduceMinU32 => *chosen.iter().min().expect("some"),
            Op::ReduceMaxU32 => *chosen.iter().max().expect("some"),
            Op::ReduceAnd => !chosen.iter().fold(0, |none, value| none | !value),
            Op::ReduceOr => chosen.iter().fold(0, |all, value| all | value),
            Op::ReduceXor => (0..32)
                .map(|bit| {
                    (chosen
                        .iter()
                        .filter(|value| **value >> bit & 1 == 1)
                        .count() as u32
                        & 1)
                        << bit
                })
                .sum(),
            Op::MatchAny32 => agree,
            _ if agree == mask => mask,
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn lanes_of_a_mask_are_put_together(
            values in prop::array::uniform32(prop_oneof![0_u32..3, any::<u32>()]),
            active in 1_u32..,
        ) {
            let geometry = Geometry::new([1, 1, 1], [32, 1, 1], 1);
            let image = vec![values, [active; 32]];
            let mut lanes = Lanes::new(&image, &geometry, &[]);
            lanes.set_active(active);
            for op in [
                Op::ReduceAdd, Op::ReduceMinI32, Op::ReduceMinU32, Op::ReduceMaxI32,
                Op::ReduceMaxU32, Op::ReduceAnd, Op::ReduceOr, Op::ReduceXor,
                Op::MatchAny32, Op::MatchAll32,
            ] {
                let i = Instruction { op, dst: 0, a: 0, b: 1, c: 0, imm: 0 };
                let found = collective(&lanes, i, &[active; 32]);
                for lane in set_bits(active) {
                    let expected = naive(op, &values, active, lane);
                    prop_assert_eq!(found[lane], expected, "{:?} lane {}", op, lane);
                }
            }
        }
    }
}
