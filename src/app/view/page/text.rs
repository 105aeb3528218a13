//! The text of a page at its step: what leads to it, the question or the kernel's note, and what is said after it.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::{CellState, Extent, Model, PageTexts};
use crate::app::view::cells::{TextRow, exercise, kernel, prediction, prose};
use crate::app::view::widgets::{Canvas, below};
use crate::device::counted;
use crate::document::{Role, fold};
use crate::lesson::Cell;

/// The text of the step on screen in lines of `width` cells, and before it as much of what the page said before as leaves all
/// of it on `room` rows.
pub(crate) fn rows(canvas: &Canvas, model: &Model, width: usize, room: usize) -> Vec<TextRow> {
    rows_of(canvas, model, &model.shown_texts(), width, room)
}

/// The same in two parts: what leads to the step, and what is said of it.
pub(crate) fn parts(canvas: &Canvas, model: &Model, width: usize) -> [Vec<TextRow>; 2] {
    let mut texts = model.shown_texts();
    let mut after = Vec::new();
    for at in std::mem::take(&mut texts.after) {
        append(&mut after, cell_rows(canvas, model, at, width));
    }
    [rows_of(canvas, model, &texts, width, 0), after]
}

fn rows_of(
    canvas: &Canvas,
    model: &Model,
    texts: &PageTexts,
    width: usize,
    room: usize,
) -> Vec<TextRow> {
    let mut rows = Vec::new();
    for &at in &texts.before {
        append(&mut rows, cell_rows(canvas, model, at, width));
    }
    if !texts.before.contains(&model.at)
        && !matches!(model.cells.get(model.at), Some(CellState::Run(_)))
    {
        append(&mut rows, cell_rows(canvas, model, model.at, width));
    }
    for &at in &texts.after {
        append(&mut rows, cell_rows(canvas, model, at, width));
    }
    for &at in texts.earlier.iter().rev() {
        let mut earlier = cell_rows(canvas, model, at, width);
        // A step of which nothing is said keeps what was said last.
        if earlier.len() + 1 + rows.len() > room && !rows.is_empty() {
            break;
        }
        append(&mut earlier, std::mem::take(&mut rows));
        rows = earlier;
    }
    rows
}

/// Adds rows behind an empty one.
fn append(rows: &mut Vec<TextRow>, more: Vec<TextRow>) {
    if !rows.is_empty() && !more.is_empty() {
        rows.push(TextRow::default());
    }
    rows.extend(more);
}

/// What a cell says, in rows of `width` cells.
fn cell_rows(canvas: &Canvas, model: &Model, at: usize, width: usize) -> Vec<TextRow> {
    let rows = text_of(canvas, model, at, width).into_iter();
    let rows = rows.flat_map(|row| {
        let lines = fold(row.line, width).into_iter();
        lines.map(move |line| TextRow {
            line,
            action: row.action.clone(),
        })
    });
    rows.collect()
}

fn text_of(canvas: &Canvas, model: &Model, at: usize, width: usize) -> Vec<TextRow> {
    match (&model.lesson.cells[at], &model.cells[at]) {
        (Cell::Prose(cell), _) => prose::rows(canvas, model, cell, width),
        (Cell::Kernel(cell), _) => kernel::note(canvas, cell, width),
        (Cell::Prediction(cell), CellState::Prediction(state)) if at == model.at => {
            prediction::rows(canvas, model, cell, state, width)
        }
        (Cell::Prediction(cell), CellState::Prediction(state)) => {
            prediction::explanation(canvas, model, cell, state, width)
        }
        (Cell::Exercise(cell), CellState::Exercise(state)) => {
            exercise::rows(canvas, model, cell, state, width)
        }
        _ => Vec::new(),
    }
}

/// Text for a room: more space between paragraphs, and above them, as far as there is any.
pub(crate) fn spaced(page: Rect, rows: Vec<TextRow>) -> (Rect, Vec<TextRow>) {
    let is_blank = |row: &TextRow| row.line.width() == 0;
    let gaps = rows.iter().filter(|row| is_blank(row)).count();
    let height = usize::from(page.height);
    let wide = rows.len() + gaps <= height;
    let spaced = rows.into_iter().flat_map(|row| {
        let again = wide && is_blank(&row);
        std::iter::once(row).chain(again.then(TextRow::default))
    });
    let rows: Vec<TextRow> = spaced.collect();
    // A third, not half: text that stands in the middle looks as if it sank.
    let above = height.saturating_sub(rows.len()) / 3;
    (below(page, above as u16), rows)
}

/// Draws rows of text over `area`, from the line that one has come to; says how many more there are.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model, rows: Vec<TextRow>) {
    let is_whole = rows.len() <= area.height.into();
    // What does not fit takes a row to say so.
    let visible = area.height.saturating_sub(u16::from(!is_whole));
    let extent = Extent {
        content: rows.len(),
        visible: visible.into(),
    };
    canvas.drawn.seen.prose = extent;
    let scroll = model.look.text_scroll.min(extent.max_scroll());
    for (place, row) in area
        .rows()
        .take(visible.into())
        .zip(rows.into_iter().skip(scroll))
    {
        canvas.line(place, row.line);
        if let Some(action) = row.action {
            canvas.click(place, action);
        }
    }
    if !is_whole {
        let hidden = extent.max_scroll() - scroll;
        canvas.line(below(area, visible), more(canvas, hidden));
    }
}

fn more(canvas: &Canvas, hidden: usize) -> Line<'static> {
    if hidden == 0 {
        return Line::default();
    }
    let arrow = canvas.theme().glyph("\u{2193}", "v");
    let lines = counted(hidden as u64, "more line");
    let mut line = canvas.text(format!("{arrow} {lines}  "), Role::Muted);
    line.push_span(canvas.span("space", Role::Key));
    line.right_aligned()
}
