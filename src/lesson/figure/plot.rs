//! A picture of points over two axes, as plain data: whoever draws it, or prints it as a table, needs
//! nothing else. Every point says how it came to be.

use serde::Serialize;

use crate::launch::Evidence;
use crate::lesson::cells::Scale;
use crate::lesson::sizes::Sizes;

/// Points over two axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn, the first first.
    pub series: Vec<Series>,
    /// What is to be known besides.
    pub notes: Vec<String>,
    /// Whether a figure of several plots opens on it.
    #[serde(skip)]
    pub is_first_look: bool,
}

/// An axis, and the part of it that is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it is of.
    pub label: String,
    /// Its unit; empty for a number.
    pub unit: String,
    /// How it is divided.
    pub scale: Scale,
    /// The least value shown; above zero unless the scale is linear.
    pub from: f64,
    /// The largest value shown, above `from`.
    pub to: f64,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A line through the points, which are corners and not values of anything: limits, peaks.
    Curve,
    /// A mark at each point, and a line through them.
    Points,
    /// A mark at each point.
    Marks,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What they are of.
    pub name: String,
    /// How it is drawn.
    pub shape: Shape,
    /// The points, from left to right unless it says otherwise.
    pub points: Vec<Point>,
}

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// On the first axis.
    pub x: f64,
    /// On the second axis.
    pub y: f64,
    /// How it came to be.
    pub evidence: Evidence,
    /// The sizes it belongs to; empty where sizes have no part in it.
    #[serde(skip_serializing_if = "Sizes::is_empty")]
    pub sizes: Sizes,
    /// What it is called, where its series has other names for its points; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What else is known of it; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
}

impl Series {
    /// A line that is a limit: through `corners`, as `evidence` has it.
    pub fn curve(name: &str, evidence: Evidence, corners: &[(f64, f64)]) -> Self {
        let point = |&(x, y): &(f64, f64)| Point {
            x,
            y,
            evidence,
            sizes: Sizes::new(),
            label: String::new(),
            says: String::new(),
        };
        Series {
            name: name.to_owned(),
            shape: Shape::Curve,
            points: corners.iter().map(point).collect(),
        }
    }

    /// How its points came to be, each way once.
    pub fn evidence(&self) -> Vec<Evidence> {
        let mut all = Vec::new();
        for point in &self.points {
            if !all.contains(&point.evidence) {
                all.push(point.evidence);
            }
        }
        all
    }
}

impl Axis {
    /// An axis on which nothing stands yet.
    pub fn new(label: &str, unit: &str, scale: Scale) -> Self {
        let (from, to) = if scale == Scale::Linear {
            (0.0, 1.0)
        } else {
            (1.0, 10.0)
        };
        Axis {
            label: label.to_owned(),
            unit: unit.to_owned(),
            scale,
            from,
            to,
        }
    }

    /// The axis with what it takes to show `values`, from a round number to another; a linear one
    /// from zero. Values that a logarithm has no place for are left out.
    pub fn around(mut self, values: impl Iterator<Item = f64>) -> Self {
        let has_place = |value: &f64| value.is_finite() && (*value > 0.0 || self.is_linear());
        let (least, most) = values.filter(has_place).fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (least.min(value), most.max(value)),
        );
        if least > most {
            return self;
        }
        (self.from, self.to) = match self.scale {
            Scale::Linear => linear_range(least, most),
            Scale::Log => (round(least, false), round(most, true)),
            Scale::Log2 => (
                2_f64.powf(least.log2().floor()),
                2_f64.powf(most.log2().ceil()),
            ),
        };
        // One value alone needs room, too.
        if self.from >= self.to {
            self.to = if self.is_linear() {
                self.from + 1.0
            } else {
                self.from * 2.0
            };
        }
        self
    }

    /// Where `value` stands between the ends, which are 0 and 1; nothing for one that is not shown.
    pub fn share(&self, value: f64) -> Option<f64> {
        let place = |value: f64| if self.is_linear() { value } else { value.ln() };
        let share = (place(value) - place(self.from)) / (place(self.to) - place(self.from));
        // A corner may miss the end by a rounding.
        let share = if share.abs() < 1e-9 { 0.0 } else { share };
        let share = if (share - 1.0).abs() < 1e-9 {
            1.0
        } else {
            share
        };
        (0.0..=1.0).contains(&share).then_some(share)
    }

    /// Round numbers on it, from left to right, `most` at most (two at least).
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        let candidates = match self.scale {
            Scale::Linear => return self.linear_ticks(most),
            // From the finest division to the coarsest: the first that fits is the one with the most ticks.
            Scale::Log => [vec![1.0, 2.0, 5.0], vec![1.0, 3.0], vec![1.0]]
                .iter()
                .map(|of_decade| self.decades(of_decade, 1))
                .chain((2..).map(|step| self.decades(&[1.0], step)).take(12))
                .find(|ticks| ticks.len() <= most),
            Scale::Log2 => (1..40)
                .map(|step| self.powers(step))
                .find(|ticks| ticks.len() <= most),
        };
        candidates.unwrap_or_default()
    }

    fn is_linear(&self) -> bool {
        self.scale == Scale::Linear
    }

    fn within(&self, value: f64) -> bool {
        self.share(value).is_some()
    }

    fn decades(&self, of_decade: &[f64], step: usize) -> Vec<f64> {
        let (first, last) = (
            self.from.log10().floor() as i32,
            self.to.log10().ceil() as i32,
        );
        let decades = (first..=last).step_by(step);
        let ticks =
            decades.flat_map(|decade| of_decade.iter().map(move |of| of * 10_f64.powi(decade)));
        ticks.filter(|&tick| self.within(tick)).collect()
    }

    fn powers(&self, step: usize) -> Vec<f64> {
        let (first, last) = (
            self.from.log2().ceil() as i32,
            self.to.log2().floor() as i32,
        );
        let powers = (first..=last).step_by(step).map(|power| 2_f64.powi(power));
        powers.filter(|&tick| self.within(tick)).collect()
    }

    fn linear_ticks(&self, most: usize) -> Vec<f64> {
        let least = (self.to - self.from) / (most - 1) as f64;
        // What ends at 64 counts in powers of two, so that its end is among them.
        let is_binary = self.to % 16.0 == 0.0 && self.to % 10.0 != 0.0;
        let step = match is_binary {
            true => 2_f64.powf(least.log2().ceil()),
            false => round(least, true),
        };
        let first = (self.from / step).ceil() as i64;
        let ticks = (first..).map(|at| at as f64 * step);
        ticks
            .take(most)
            .take_while(|&tick| tick <= self.to * (1.0 + 1e-12))
            .collect()
    }
}

/// The next of 1, 2 and 5 of a decade at or above `value`, or at or below it.
fn round(value: f64, up: bool) -> f64 {
    let decade = value.log10().floor() as i32;
    // A decade more on either side: the logarithm is rounded, and may miss one.
    let near = (decade - 1..=decade + 1)
        .flat_map(|decade| [1.0, 2.0, 5.0].map(|of| of * 10_f64.powi(decade)));
    let mut near: Vec<f64> = near.collect();
    if !up {
        near.reverse();
    }
    let mut fits = near.into_iter().filter(|&round| match up {
        true => round >= value * (1.0 - 1e-12),
        false => round <= value * (1.0 + 1e-12),
    });
    fits.next().unwrap_or(value)
}

/// From zero, or from below it, to a round number.
fn linear_range(least: f64, most: f64) -> (f64, f64) {
    let most = most.max(0.0);
    // All values zero would have steps of zero.
    let step = round((most - least.min(0.0)).max(f64::MIN_POSITIVE) / 8.0, true);
    (
        (least.min(0.0) / step).floor() * step,
        (most / step).ceil() * step,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(scale: Scale, values: &[f64]) -> Axis {
        Axis::new("size", "", scale).around(values.iter().copied())
    }

    #[test]
    fn axes_end_at_round_numbers() {
        let ends = |scale, values: &[f64]| {
            let axis = axis(scale, values);
            (axis.from, axis.to)
        };
        assert_eq!(ends(Scale::Log, &[781.0, 12_544.0]), (500.0, 20_000.0));
        assert_eq!(ends(Scale::Log2, &[33.0, 1024.0]), (32.0, 1024.0));
        assert_eq!(ends(Scale::Linear, &[4800.0, 12.0]), (0.0, 5000.0));
        assert_eq!(ends(Scale::Log, &[0.0, -3.0]), (1.0, 10.0));
    }

    #[test]
    fn ticks_are_round_and_as_many_as_fit() {
        let log = axis(Scale::Log, &[781.0, 12_544.0]);
        assert_eq!(
            log.ticks(8),
            [500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0]
        );
        assert_eq!(log.ticks(2), [1000.0, 10_000.0]);
        let log2 = axis(Scale::Log2, &[32.0, 1024.0]);
        assert_eq!(log2.ticks(3), [32.0, 128.0, 512.0]);
        let linear = axis(Scale::Linear, &[4800.0]);
        assert_eq!(
            linear.ticks(6),
            [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
        );
        let warps = Axis {
            to: 64.0,
            ..axis(Scale::Linear, &[])
        };
        assert_eq!(warps.ticks(6), [0.0, 16.0, 32.0, 48.0, 64.0]);
    }

    proptest! {
        #[test]
        fn what_an_axis_was_made_for_stands_on_it(
            values in prop::collection::vec(1e-6_f64..1e12, 1..8),
            most in 2_usize..20,
        ) {
            for &scale in Scale::ALL {
                let axis = axis(scale, &values);
                prop_assert!(values.iter().all(|&value| axis.share(value).is_some()), "{axis:?}");
                let ticks = axis.ticks(most);
                prop_assert!(ticks.len() <= most && ticks.is_sorted(), "{axis:?} {ticks:?}");
            }
        }
    }
}
