//! Exercises: what is asked, the hints that were asked for, and the solution once it may be seen.

use std::borrow::Cow;

use super::TextRow;
use crate::app::keys::key_of;
use crate::app::state::{Action, EditorAction, ExerciseAction, ExerciseState, Model};
use crate::app::view::widgets::Canvas;
use crate::lesson::{ExerciseCell, Markdown};

/// What `cell` asks, and what was shown of its help, in lines of `width` cells.
pub(crate) fn rows(
    canvas: &Canvas,
    model: &Model,
    cell: &ExerciseCell,
    state: &ExerciseState,
    width: usize,
) -> Vec<TextRow> {
    let sizes = cell.run.complete(&cell.told_at(&model.lesson));
    let text = |markdown: &'_ Markdown| -> String {
        let text: Cow<'_, str> = markdown.at(&sizes, model.gpu_in_use());
        text.trim().to_owned()
    };
    let saved = model.visit.saved.exercise(cell.id());
    let mut parts = vec![text(&cell.question)];
    let hints = cell.help.hints.iter().take(saved.hints as usize);
    let count = cell.help.hints.len();
    let hints = hints.enumerate().map(|(at, hint)| {
        let number = at + 1;
        format!("*Hint {number} of {count}.* {}", text(hint))
    });
    parts.extend(hints);
    if state.shows_solution {
        let python = cell.file_name().ends_with(".py");
        let language = if python { "python" } else { "cuda" };
        parts.push(format!("```{language}\n{}```", cell.start.solution.text()));
        parts.push(text(&cell.help.reasons));
    }
    let mut rows = TextRow::rendered(canvas, &parts.join("\n\n"), width);
    rows.push(TextRow::from(keys(canvas, model, saved.hints as usize, count)));
    rows
}

/// The keys of an exercise.
fn keys(
    canvas: &Canvas,
    model: &Model,
    shown: usize,
    hints: usize,
) -> ratatui::text::Line<'static> {
    let context = model.context_below();
    let key = |action: Action| key_of(&action, context, canvas.theme());
    let edit = key(Action::Editor(EditorAction::EditKernel));
    let hint = key(Action::Exercise(ExerciseAction::Hint));
    let solution = key(Action::Exercise(ExerciseAction::Solution));
    let more = match shown {
        0 => " hint  ",
        _ => " one more hint  ",
    };
    let mut keys = vec![(edit.as_str(), " write  ")];
    if shown < hints {
        keys.push((hint.as_str(), more));
    }
    keys.push((solution.as_str(), " solution"));
    canvas.keys(&keys)
}
