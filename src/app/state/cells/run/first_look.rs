//! What a run is looked at by first: as its lesson says, else by what it counted.

use crate::app::state::{GutterMetric, RunState, SoughtStep};
use crate::launch::Counts;
use crate::lesson::{FirstView, RunCell};
use crate::memory::SECTOR_BYTES;
use crate::source::Severity;

/// Share of the bytes moved that lanes use, below which accesses are what there is to see. Half is what a warp uses that
/// reads every other float; whoever uses less wastes more than it reads.
pub(crate) const POOR_EFFICIENCY: f64 = 0.5;
/// Share of branches whose lanes go both ways, from which lanes are what there is to see. The last warp of a grid parts
/// at the bounds check of nearly every kernel.
const MUCH_DIVERGENCE: f64 = 0.05;

impl RunState {
    /// The view that a run opens on, and what its margin counts.
    pub(crate) fn first_look(&self, cell: &RunCell) -> (FirstView, GutterMetric) {
        let counts = self.ran.as_ref().map(|ran| ran.result.outcome.counts());
        let (view, margin) = telling(&counts.unwrap_or_default());
        (
            cell.first_look.view.unwrap_or(view),
            cell.first_look.margin.unwrap_or(margin),
        )
    }

    /// The line of the first error that a run found, from 1.
    pub(crate) fn error_line(&self) -> Option<u32> {
        let ran = self.ran.as_ref()?;
        let mut reports = ran.result.outcome.reports.iter();
        let is_error = |severity: Severity| severity == Severity::Error;
        let error =
            reports.find(|report| is_error(report.diagnostic.severity) && report.source == 0)?;
        let source = ran.plan.sources.first()?;
        Some(source.file.line(error.diagnostic.span().start))
    }

    /// Of several launches the first that wastes most of what is sought; none where no launch wastes anything.
    pub(crate) fn worst_launch(&self, sought: SoughtStep) -> Option<usize> {
        let launches = &self.ran.as_ref()?.result.outcome.launches;
        let wasted = launches.iter().map(|launch| wasted(&launch.counts, sought));
        let wasted: Vec<u64> = wasted.collect();
        let most = wasted.iter().copied().max().filter(|&most| most > 0)?;
        wasted.iter().position(|&bytes| bytes == most)
    }
}

/// Bytes that sectors moved for nothing, or wavefronts beyond the fewest possible.
fn wasted(counts: &Counts, sought: SoughtStep) -> u64 {
    let shared = [
        counts.shared_load,
        counts.shared_store,
        counts.shared_atomic,
    ];
    let global = [counts.global_load, counts.global_store];
    match sought {
        SoughtStep::Shared => shared.iter().map(|of| of.bank_conflicts).sum(),
        SoughtStep::Line(_) | SoughtStep::Taps => 0,
        SoughtStep::Global | SoughtStep::Any => {
            let bytes = global.iter().map(|of| {
                let moved = of.sectors * SECTOR_BYTES;
                moved.saturating_sub(of.used_bytes)
            });
            bytes.sum()
        }
    }
}

/// What says most of a run that counted this.
fn telling(counts: &Counts) -> (FirstView, GutterMetric) {
    let shared = [
        counts.shared_load,
        counts.shared_store,
        counts.shared_atomic,
    ];
    if shared.iter().any(|of| of.bank_conflicts > 0) {
        return (FirstView::Banks, GutterMetric::Conflicts);
    }
    let both = [counts.global_load, counts.global_store];
    let is_poor = |share: Option<f64>| share.is_some_and(|share| share < POOR_EFFICIENCY);
    if both.iter().any(|of| is_poor(of.efficiency())) {
        return (FirstView::Access, GutterMetric::Efficiency);
    }
    let branches = counts.branches;
    if branches.divergent as f64 > branches.executed as f64 * MUCH_DIVERGENCE {
        return (FirstView::Lanes, GutterMetric::Branches);
    }
    (FirstView::Counts, GutterMetric::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wasted_is_what_is_seen_first() {
        let mut counts = Counts::default();
        assert_eq!(telling(&counts).0, FirstView::Counts);
        counts.branches.executed = 100;
        counts.branches.divergent = 1;
        assert_eq!(telling(&counts).0, FirstView::Counts);
        counts.branches.divergent = 50;
        assert_eq!(telling(&counts).0, FirstView::Lanes);
        counts.global_load.bytes = 128;
        counts.global_load.used_bytes = 128;
        counts.global_load.sectors = 32;
        let poor = (FirstView::Access, GutterMetric::Efficiency);
        assert_eq!(telling(&counts), poor);
        counts.shared_load.bank_conflicts = 1;
        let banks = (FirstView::Banks, GutterMetric::Conflicts);
        assert_eq!(telling(&counts), banks);
    }
}
