//! Runs of edited kernels: once a text rests it is kept and run, and its counts are held against the
//! original's.
//!
//! Such a run goes unseen: numbers on screen stay until newer ones are there. What does not compile
//! leaves them as they are; only what is wrong changes.

use std::sync::Arc;

use super::edit_actions::show_cursor;
use super::edit_diff::{Line, diff};
use super::runs::{begin, stop};
use super::{CellState, Effect, Model, Ran, RunState};
use crate::launch::{Ending, Engine, LineCounts};
use crate::lesson::{Cell, Sampled};
use crate::source::Diagnostic;

/// What is known of a cell's kernels as they were edited.
#[derive(Clone, Debug, Default)]
pub struct EditedRuns {
    /// The unseen run that goes on.
    pub live: Option<u64>,
    /// What the original counts.
    pub original: Option<Arc<Sampled>>,
    /// What the edited text counts, and in which run.
    pub edited: Option<(u64, Arc<Sampled>)>,
}

/// The text of `revision` rests: it is kept, and run where it is on screen.
pub(super) fn rested(model: &mut Model, revision: u64, effects: &mut Vec<Effect>) {
    if revision != model.edits.revision {
        return;
    }
    keep(model, effects);
    let Some((index, engine)) = model.run_cell().map(|_| (model.at, Engine::Sim)) else {
        return;
    };
    if model.edit().is_none() {
        return;
    }
    model.queue.clear();
    stop(model, effects);
    begin(model, index, (engine, true), effects);
}

/// Writes every text that is not on disk yet.
pub(super) fn keep(model: &mut Model, effects: &mut Vec<Effect>) {
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

impl Model {
    /// The cell whose unseen run has number `job`, unless that is out of date.
    pub(super) fn live(&mut self, job: u64) -> Option<(usize, &mut RunState)> {
        let cells = self.cells.iter_mut().enumerate();
        let mut runs = cells.filter_map(|(i, cell)| match cell {
            CellState::Run(state) => Some((i, &mut **state)),
            _ => None,
        });
        runs.find(|(_, state)| state.edits.live == Some(job))
    }
}

/// Takes the result of an unseen run, and its counts before those of the modelled caches are there.
pub(super) fn take_live(
    model: &mut Model,
    job: u64,
    result: Result<Arc<Ran>, String>,
    is_last: bool,
) {
    let Some((index, state)) = model.live(job) else {
        return;
    };
    if is_last {
        state.edits.live = None;
    }
    let mut findings = Vec::new();
    match result {
        Err(error) => state.error = Some(error),
        Ok(ran) => {
            let outcome = &ran.result.outcome;
            findings = outcome
                .reports
                .iter()
                .map(|report| report.diagnostic.clone())
                .collect();
            if !outcome.launches.is_empty() {
                state.take_live_result(ran);
            }
        }
    }
    let Some(Cell::Run(cell)) = model.lesson.cells.get(index) else {
        return;
    };
    let name = cell.source.name().to_owned();
    take_findings(model, &name, findings);
}

/// Takes what is wrong with the text of `file`, in order of places.
fn take_findings(model: &mut Model, file: &str, mut findings: Vec<Diagnostic>) {
    if let Some(edit) = model.edit_of(file) {
        findings.sort_by_key(|finding| finding.span().start);
        edit.findings = findings;
    }
    show_cursor(model);
}

/// Asks for what a run of an edited text is to be held against.
pub(super) fn ask_for_samples(model: &mut Model, job: u64, effects: &mut Vec<Effect>) {
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
        effects.push(Effect::Sample {
            ran: ran.clone(),
            cell: cell.clone(),
            sizes: lesson.sizes.clone(),
            original: edit.original.clone(),
            known: known.filter(|known| known.sizes == ran.result.sizes),
        });
    }
}

/// Takes what the original and the edited text of run `job` count.
pub(super) fn take_samples(
    model: &mut Model,
    job: u64,
    (original, edited): (Arc<Sampled>, Arc<Sampled>),
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
    /// Takes a result whose run nobody saw.
    fn take_live_result(&mut self, ran: Arc<Ran>) {
        let scrolls = (self.counts_scroll, self.source_scroll);
        self.take_result(Ok(ran));
        (self.counts_scroll, self.source_scroll) = scrolls;
    }

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
    pub fn samples(&self) -> Option<(Arc<Sampled>, Arc<Sampled>)> {
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
            Arc::new(Sampled {
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
    pub(super) fn moved(&self, source: usize, lines: Vec<LineCounts>) -> Vec<LineCounts> {
        let texts = || {
            let ran = self.ran.as_ref()?.plan.sources.get(source)?;
            let now = self.plan.as_ref().ok()?.sources.get(source)?;
            (ran.file.text() != now.file.text()).then_some((&ran.file, &now.file))
        };
        let Some((ran, now)) = texts() else {
            return lines;
        };
        let old: Vec<&str> = ran.text().split('\n').collect();
        let new: Vec<&str> = now.text().split('\n').collect();
        let same = diff(&old, &new).into_iter().filter_map(|line| match line {
            Line::Same(old, new) => Some((old as u32 + 1, new as u32 + 1)),
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
