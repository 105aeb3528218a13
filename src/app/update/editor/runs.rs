//! Runs of edited kernels: once a text rests it is kept and run, and its counts are held against the
//! original's.
//!
//! Numbers on screen stay until newer ones are there. What does not compile leaves them as they are;
//! only what is wrong changes.

use std::sync::Arc;

use crate::app::state::{FinishedRun, Model};
use crate::app::update::editor::commands::show_cursor;
use crate::app::update::message::{EditComparison, Effect, LessonFile};
use crate::app::update::runs::{Reason, start_as};
use crate::launch::Ending;
use crate::lesson::{Cell, TextCounts};

/// The text of `revision` rests: it is kept, and run where it is on screen.
pub(crate) fn rested(model: &mut Model, revision: u64, effects: &mut Vec<Effect>) {
    if revision != model.edits.revision {
        return;
    }
    keep(model, effects);
    if model.edit().is_some() {
        // Cells that waited were asked for of the text before.
        model.runs.queue.clear();
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
        effects.push(Effect::SaveEdit {
            file: LessonFile {
                lesson,
                original: edit.original.clone(),
            },
            edit: edit.is_changed().then(|| edit.saved()),
        });
    }
}

/// Takes what is wrong with an edited text from a run of it, in order of places. Says whether that is all
/// there is to take: the text does not compile, and the result of an older one stays on screen.
pub(crate) fn findings_only(model: &mut Model, job: u64, ran: &FinishedRun) -> bool {
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
    let Some(cell) = model.lesson.cells.get(index).and_then(Cell::as_run) else {
        return false;
    };
    let file = cell.source.name().to_owned();
    let outcome = &ran.result.outcome;
    if let Some(edit) = model.edit_of(&file) {
        edit.take_findings(&outcome.reports);
        show_cursor(model);
    }
    // An empty list of launches: it failed before the first, so that there are no counts to show.
    has_older && outcome.ending == Ending::Failed && outcome.launches.is_empty()
}

/// Asks for what a run of an edited text is to be held against.
pub(crate) fn ask_for_tallies(model: &mut Model, job: u64, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let cells = lesson.cells.iter().zip(&mut model.cells);
    for (cell, state) in cells {
        let (Some(cell), Some(state)) = (cell.as_run(), state.as_run()) else {
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
        // The original counts the same at the same sizes: it need not run after every pause in typing.
        let known = state.edits.original.clone();
        effects.push(Effect::CompareEdit(EditComparison {
            ran: ran.clone(),
            cell: Box::new(cell.clone()),
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
    original: &Arc<TextCounts>,
    edited: &Arc<TextCounts>,
) {
    for cell in &mut model.cells {
        if let Some(state) = cell.as_run_mut()
            && state.ran.as_ref().is_some_and(|ran| ran.job == job)
        {
            state.edits.original = Some(original.clone());
            state.edits.edited = Some((job, edited.clone()));
        }
    }
}
