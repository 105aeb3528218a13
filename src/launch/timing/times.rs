//! Times that were measured on a real GPU.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::launch::{Counts, Evidence};

/// Times of one launch, or of all launches of a plan together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(
    missing_docs,
    reason = "the JSON contract's names say what and in which unit"
)]
pub struct Timing {
    pub median_ms: f64,
    /// A fifth of the runs took at most this.
    pub p20_ms: f64,
    /// Four fifths of the runs took at most this.
    pub p80_ms: f64,
    /// Median of the same launches as one CUDA graph; nothing of a single launch, or where nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph_ms: Option<f64>,
    pub runs: u32,
    /// From the different bytes that the launches loaded and stored: what no cache can avoid moving;
    /// nothing where nobody counted them.
    pub gb_s: Option<f64>,
    /// Single-precision operations; a fused multiply-add is two. Nothing where nobody counted them.
    pub tflop_s: Option<f64>,
    pub device: String,
    /// What was in the L2 cache when a run began: `flushed`, or `warm`.
    pub l2: String,
    /// `gb_s` of what the memory can do by its specification, between 0 and 1, where that is known.
    pub share_of_peak_bandwidth: Option<f64>,
    /// `gb_s` of what a copy within the memory reached in the same run.
    pub share_of_copy_bandwidth: Option<f64>,
    pub evidence: Evidence,
}

/// What times are held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardsticks {
    /// Name of the GPU.
    pub device: String,
    /// What was in the L2 cache when a run began.
    pub l2: String,
    /// Of the memory, by its specification.
    pub peak_gb_s: Option<f64>,
    /// Reached by a copy, bytes read and written together.
    pub copy_gb_s: Option<f64>,
}

/// Bytes and operations of what was timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Different bytes loaded and stored.
    pub distinct_bytes: u64,
    /// Floating-point operations, on tensor cores too.
    pub operations: u64,
}

impl Work {
    /// Of launches that loaded and stored `distinct_bytes` and did what `counts` say.
    pub fn new(distinct_bytes: u64, counts: &Counts) -> Self {
        Work {
            distinct_bytes,
            // Special functions count as one operation each, though the hardware has a quarter as many units or fewer
            // for them.
            operations: counts.flops() + counts.fp32.special,
        }
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work {
            distinct_bytes: self.distinct_bytes + other.distinct_bytes,
            operations: self.operations + other.operations,
        }
    }
}

impl Timing {
    /// Of runs that took `ms` for `work`, if that is known; nothing of none.
    pub fn measured(
        ms: &[f32],
        work: impl Into<Option<Work>>,
        yardsticks: &Yardsticks,
    ) -> Option<Self> {
        let work = work.into();
        let sorted = sorted(ms);
        let median_ms = quantile(&sorted, 0.5)?;
        // Rates are of the median, which one slow run among many does not move.
        let a_second = 1e3 / median_ms;
        let gb_s = work.map(|work| work.distinct_bytes as f64 * a_second / 1e9);
        let share = |of: Option<f64>| gb_s.zip(of).map(|(gb_s, of)| gb_s / of);
        Some(Timing {
            median_ms,
            p20_ms: quantile(&sorted, 0.2)?,
            p80_ms: quantile(&sorted, 0.8)?,
            graph_ms: None,
            runs: u32::try_from(ms.len()).unwrap_or(u32::MAX),
            gb_s,
            tflop_s: work.map(|work| work.operations as f64 * a_second / 1e12),
            device: yardsticks.device.clone(),
            l2: yardsticks.l2.clone(),
            share_of_peak_bandwidth: share(yardsticks.peak_gb_s),
            share_of_copy_bandwidth: share(yardsticks.copy_gb_s),
            evidence: Evidence::Measured,
        })
    }

    /// With the times of the same launches as one CUDA graph.
    pub fn with_graph(self, ms: &[f32]) -> Self {
        Timing {
            graph_ms: quantile(&sorted(ms), 0.5),
            ..self
        }
    }
}

/// A time as text: milliseconds, or microseconds below one, whose unit is written `micro`, or nanoseconds below that.
pub fn time_text(ms: f64, micro: &str) -> String {
    match ms {
        _ if ms < 1e-3 => format!("{:.0} ns", 1e6 * ms),
        _ if ms < 1.0 => format!("{:.1} {micro}", 1e3 * ms),
        _ => format!("{ms:.3} ms"),
    }
}

fn sorted(ms: &[f32]) -> Vec<f32> {
    let mut sorted = ms.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
}

/// The value below which `share` of the sorted values lie, between its two neighbours in proportion.
fn quantile(sorted: &[f32], share: f64) -> Option<f64> {
    // Between two runs the quantile lies on the line from one to the other, as NumPy has it.
    let at = share * (sorted.len().checked_sub(1)? as f64);
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(f64::from(low) + (f64::from(high) - f64::from(low)) * at.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_are_microseconds() {
        assert_eq!(time_text(0.0123, "µs"), "12.3 µs");
        assert_eq!(time_text(1.5, "us"), "1.500 ms");
        assert_eq!(time_text(0.0000284, "us"), "28 ns");
    }

    #[test]
    fn times_are_quantiles_and_rates_those_of_the_median() {
        let yardsticks = Yardsticks {
            device: "NVIDIA H200".to_owned(),
            l2: "flushed".to_owned(),
            peak_gb_s: Some(4000.0),
            copy_gb_s: None,
        };
        let mut counts = Counts::default();
        counts.fp32.fma = 1_000_000;
        let work = Work::new(2_000_000, &counts);
        let ms = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0];
        let timing = Timing::measured(&ms, work, &yardsticks).expect("there are runs");
        assert_eq!(
            (timing.median_ms, timing.p20_ms, timing.p80_ms),
            (3.5, 2.0, 5.0)
        );
        assert_eq!(timing.runs, 6);
        let (gb_s, tflop_s) = timing.gb_s.zip(timing.tflop_s).expect("the work is known");
        assert!((gb_s - 2e6 / 3.5e-3 / 1e9).abs() < 1e-12);
        assert!((tflop_s - 2e6 / 3.5e-3 / 1e12).abs() < 1e-15);
        assert_eq!(timing.share_of_peak_bandwidth, Some(gb_s / 4000.0));
        assert_eq!(timing.share_of_copy_bandwidth, None);
        assert_eq!(timing.graph_ms, None);
        let graph = timing.clone().with_graph(&[2.0, 1.0, 3.0]);
        assert_eq!((graph.graph_ms, graph.median_ms), (Some(2.0), 3.5));
        assert_eq!(Timing::measured(&[], work, &yardsticks), None);
        let unknown = Timing::measured(&ms, None, &yardsticks).expect("there are runs");
        assert_eq!(
            (unknown.gb_s, unknown.share_of_peak_bandwidth),
            (None, None)
        );
    }
}
