//! A buffer's values as a matrix, and the row of things to look at.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::canvas::{Canvas, below, inset, top};
use super::text::{fit_line, real, value};
use crate::launch::BufferValues;
use crate::lesson::RunCell;
use crate::session::{Action, Extent, Item, Matrix, RunState, Summary, grouped};

/// Cells of a value, the gap before it included.
const CELL: usize = 11;

/// Draws the names of all there is to look at, the chosen one marked, on one line.
pub(super) fn draw_items(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    let inspector = &state.inspector;
    let name = |item: &Item| match *item {
        Item::Warp => "warp",
        Item::Buffer(buffer) => cell.buffers.get(buffer).map_or("", |buffer| &buffer.name),
    };
    let names: Vec<&str> = inspector.items.iter().map(name).collect();
    let width = usize::from(area.width);
    // Names are left out at the start until the chosen one fits.
    let room = |from: usize| {
        names[from..=inspector.chosen]
            .iter()
            .map(|name| name.len() + 3)
            .sum::<usize>()
    };
    let first = (0..=inspector.chosen).find(|&from| room(from) <= width);
    let first = first.unwrap_or(inspector.chosen);
    let mut line = Line::default();
    for (i, name) in names.iter().enumerate().skip(first) {
        let role = if i == inspector.chosen {
            Role::Selection
        } else {
            Role::Muted
        };
        let x = area.x + line.width() as u16;
        let hit = Rect {
            x,
            width: name.len() as u16 + 2,
            ..top(area, 1)
        };
        canvas.click(hit.intersection(area), Action::SelectItem(i));
        line.push_span(canvas.span(format!(" {name} "), role));
        line.push_span(Span::raw(" "));
    }
    canvas.line(area, line);
}

/// Draws buffer `index` of the last result.
pub(super) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    index: usize,
) {
    let area = inset(area, 1);
    draw_items(canvas, area, cell, state);
    let rest = below(area, 2);
    let values = state
        .ran
        .as_ref()
        .and_then(|ran| ran.result.outcome.buffers.get(index));
    let (Some(values), Some(matrix)) = (values, state.matrix(cell, index)) else {
        return nothing(canvas, rest);
    };
    let summary = state.summaries.get(index).copied().flatten();
    let head = heading(canvas, values, &matrix);
    canvas.line(rest, head);
    let summary = summary_line(canvas, summary);
    canvas.line(below(rest, 1), summary);
    let table = Rect {
        height: rest.height.saturating_sub(5),
        ..below(rest, 3)
    };
    draw_matrix(canvas, table, values, &matrix, state);
    let element = element_line(canvas, values, &matrix, state);
    canvas.line(below(rest, rest.height.saturating_sub(1)), element);
}

/// Says that there are no values yet, and what gives them.
pub(super) fn nothing(canvas: &mut Canvas, area: Rect) {
    let line = Line::from(vec![
        canvas.span("No values yet. ", Role::Muted),
        canvas.span("enter", Role::Key),
        canvas.span(" runs this cell.", Role::Muted),
    ]);
    canvas.line(area, line);
}

fn heading(canvas: &Canvas, values: &BufferValues, matrix: &Matrix) -> Line<'static> {
    let times = canvas.theme().times();
    let length = grouped(matrix.length as u64);
    let shape = if matrix.folded {
        length
    } else {
        let (rows, columns) = (matrix.rows as u64, matrix.columns as u64);
        format!("{} {times} {} = {length}", grouped(rows), grouped(columns))
    };
    Line::from(vec![
        canvas.span(&values.name, Role::Strong),
        canvas.span(
            format!(
                "  {} {} {shape} elements",
                values.element.name(),
                canvas.theme().dot()
            ),
            Role::Muted,
        ),
    ])
}

fn summary_line(canvas: &Canvas, summary: Option<Summary>) -> Line<'static> {
    let Some(summary) = summary else {
        return Line::from(canvas.span("summing up\u{2026}", Role::Muted));
    };
    let mut line = Line::default();
    for (name, number) in [
        ("min", summary.min),
        ("max", summary.max),
        ("mean", summary.mean),
    ] {
        line.push_span(canvas.span(format!("{name} "), Role::Muted));
        line.push_span(canvas.span(format!("{}  ", real(number, 8)), Role::Text));
    }
    let role = if summary.nan > 0 {
        Role::Bad
    } else {
        Role::Muted
    };
    line.push_span(canvas.span(format!("NaN {}", grouped(summary.nan as u64)), role));
    line
}

/// Width of the row numbers of `matrix`.
fn row_width(matrix: &Matrix) -> usize {
    let last = if matrix.folded {
        matrix.length
    } else {
        matrix.rows
    };
    grouped(last.saturating_sub(1) as u64).len()
}

fn draw_matrix(
    canvas: &mut Canvas,
    area: Rect,
    values: &BufferValues,
    matrix: &Matrix,
    state: &RunState,
) {
    let theme = canvas.theme();
    let labels = row_width(matrix);
    let width = usize::from(area.width);
    let columns = (width.saturating_sub(labels) / CELL).min(matrix.columns);
    let visible = usize::from(area.height.saturating_sub(1));
    canvas.drawn.seen.rows = Extent {
        content: matrix.rows,
        visible,
    };
    canvas.drawn.seen.columns = Extent {
        content: matrix.columns,
        visible: columns,
    };
    let extents = canvas.drawn.seen;
    let first_row = state.inspector.scroll.0.min(extents.rows.max_scroll());
    let first_column = state.inspector.scroll.1.min(extents.columns.max_scroll());
    let sign = if matrix.folded { "+" } else { "" };
    let mut head = " ".repeat(labels);
    for column in first_column..first_column + columns {
        head += &format!("{:>CELL$}", format!("{sign}{}", grouped(column as u64)));
    }
    canvas.line(area, Line::from(canvas.span(head, Role::Muted)));
    for (row_area, row) in below(area, 1).rows().zip(first_row..matrix.rows) {
        let label = if matrix.folded {
            row * matrix.columns
        } else {
            row
        };
        let label = format!("{:>labels$}", grouped(label as u64));
        let mut line = Line::from(canvas.span(label, Role::Muted));
        for column in first_column..first_column + columns {
            let element = matrix
                .index(row, column)
                .and_then(|index| values.get(index));
            let text = element.map_or_else(String::new, |element| value(element, CELL - 2));
            let chosen = state.inspector.cursor == (row, column);
            let role = if chosen { Role::Selection } else { Role::Text };
            line.push_span(Span::raw(" ".repeat(CELL.saturating_sub(text.len() + 1))));
            let lead = if chosen {
                theme.style(role)
            } else {
                theme.style(Role::Text)
            };
            line.push_span(Span::styled(format!("{text} "), lead));
        }
        // The blank after each value belongs to it, so that a selected one is easy to see.
        canvas.line(row_area, fit_line(line, width + 1, theme));
    }
}

/// The chosen element, in full.
fn element_line(
    canvas: &Canvas,
    values: &BufferValues,
    matrix: &Matrix,
    state: &RunState,
) -> Line<'static> {
    let (row, column) = state.inspector.cursor;
    let Some(index) = matrix.index(row, column) else {
        return Line::from(canvas.span("empty", Role::Muted));
    };
    let place = if matrix.folded {
        format!("{}[{}]", values.name, grouped(index as u64))
    } else {
        format!(
            "{}[{}, {}]",
            values.name,
            grouped(row as u64),
            grouped(column as u64)
        )
    };
    let text = values
        .get(index)
        .map_or_else(String::new, |element| value(element, 24));
    Line::from(vec![
        canvas.span(place, Role::Accent),
        canvas.span(" = ", Role::Muted),
        canvas.span(text, Role::Strong),
        canvas.span(format!("  element {}", grouped(index as u64)), Role::Muted),
    ])
}
