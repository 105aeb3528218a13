//! The curve of a formula over a size: through whole values alone, and as a staircase where it is one.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::lesson::cells::Scale;
use crate::lesson::sizes::Size;

/// Most values of a size that a formula is drawn at.
pub(super) const FORMULA_VALUES: u64 = 512;

/// Values of `size` that something is drawn at, rising: those it lists, else whole numbers from its least to
/// its most: all of them if they are `count` at most, else so many, spread as the scale has it.
pub(super) fn values(size: &Size, scale: Scale, count: u64) -> Vec<u64> {
    // 0 has no logarithm.
    let least = match scale {
        Scale::Linear => size.min,
        Scale::Log | Scale::Log2 => size.min.max(1),
    };
    let most = size.max.max(least);
    if !size.values.is_empty() {
        return size.values.clone();
    }
    if most - least < count {
        return (least..=most).collect();
    }
    let (low, high) = (least as f64, most as f64);
    let place = |at: u64| {
        let share = at as f64 / (count - 1) as f64;
        let value = match scale {
            Scale::Linear => low + (high - low) * share,
            Scale::Log | Scale::Log2 => low * (high / low).powf(share),
        };
        (value.round() as u64).clamp(least, most)
    };
    let mut values: Vec<u64> = (0..count).map(place).collect();
    // Close to one, steps of equal ratio are less than one: several places round to the same number.
    values.dedup();
    values
}

/// A point of a curve over whole numbers.
#[derive(Clone, Copy, PartialEq)]
struct Corner {
    x: u64,
    y: u64,
}

/// Corners of the curve of `y` through `xs`, which rise. Where `y` jumps between two flat parts the corners
/// are those of a step, at the value from which on it is the new one.
pub(super) fn corners(xs: &[u64], y: impl Fn(u64) -> Option<u64>) -> Vec<(f64, f64)> {
    let curve = Curve {
        y,
        values: BTreeMap::new().into(),
        first: xs.first().copied().unwrap_or(0),
        last: xs.last().copied().unwrap_or(0),
    };
    let mut corners: Vec<Corner> = Vec::new();
    for &x in xs {
        let Some(y) = curve.at(x) else { continue };
        let corner = Corner { x, y };
        if let Some(&before) = corners.last()
            && let Some(step) = curve.step(before, corner)
        {
            corners.push(Corner { x: step, ..before });
            corners.push(Corner { x: step, y });
        }
        corners.push(corner);
    }
    corners.dedup();
    // Between two corners of the same height one says nothing.
    let is_inside = |at: usize| {
        let beside = at.checked_sub(1).and_then(|left| corners.get(left));
        let beside = beside.zip(corners.get(at + 1));
        beside.is_some_and(|(left, right)| left.y == corners[at].y && right.y == corners[at].y)
    };
    let bends = (0..corners.len()).filter(|&at| !is_inside(at));
    bends
        .map(|at| (corners[at].x as f64, corners[at].y as f64))
        .collect()
}

/// A function of whole numbers, each value of which is found once.
struct Curve<F> {
    y: F,
    /// What was found so far.
    values: RefCell<BTreeMap<u64, Option<u64>>>,
    /// Before this it has no values.
    first: u64,
    /// Nor behind this.
    last: u64,
}

impl<F: Fn(u64) -> Option<u64>> Curve<F> {
    fn at(&self, x: u64) -> Option<u64> {
        let mut values = self.values.borrow_mut();
        *values.entry(x).or_insert_with(|| (self.y)(x))
    }

    /// The value at which the curve jumps from `low` to `high`, if it is flat around the jump: found by
    /// bisection, which a third height on the way ends.
    fn step(&self, low: Corner, high: Corner) -> Option<u64> {
        if low.y == high.y {
            return None;
        }
        let (mut before, mut after) = (low.x, high.x);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            match self.at(middle)? {
                y if y == low.y => before = middle,
                y if y == high.y => after = middle,
                _ => return None,
            }
        }
        let (is_first, is_last) = (before == self.first, after == self.last);
        let flat_before = !is_first && self.at(before - 1) == Some(low.y);
        let flat_after = !is_last && self.at(after + 1) == Some(high.y);
        // What lies beyond an end counts as flat, but not on both sides: two points alone are no step.
        let is_step = (flat_before || is_first) && (flat_after || is_last);
        (is_step && (flat_before || flat_after)).then_some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(min: u64, max: u64, values: &[u64]) -> Size {
        Size {
            name: "G".to_owned(),
            label: "blocks".to_owned(),
            default: min,
            min,
            max,
            values: values.to_vec(),
        }
    }

    #[test]
    fn a_formula_is_drawn_at_values_that_the_size_can_have() {
        let values = |size: &Size, scale| super::values(size, scale, 100);
        assert_eq!(
            values(&size(1, 9, &[]), Scale::Log),
            (1..=9).collect::<Vec<_>>()
        );
        assert_eq!(values(&size(0, 2, &[]), Scale::Linear), [0, 1, 2]);
        assert_eq!(values(&size(2, 16, &[2, 8, 16]), Scale::Linear), [2, 8, 16]);
        let long = values(&size(1, 1 << 26, &[]), Scale::Log2);
        assert!(long.len() <= 100 && long.is_sorted());
        assert_eq!((long[0], long.last().copied()), (1, Some(1 << 26)));
    }

    #[test]
    fn a_staircase_has_upright_steps() {
        let xs: Vec<u64> = (1..=9).collect();
        let waves = corners(&xs, |x| Some(x.div_ceil(4)));
        let steps = [(1., 1.), (5., 1.), (5., 2.), (9., 2.), (9., 3.)];
        assert_eq!(waves, steps);
        // Seen at few values, a step is where it is all the same.
        let waves = corners(&[1, 9, 300], |x| Some(u64::from(x >= 100)));
        assert_eq!(waves, [(1., 0.), (100., 0.), (100., 1.), (300., 1.)]);
    }

    #[test]
    fn a_slope_stays_a_slope_and_a_gap_a_gap() {
        let slope = corners(&[1, 2, 3, 8], |x| Some(3 * x));
        assert_eq!(slope, [(1., 3.), (2., 6.), (3., 9.), (8., 24.)]);
        let edge = corners(&[1, 2, 3, 4, 5], |x| Some(x.min(3)));
        assert_eq!(edge, [(1., 1.), (2., 2.), (3., 3.), (5., 3.)]);
        let part = corners(&[1, 2, 3], |x| (x > 1).then_some(7));
        assert_eq!(part, [(2., 7.), (3., 7.)]);
        assert_eq!(corners(&[], Some), []);
    }
}
