//! Counts of an edited kernel beside the original's, and on the lines of the text as it is now.

use std::sync::Arc;

use crate::app::state::RunState;
use crate::app::state::editor::diff::diff;
use crate::launch::LineCounts;
use crate::lesson::TextCounts;

impl RunState {
    /// Whether the result is of another text than the one that would run now.
    pub fn is_of_older_text(&self) -> bool {
        let (Some(ran), Ok(plan)) = (&self.ran, &self.plan) else {
            return false;
        };
        let mut texts = ran.plan.sources.iter().zip(&plan.sources);
        texts.any(|(ran, now)| ran.file.text() != now.file.text())
    }

    /// What the original counts, and what the edited text that ran last does, at the same sizes; nothing
    /// where one of them is not known.
    pub fn tallies(&self) -> Option<(Arc<TextCounts>, Arc<TextCounts>)> {
        let ran = self.ran.as_ref().filter(|ran| ran.edited)?;
        let original = self.edits.original.clone()?;
        if original.sizes != ran.result.sizes {
            return None;
        }
        let edited = self
            .edits
            .edited
            .as_ref()
            .filter(|(job, _)| *job == ran.job);
        let edited = edited.map(|(_, edited)| edited.clone());
        let launches = ran.result.outcome.launches.iter();
        let edited = edited.unwrap_or_else(|| {
            Arc::new(TextCounts {
                over: original.over.clone(),
                sizes: original.sizes.clone(),
                launches: launches.map(|launch| launch.counts).collect(),
                small: Vec::new(),
            })
        });
        Some((original, edited))
    }

    /// Counts by line of a text that ran, at the lines that the text of the plan has them on; those of
    /// lines that are no longer there are left out.
    pub(crate) fn moved(&self, source: usize, lines: Vec<LineCounts>) -> Vec<LineCounts> {
        let texts = || {
            let ran = self.ran.as_ref()?.plan.sources.get(source)?;
            let now = self.plan.as_ref().ok()?.sources.get(source)?;
            (ran.file.text() != now.file.text()).then_some((&ran.file, &now.file))
        };
        let Some((ran, now)) = texts() else {
            return lines;
        };
        let same = diff(ran.text(), now.text()).into_iter();
        let same = same.filter_map(|row| match (row.same, row.lines) {
            (true, [Some(old), Some(new)]) => Some((old as u32 + 1, new as u32 + 1)),
            _ => None,
        });
        let same: Vec<(u32, u32)> = same.collect();
        let moved = lines.into_iter().filter_map(|line| {
            let at = same.binary_search_by_key(&line.line, |pair| pair.0).ok()?;
            Some(LineCounts {
                line: same[at].1,
                ..line
            })
        });
        moved.collect()
    }
}
