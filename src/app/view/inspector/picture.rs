//! What memory holds as a picture: one cell an element, or a tile of a buffer too large for that.

use std::collections::HashMap;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::items::{row_label, window};
use crate::app::state::{
    Action, ElementAccess, InspectedItem, InspectorAction, MemoryView, RunState, Summary, Tile,
    ValueRange,
};
use crate::app::view::widgets::{Canvas, below, top};
use crate::device::grouped;
use crate::document::{Role, real, value};
use crate::launch::Value;

/// Draws it in `area`: the scale below, and for a tiled one the corners above and below.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
) {
    let fits = view.matrix.rows <= usize::from(area.height.saturating_sub(2))
        && view.matrix.columns <= usize::from(area.width);
    let summary = match state.inspector.item() {
        // Tiles are of a buffer as it was after the run; at a step its elements are shown.
        Some(InspectedItem::Buffer(index)) if !fits && view.moment.is_none() => {
            state.summaries.get(index).and_then(Option::as_ref)
        }
        _ => None,
    };
    match summary {
        Some(summary) => {
            draw_tiles(canvas, area, view, summary, state);
        }
        None => draw_elements(canvas, area, view, touched, state),
    }
}

/// A window of elements, a cell or two each.
fn draw_elements(
    canvas: &mut Canvas,
    area: Rect,
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
) {
    let matrix = &view.matrix;
    let labels = grouped(matrix.length as u64).len() + 1;
    let room = usize::from(area.width).saturating_sub(labels);
    // A cell of a terminal is about twice as high as wide: two of them make a square element.
    // As long as all columns fit at two cells each.
    let wide = if 2 * matrix.columns <= room { 2 } else { 1 };
    let columns = matrix.columns.min(room / wide);
    let rows = matrix.rows.min(usize::from(area.height.saturating_sub(2)));
    let (first_row, first_column) = window(canvas, matrix, rows, columns, state);
    let index = |row: usize, column: usize| matrix.index(first_row + row, first_column + column);
    let shown = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let numbers = shown.filter_map(|(row, column)| view.get(index(row, column)?));
    let shown = ValueRange::of(numbers.map(Value::as_f64));
    // One scale for the whole run: equal elements look alike at every step.
    let range = range_of_run(state).map_or(shown, |range| range.with(shown));
    for (row, place) in (first_row..).zip(area.rows().take(rows)) {
        let label = row_label(matrix, row, labels - 1) + " ";
        let mut line = canvas.text(label, Role::Muted);
        for column in first_column..first_column + columns {
            let index = matrix.index(row, column);
            let touch = index.and_then(|index| touched.get(&index).copied());
            let number = index.map(|index| view.get(index).map(Value::as_f64));
            let span = element(canvas, number, range, touch, wide);
            push_selectable(canvas, place, &mut line, span, row, column, state);
        }
        canvas.line(place, line);
    }
    let scale = scale(canvas, range, !touched.is_empty());
    canvas.line(below(area, rows as u16 + 1), scale);
}

/// A cell of the picture that a click selects, lit where the cursor is.
fn push_selectable(
    canvas: &mut Canvas,
    place: Rect,
    line: &mut Line<'static>,
    span: Span<'static>,
    row: usize,
    column: usize,
    state: &RunState,
) {
    let select = InspectorAction::SelectElement(row, column);
    canvas.click_next(place, line, span.width(), Action::Inspector(select));
    line.push_span(selected(
        canvas,
        span,
        state.inspector.buffer.cursor == (row, column),
    ));
}

/// The span as the chosen one, if it is.
fn selected(canvas: &Canvas, span: Span<'static>, is_chosen: bool) -> Span<'static> {
    match is_chosen {
        true => span.patch_style(canvas.theme().style(Role::Selection)),
        false => span,
    }
}

/// One element: a bar as high as its value, or what the step does with it.
fn element(
    canvas: &Canvas,
    number: Option<Option<f64>>,
    range: ValueRange,
    touch: Option<ElementAccess>,
    wide: usize,
) -> Span<'static> {
    match (touch, number) {
        (_, None) => Span::raw(" ".repeat(wide)),
        (Some(ElementAccess { stores: 1.., .. }), _) => {
            canvas.span("S".repeat(wide), Role::Changed)
        }
        (Some(_), _) => canvas.span("L".repeat(wide), Role::Accent),
        (None, Some(None)) => canvas.span(canvas.theme().dot().repeat(wide), Role::Muted),
        (None, Some(Some(number))) => {
            let (text, style) = shade(canvas, number, range);
            Span::styled(text.repeat(wide), style)
        }
    }
}

/// The glyph and style of a number in a range; the least is the lowest bar.
fn shade(canvas: &Canvas, number: f64, range: ValueRange) -> (&'static str, ratatui::style::Style) {
    let theme = canvas.theme();
    if number.is_nan() {
        return ("!", theme.style(Role::Bad));
    }
    // Of one value there is no range to divide by.
    let share = match range.most > range.least {
        true => (number - range.least) / (range.most - range.least),
        false => 0.0,
    };
    // Even the least value has a bar, so that it looks unlike a blank; its heat is that of nothing.
    (theme.bar(share.clamp(0.01, 1.0)), theme.amount(share))
}

/// The range of what is looked at over the whole run, where that is known.
fn range_of_run(state: &RunState) -> Option<ValueRange> {
    match state.inspector.item()? {
        InspectedItem::Shared(array) => {
            let ranges = &state.block_history()?.shared_ranges;
            ranges.get(array).copied()
        }
        InspectedItem::Buffer(index) => {
            let summary = state.summaries.get(index)?.as_ref();
            summary.map(range_of_buffer)
        }
    }
}

fn range_of_buffer(summary: &Summary) -> ValueRange {
    ValueRange {
        least: summary.min,
        most: summary.max,
    }
}

/// Part `at` of `of` equal parts.
#[derive(Clone, Copy)]
struct Part {
    at: usize,
    of: usize,
}

impl Part {
    /// Which of `count` things it has: one at least, where there are fewer things than parts.
    fn range(self, count: usize) -> std::ops::Range<usize> {
        // Of 3 things in 8 parts, the parts 0, 1 and 2 share the first.
        let from = self.at * count / self.of;
        from..((self.at + 1) * count / self.of).max(from + 1)
    }
}

/// What the glyphs mean.
fn scale(canvas: &Canvas, range: ValueRange, has_touched: bool) -> Line<'static> {
    let mut line = Line::default();
    if range.least <= range.most {
        line.push_span(canvas.span(format!("{} ", real(range.least, 9)), Role::Muted));
        for eighth in 1..=8 {
            let (share, theme) = (f64::from(eighth) / 8.0, canvas.theme());
            line.push_span(Span::styled(theme.bar(share), theme.amount(share)));
        }
        line.push_span(canvas.span(format!(" {}", real(range.most, 9)), Role::Muted));
    } else {
        line.push_span(canvas.span("nothing is written yet", Role::Muted));
    }
    if has_touched {
        let text = "  L loaded, S stored by this step";
        line.push_span(canvas.span(text, Role::Muted));
    }
    line
}

/// A large buffer in small: means of tiles, its four corners as numbers.
fn draw_tiles(
    canvas: &mut Canvas,
    area: Rect,
    view: &MemoryView,
    summary: &Summary,
    state: &RunState,
) {
    let (matrix, tiles) = (&view.matrix, &summary.tiles);
    let rows = tiles.len().min(usize::from(area.height.saturating_sub(4)));
    // Tiles were summed up when the run ended, however many cells there are now.
    let columns = tiles.first().map_or(0, Vec::len).min(area.width.into());
    // All of it is on screen, if in small: nothing scrolls.
    window(canvas, matrix, matrix.rows, matrix.columns, state);
    let upper = corners(canvas, view, 0, columns);
    canvas.line(area, upper);
    let drawn = Drawn { rows, columns };
    draw_means(canvas, below(area, 1), view, summary, state, drawn);
    let lower = corners(canvas, view, matrix.rows.saturating_sub(1), columns);
    canvas.line(top(below(area, rows as u16 + 1), 1), lower);
    let mut scale = scale(canvas, range_of_buffer(summary), false);
    let high = matrix.rows.div_ceil(rows.max(1));
    let wide = matrix.columns.div_ceil(columns.max(1));
    let note = format!("  a cell: mean of {high} {} {wide}", canvas.theme().times());
    scale.push_span(canvas.span(note, Role::Muted));
    canvas.line(below(area, rows as u16 + 2), scale);
}

/// Rows and columns of a drawing.
#[derive(Clone, Copy)]
struct Drawn {
    rows: usize,
    columns: usize,
}

/// The means of tiles as a drawing of so many cells; a click selects the first element behind a cell.
fn draw_means(
    canvas: &mut Canvas,
    area: Rect,
    view: &MemoryView,
    summary: &Summary,
    state: &RunState,
    Drawn { rows, columns }: Drawn,
) {
    let matrix = &view.matrix;
    let (row, column) = state.inspector.buffer.cursor;
    let cursor = (
        // Which cell of the drawing the element is in: the reverse of what a click does.
        row * rows / matrix.rows.max(1),
        column * columns / matrix.columns.max(1),
    );
    for (y, place) in area.rows().take(rows).enumerate() {
        let mut line = Line::default();
        for x in 0..columns {
            let (down, across) = (Part { at: y, of: rows }, Part { at: x, of: columns });
            let mean = mean(&summary.tiles, down, across);
            let (text, style) = shade(canvas, mean, range_of_buffer(summary));
            let to = (y * matrix.rows / rows, x * matrix.columns / columns);
            let select = InspectorAction::SelectElement(to.0, to.1);
            canvas.click_next(place, &line, 1, Action::Inspector(select));
            let span = Span::styled(text, style);
            line.push_span(selected(canvas, span, (y, x) == cursor));
        }
        canvas.line(place, line);
    }
}

/// The mean of the tiles behind one cell of a drawing.
fn mean(tiles: &[Vec<Tile>], down: Part, across: Part) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for row in &tiles[down.range(tiles.len())] {
        for tile in &row[across.range(row.len())] {
            (sum, count) = (sum + tile.sum, count + tile.numbers);
        }
    }
    // Of the sums and counts, not of the means: tiles at the edges hold fewer elements.
    sum / f64::from(count)
}

/// The first and last element of a row, as far apart as the drawing is wide.
fn corners(canvas: &Canvas, view: &MemoryView, row: usize, columns: usize) -> Line<'static> {
    let corner = |column: usize| {
        let index = view.matrix.index(row, column);
        let element = index.and_then(|index| view.get(index));
        let text = element.map_or_else(String::new, |element| value(element, 9));
        format!(
            "[{},{}] {text}",
            grouped(row as u64),
            grouped(column as u64)
        )
    };
    // The last row of a vector that is folded may be short.
    let last = (view.matrix.columns.saturating_sub(1)).min(
        view.matrix
            .length
            .saturating_sub(row * view.matrix.columns + 1),
    );
    let (left, right) = (corner(0), corner(last));
    let gap = columns.saturating_sub(left.len() + right.len()).max(2);
    canvas.text(format!("{left}{}{right}", " ".repeat(gap)), Role::Text)
}
