//! Exercises: what is asked, the hints that were asked for, and the solution once it may be seen.

use ratatui::text::Line;

use super::TextRow;
use crate::app::keys::key_of;
use crate::app::state::{Action, Context, EditorAction, ExerciseState, Model, PredictionAction};
use crate::app::view::widgets::Canvas;
use crate::lesson::{ExerciseCell, Markdown};
use crate::source::is_python;

/// What `cell` asks, and what was shown of its help, in lines of `width` cells.
pub(crate) fn rows(
    canvas: &Canvas,
    model: &Model,
    cell: &ExerciseCell,
    state: &ExerciseState,
    width: usize,
) -> Vec<TextRow> {
    let sizes = model.lesson.complete(&model.settings.sizes);
    let sizes = cell.run.complete(&sizes);
    let text = |markdown: &Markdown| {
        let text = markdown.at(&sizes, model.gpu_in_use());
        text.trim().to_owned()
    };
    let shown = model.visit.saved.exercise(cell.id()).hints as usize;
    let all = cell.help.hints.len();
    let mut parts = vec![text(&cell.question)];
    if state.shows_solution {
        let language = match is_python(cell.run.source.name()) {
            true => "python",
            false => "cuda",
        };
        parts.push(format!("```{language}\n{}```", cell.start.solution.text()));
        parts.push(text(&cell.help.reasons));
    } else {
        let hints = (1..).zip(&cell.help.hints).take(shown);
        parts.extend(
            hints.map(|(number, hint)| format!("*Hint {number} of {all}.* {}", text(hint))),
        );
    }
    let mut rows = TextRow::rendered(canvas, &parts.join("\n\n"), width);
    // Where letters are text, none of these is a key.
    if model.context() != Context::Editor {
        rows.push(TextRow::from(keys(canvas, model, all - shown.min(all))));
    }
    rows
}

/// The keys of an exercise of which so many hints are left.
fn keys(canvas: &Canvas, model: &Model, hints_left: usize) -> Line<'static> {
    let context = model.context_below();
    let key = |action: Action| key_of(&action, context, canvas.theme());
    let edit = key(Action::Editor(EditorAction::EditKernel));
    let hint = key(Action::Hint);
    let solution = key(Action::Prediction(PredictionAction::Skip));
    let mut keys = vec![(edit.as_str(), " write  ")];
    if hints_left > 0 {
        keys.push((hint.as_str(), " hint  "));
    }
    keys.push((solution.as_str(), " solution"));
    canvas.keys(&keys)
}
