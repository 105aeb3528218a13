//! Text of a page.

use super::TextRow;
use crate::app::state::Model;
use crate::app::view::widgets::Canvas;
use crate::lesson::ProseCell;

/// The text of `cell` in lines of `width` cells, without the heading of its page.
pub(crate) fn rows(canvas: &Canvas, model: &Model, cell: &ProseCell, width: usize) -> Vec<TextRow> {
    let sizes = model.lesson.complete(&model.settings.sizes);
    let text = cell.markdown.at(&sizes, model.gpu_in_use());
    let text = text.trim_start();
    let text = match text.strip_prefix("# ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    TextRow::rendered(canvas, text, width)
}
