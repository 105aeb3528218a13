//! Exercises: what a learner wrote is checked once it ran; hints and the solution are shown when they are asked for.

use crate::app::state::{CellState, CheckedAnswer, ExerciseChange, Model, StateChange};
use crate::app::update::message::{AnswerCheck, CheckedText, Effect};
use crate::lesson::{Cell, ExerciseCell};

/// Shows one hint more.
pub(crate) fn show_hint(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, _)) = model.exercise() else {
        model.notice = Some("there is no exercise on this page".to_owned());
        return;
    };
    let (id, hints) = (cell.id().to_owned(), cell.help.hints.len());
    let shown = model.visit.saved.exercise(&id).hints as usize;
    let change = ExerciseChange::Hints((shown + 1).min(hints) as u32);
    model.look.text_scroll = 0;
    keep(model, id, change, effects);
}

/// Shows the solution, or hides it: after success, or if it is asked for twice. In front of a room the teacher decides.
pub(crate) fn show_solution(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((cell, state)) = model.exercise() else {
        return;
    };
    let (id, is_shown) = (cell.id().to_owned(), state.shows_solution);
    if !is_shown && model.presentation.is_none() {
        keep(model, id.clone(), ExerciseChange::AskedForSolution, effects);
        if !model.visit.saved.exercise(&id).may_see_solution() {
            let text = "solve it first, or ask again to see the solution; t gives a hint";
            model.notice = Some(text.to_owned());
            return;
        }
    }
    model.look.text_scroll = 0;
    if let Some(state) = model.exercise_state() {
        state.shows_solution = !is_shown;
    }
}

/// Asks for a check of the text of cell `index`, whose run has just ended.
pub(crate) fn ask_for_check(model: &Model, index: usize, effects: &mut Vec<Effect>) {
    let (Some(Cell::Exercise(cell)), Some(CellState::Exercise(state))) =
        (model.lesson.cells.get(index), model.cells.get(index))
    else {
        return;
    };
    let text = &cell.run.source;
    let known = state.checked.as_ref().map(|checked| &checked.text);
    if known != Some(text) {
        effects.push(Effect::CheckAnswer(AnswerCheck {
            job: model.runs.last_job,
            lesson: model.lesson.clone(),
            cell: index,
            text: text.clone(),
            gpu: model.gpu_in_use().id.clone(),
        }));
    }
}

/// Takes what a check found, and keeps it.
pub(crate) fn take_checked(model: &mut Model, checked: CheckedText, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let is_asked = |cell: &ExerciseCell| cell.id() == checked.id;
    let cells = lesson.cells.iter().zip(&mut model.cells);
    let mut found = cells.filter_map(|(cell, state)| match (cell, state) {
        (Cell::Exercise(cell), CellState::Exercise(state)) => Some((cell, state)),
        _ => None,
    });
    let Some((cell, state)) = found.find(|(cell, _)| is_asked(cell)) else {
        return;
    };
    let (text, at) = (checked.text.text().to_owned(), checked.at);
    let found = checked.found.as_ref().ok();
    let change = found.and_then(|found| ExerciseChange::of_check(cell, text, found, at));
    state.checked = Some(CheckedAnswer {
        text: checked.text,
        found: checked.found,
    });
    let file = cell.run.source.name().to_owned();
    // What a check says of a line is more than a run at one size can.
    if let Some(found) = model.exercise_findings()
        && let Some(edit) = model.edit_of(&file)
    {
        edit.take_diagnostics(found);
    }
    if let Some(change) = change {
        keep(model, checked.id, change, effects);
    }
}

fn keep(model: &mut Model, id: String, change: ExerciseChange, effects: &mut Vec<Effect>) {
    model.keep(StateChange::Exercise { id, change }, effects);
}
