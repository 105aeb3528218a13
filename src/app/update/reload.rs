//! A lesson whose file changed while it is open: the new one takes its place, and the learner keeps
//! theirs.

use std::mem::discriminant;

use crate::app::state::{CellState, Model, Text};
use crate::app::update::message::Effect;
use crate::app::update::runs::{follow, replan, stop};
use crate::lesson::{Cell, Lesson, Sizes};

/// Takes `lesson` in the place of the one that is open. Results of cells that are the same stay; the
/// cell on screen runs again if it ran and changed, or was running.
pub(crate) fn reload(model: &mut Model, mut lesson: Lesson, effects: &mut Vec<Effect>) {
    let running = model
        .run_cell()
        .is_some_and(|(_, state)| state.job.is_some());
    stop(model, effects);
    model.runs.queue.clear();
    // It reads again: what was wrong before is mended.
    model.lesson_errors = None;
    // A size that a link or an option set stays, as long as the lesson still takes it.
    let mut begins = Sizes::new();
    keep_sizes(&lesson, &model.lesson.begins, &mut begins);
    lesson.begins = begins;
    let fresh = Model::new(lesson, None);
    let old_lesson = std::mem::replace(&mut model.lesson, fresh.lesson);
    let old_states = std::mem::replace(&mut model.cells, fresh.cells);
    let old_sizes = std::mem::replace(&mut model.settings.sizes, fresh.settings.sizes);
    keep_sizes(&model.lesson, &old_sizes, &mut model.settings.sizes);
    let old_at = model.at.min(old_lesson.cells.len().saturating_sub(1));
    let at = old_lesson.cells.get(old_at);
    // By what the cell is, not by its number: paragraphs may have been put before it.
    model.stand_at(at.map_or(0, |cell| place(&model.lesson, cell, old_at)));
    take_originals(model);
    let changed = take_states(model, &old_lesson, old_states);
    replan(model);
    model.look.size = model
        .look
        .size
        .min(model.lesson.sizes.len().saturating_sub(1));
    if running || changed.contains(&model.at) || old_sizes != model.settings.sizes {
        follow(model, effects);
    }
    model.notice = Some("the lesson was read again: its file changed".to_owned());
}

/// Puts those of `old` into `sizes` that the lesson still takes.
fn keep_sizes(lesson: &Lesson, old: &Sizes, sizes: &mut Sizes) {
    for size in &lesson.sizes {
        let previous = old.get(&size.name).copied();
        if let Some(value) = previous.filter(|value| size.takes(*value)) {
            size.set(sizes, value);
        }
    }
}

/// Puts what is known of each cell into the same cell of the new lesson; says which of them changed.
fn take_states(model: &mut Model, old_lesson: &Lesson, old: Vec<CellState>) -> Vec<usize> {
    let mut changed = Vec::new();
    let mut old: Vec<Option<CellState>> = old.into_iter().map(Some).collect();
    let lesson = model.lesson.clone();
    let cells = lesson.cells.iter().zip(&mut model.cells).enumerate();
    for (index, (cell, state)) in cells {
        let found = old_lesson
            .cells
            .iter()
            .position(|old| is_same_cell(old, cell));
        let Some(before) = found else { continue };
        match (old[before].take(), &mut *state, cell) {
            (Some(CellState::Run(mut previous)), CellState::Run(fresh), Cell::Run(_)) => {
                if old_lesson.cells[before] != *cell {
                    changed.push(index);
                    previous.inspector = fresh.inspector.clone();
                    previous.edits.original = None;
                }
                **fresh = *previous;
            }
            (Some(previous), fresh, _) if old_lesson.cells[before] == *cell => *fresh = previous,
            _ => {}
        }
    }
    changed
}

/// Holds edits against the texts that the new lesson has. A file that was never changed takes the new
/// text; an edit stays, and is known to be of an older one.
fn take_originals(model: &mut Model) {
    let runs = model.lesson.runs();
    let sources = runs.map(|cell| cell.source.clone());
    for source in sources.collect::<Vec<_>>() {
        let Some(edit) = model.edit_of(source.name()) else {
            continue;
        };
        if edit.original != source {
            let is_changed = edit.is_changed();
            if !is_changed {
                edit.text = Text::new(source.text());
                edit.findings.clear();
            }
            edit.of_older |= is_changed;
            edit.original = source.clone();
        }
        model.put_text(source.name());
    }
}

/// Cells with names are the same by these, prose by its first line.
fn is_same_cell(a: &Cell, b: &Cell) -> bool {
    match (a, b) {
        (Cell::Prose(a), Cell::Prose(b)) => {
            let (a, b) = (a.markdown.written(), b.markdown.written());
            a.lines().next() == b.lines().next()
        }
        _ => discriminant(a) == discriminant(b) && a.id() == b.id(),
    }
}

/// Where `cell`, which stood at `at`, is in `lesson`; else the nearest place.
fn place(lesson: &Lesson, cell: &Cell, at: usize) -> usize {
    let found = lesson
        .cells
        .iter()
        .position(|other| is_same_cell(cell, other));
    found.unwrap_or(at.min(lesson.cells.len().saturating_sub(1)))
}
