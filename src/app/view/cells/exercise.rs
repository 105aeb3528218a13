//! Exercises.

use super::TextRow;
use crate::app::state::Model;
use crate::app::view::widgets::Canvas;
use crate::lesson::ExerciseCell;

/// What `cell` asks, in lines of `width` cells.
pub(crate) fn rows(
    canvas: &Canvas,
    model: &Model,
    cell: &ExerciseCell,
    width: usize,
) -> Vec<TextRow> {
    let sizes = model.lesson.complete(&model.settings.sizes);
    let sizes = cell.run.complete(&sizes);
    let question = cell.question.at(&sizes, model.gpu_in_use());
    let text = format!(
        "**{}**\n\n{question}\n\nIn your own editor: `tutor practice {}`.",
        cell.run.title,
        cell.id()
    );
    TextRow::rendered(canvas, &text, width)
}
