//! What a run is looked at by first: as its lesson says, else by what it counted.

use crate::app::state::{GutterMetric, RunState, SoughtStep};
use crate::launch::Counts;
use crate::lesson::{FirstView, RunCell};
use crate::memory::SECTOR_BYTES;
use crate::source::Severity;

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

    /// The line of the first loop that a remark is about, from 1, where nothing worse was found.
    pub(crate) fn remarked_line(&self) -> Option<u32> {
        let ran = self.ran.as_ref()?;
        let report = ran.result.outcome.reports.first()?;
        let diagnostic = &report.diagnostic;
        let source = ran.plan.sources.get(report.source)?;
        let line = source.file.line(diagnostic.span().start);
        (diagnostic.severity == Severity::Remark && report.source == 0).then_some(line)
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
    let global = [counts.global_load, counts.global_store];
    match sought {
        SoughtStep::Shared => counts.shared_bank_conflicts(),
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
    let view = FirstView::telling(counts);
    let margin = match view {
        FirstView::Banks => GutterMetric::Conflicts,
        FirstView::Access => GutterMetric::Efficiency,
        FirstView::Lanes => GutterMetric::Branches,
        _ => GutterMetric::default(),
    };
    (view, margin)
}
