//! Runs of edited kernels: once a text rests it is kept and run, and its counts are held against the
//! original's.
//!
//! Numbers on screen stay until newer ones are there. What does not compile leaves them as they are;
//! only what is wrong changes.

use std::sync::Arc;

use super::commands::show_cursor;
use crate::app::state::editor::diff;
use crate::app::state::{CellState, EditComparison, Effect, Model, Ran, RunState};
use crate::app::update::runs::{Reason, start_as};
use crate::launch::{Ending, LineCounts};
use crate::lesson::{Cell, Tally};

/// What is known of a cell's kernels as they were edited.
#[derive(Clone, Debug, Default)]
pub struct EditedRuns {
    /// What the original counts.
    pub original: Option<Arc<Tally>>,
    /// What the edited text counts, and in which run.
    pub edited: Option<(u64, Arc<Tally>)>,
}

/// The text of `revision` rests: it is kept, and run where it is on screen.
pub(crate) fn rested(model: &mut Model, revision: u64, effects: &mut Vec<Effect>) {
    if revision != model.edits.revision {
        return;
    }
    keep(model, effects);
    if model.edit().is_some() {
        model.queue.clear();
        start_as(model, model.at, Reason::Follows, effects);
    }
}

/// Writes every text that is not on disk yet.
pub(crate) fn keep(model: &mut Model, effects: &mut Vec<Effect>) {
    for file in std::mem::take(&mut model.edits.unkept) {
        let lesson = model.lesson.id.clone();
        let Some(edit) = model.edit_of(&file) else {
            continue;
        };
        effects.push(Effect::KeepEdit {
            lesson,
            original: edit.original.clone(),
            edit: edit.is_changed().then(|| edit.kept()),
        });
    }
}

/// Takes what is wrong with an edited text from a run of it, in order of places. Says whether that is all
/// there is to take: the text does not compile, and the result of an older one stays on screen.
pub(crate) fn findings_only(model: &mut Model, job: u64, ran: &Ran) -> bool {
    let found = model.running(job).map(|(index, state)| {
        let follows = state.job.as_ref().is_some_and(|job| job.follows);
        (
            index,
            follows && state.ran.is_some() && state.is_of_older_text(),
        )
    });
    let Some((index, has_older)) = found else {
        return false;
    };
    let Some(Cell::Run(cell)) = model.lesson.cells.get(index) else {
        return false;
    };
    let file = cell.source.name().to_owned();
    let outcome = &ran.result.outcome;
    if let Some(edit) = model.edit_of(&file) {
        let reports = outcome.reports.iter();
        edit.findings = reports.map(|report| report.diagnostic.clone()).collect();
        edit.findings.sort_by_key(|finding| finding.span().start);
        show_cursor(model);
    }
    has_older && outcome.ending == Ending::Failed && outcome.launches.is_empty()
}

/// Asks for what a run of an edited text is to be held against.
pub(crate) fn ask_for_tallies(model: &mut Model, job: u64, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let cells = lesson.cells.iter().zip(&mut model.cells);
    for (cell, state) in cells {
        let (Cell::Run(cell), CellState::Run(state)) = (cell, state) else {
            continue;
        };
        let Some(ran) = state.ran.clone().filter(|ran| ran.job == job) else {
            continue;
        };
        let mut edits = model.edits.all.iter();
        let Some(edit) = edits.find(|edit| edit.original.name() == cell.source.name()) else {
            continue;
        };
        let finished = ran.result.outcome.ending == Ending::Finished;
        if !ran.edited || !finished {
            return;
        }
        let known = state.edits.original.clone();
        effects.push(Effect::CompareEdit(EditComparison {
            ran: ran.clone(),
            cell: cell.clone(),
            sizes: lesson.sizes.clone(),
            original: edit.original.clone(),
            known: known.filter(|known| known.sizes == ran.result.sizes),
        }));
    }
}

/// Takes what the original and the edited text of run `job` count.
pub(crate) fn take_tallies(
    model: &mut Model,
    job: u64,
    (original, edited): (Arc<Tally>, Arc<Tally>),
) {
    for cell in &mut model.cells {
        if let CellState::Run(state) = cell
            && state.ran.as_ref().is_some_and(|ran| ran.job == job)
        {
            state.edits.original = Some(original.clone());
            state.edits.edited = Some((job, edited.clone()));
        }
    }
}

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
    pub fn tallies(&self) -> Option<(Arc<Tally>, Arc<Tally>)> {
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
            Arc::new(Tally {
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
