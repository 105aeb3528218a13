//! What memory holds as a matrix of numbers, and the row of things to look at.

use std::collections::HashMap;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::items::{draw_items, nothing, row_label, window};
use super::picture;
use crate::app::state::{
    Action, ElementAccess, InspectedItem, InspectorAction, Matrix, MemoryView, RunState, Summary,
};
use crate::app::view::widgets::{Canvas, below, inset};
use crate::device::grouped;
use crate::document::{Role, fit_line, real, value};
use crate::lesson::RunCell;

/// Most numbers in a row of what has one dimension only.
const MOST_NUMBERS: usize = 8;
/// Cells of a value, the gap before it included.
const CELL: usize = 11;
/// Height below which only the values and the chosen element are drawn under the name.
const ROOMY: u16 = 10;
/// Height below which nobody is told who wrote that element.
const LOWEST: u16 = 6;

/// Draws the buffer or shared array that is looked at.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    let area = inset(area, 1);
    draw_items(canvas, area, cell, state);
    let Some(view) = state.memory_view(cell) else {
        return no_values(canvas, below(area, 2), cell, state);
    };
    let touched = view.touched();
    let when = when(canvas, &view, state);
    let is_low = area.height < ROOMY + 2;
    let rest = below(area, if is_low && when.width() == 0 { 1 } else { 2 });
    canvas.line(below(area, 1), when);
    // Where rows are few, what the element holds goes before who wrote it.
    let head = heading(canvas, &view);
    canvas.line(rest, head);
    let mut element = element_lines(canvas, &view, &touched, state);
    if rest.height < LOWEST {
        element.truncate(1);
    }
    let (mut above, mut under) = (1, element.len() as u16);
    if !is_low {
        let summary = summary(canvas, &view, &touched, state, area.width.into());
        canvas.line(below(rest, 1), summary);
        (above, under) = (3, 2);
    }
    let table = Rect {
        height: rest.height.saturating_sub(above + under),
        ..below(rest, above)
    };
    match state.inspector.buffer.picture {
        true => picture::draw(canvas, table, &view, &touched, state),
        false => draw_matrix(canvas, table, &view, &touched, state),
    }
    // At the bottom: the table may have fewer rows than there is room for.
    let foot = rest.height.saturating_sub(element.len() as u16);
    canvas.lines(below(rest, foot.max(above)), element);
}

/// Says why there are no values.
fn no_values(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    if state.ran.is_none() || !cell.buffers.is_empty() {
        return nothing(canvas, area, state);
    }
    let text = "The kernel has no buffers. Lanes shows its variables.";
    let line = canvas.text(text, Role::Muted);
    canvas.line(area, line);
}

/// What all its values come to, or what the step touches.
fn summary(
    canvas: &Canvas,
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
    width: usize,
) -> Line<'static> {
    match (view.moment, state.inspector.item()) {
        (None, Some(InspectedItem::Buffer(index))) => {
            let summary = state.summaries.get(index).and_then(Option::as_ref);
            summary_line(canvas, summary, width)
        }
        // Sums of a whole buffer are of its values after the run; while the block is at a step, that step is line
        // of.
        _ => moment_line(canvas, view, touched, state),
    }
}

/// Behind what a buffer is seen, and the key that changes it; of shared memory there is only now.
fn when(canvas: &Canvas, view: &MemoryView, state: &RunState) -> Line<'static> {
    if state.cursor().is_none() || view.is_shared() {
        return Line::default();
    }
    let (now, after) = match view.moment {
        Some(_) => (Role::Selection, Role::Muted),
        None => (Role::Muted, Role::Selection),
    };
    Line::from(vec![
        canvas.span("N ", Role::Key),
        canvas.span(" at this step ", now),
        Span::raw(" "),
        canvas.span(" after the run ", after),
    ])
}

/// Name, type and shape.
fn heading(canvas: &Canvas, view: &MemoryView) -> Line<'static> {
    let (times, matrix) = (canvas.theme().times(), &view.matrix);
    let length = grouped(matrix.length as u64);
    let shape = if matrix.folded {
        length
    } else {
        let (rows, columns) = (matrix.rows as u64, matrix.columns as u64);
        format!("{} {times} {} = {length}", grouped(rows), grouped(columns))
    };
    Line::from(vec![
        canvas.span(view.name, Role::Strong),
        canvas.span(
            format!(
                "  {} {} {shape} elements",
                view.element.name(),
                canvas.theme().dot()
            ),
            Role::Muted,
        ),
    ])
}

/// Where the block stands, and what its step touches of this.
fn moment_line(
    canvas: &Canvas,
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
) -> Line<'static> {
    let Some((block, cursor)) = view.moment else {
        return Line::default();
    };
    let line = block.history.statement(cursor).line;
    let step = grouped(state.step().map_or(0, |step| step as u64 + 1));
    let count =
        |has: fn(&ElementAccess) -> bool| touched.values().filter(|touch| has(touch)).count();
    let loaded = count(|touch| touch.loads != 0);
    let stored = count(|touch| touch.stores != 0);
    Line::from(vec![
        canvas.span(format!("step {step}, line {line}: "), Role::Muted),
        canvas.span(format!("loads {loaded}"), touch_role(loaded > 0)),
        canvas.span(", ", Role::Muted),
        canvas.span(format!("stores {stored}"), touch_role(stored > 0)),
    ])
}

fn touch_role(any: bool) -> Role {
    if any { Role::Changed } else { Role::Muted }
}

/// Least, largest and mean, and how many are no numbers: those that have room in `width` cells.
fn summary_line(canvas: &Canvas, summary: Option<&Summary>, width: usize) -> Line<'static> {
    let Some(summary) = summary else {
        return canvas.text("summing up", Role::Muted);
    };
    let nan = format!("NaN {}", grouped(summary.nan as u64));
    let mut line = Line::default();
    for (name, number) in [
        ("min", summary.min),
        ("max", summary.max),
        ("mean", summary.mean),
    ] {
        let number = real(number, 8);
        if line.width() + name.len() + number.len() + 3 + nan.len() > width {
            break;
        }
        line.push_span(canvas.span(format!("{name} "), Role::Muted));
        line.push_span(canvas.span(format!("{number}  "), Role::Text));
    }
    let role = if summary.nan > 0 {
        Role::Bad
    } else {
        Role::Muted
    };
    line.push_span(canvas.span(nan, role));
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
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
) {
    let matrix = &view.matrix;
    let labels = row_width(matrix);
    let width = usize::from(area.width);
    let fitting = (width.saturating_sub(labels) / CELL).max(1);
    let columns = fitting.min(matrix.columns);
    if matrix.folded {
        // A power of two: strides of kernels show as columns, and rows begin at round numbers.
        canvas.drawn.seen.matrix.fold = 1 << fitting.min(MOST_NUMBERS).ilog2();
    }
    let visible = usize::from(area.height.saturating_sub(1));
    let (first_row, first_column) = window(canvas, matrix, visible, columns, state);
    let sign = if matrix.folded { "+" } else { "" };
    let mut head = " ".repeat(labels);
    for column in first_column..first_column + columns {
        head += &format!("{:>CELL$}", format!("{sign}{}", grouped(column as u64)));
    }
    canvas.line(area, canvas.text(head, Role::Muted));
    for (place, row) in below(area, 1).rows().zip(first_row..matrix.rows) {
        // Values are right under their heads, all as wide as the widest may be.
        let mut line = canvas.text(row_label(matrix, row, labels), Role::Muted);
        for column in first_column..first_column + columns {
            let index = matrix.index(row, column);
            let is_chosen = state.inspector.buffer.cursor == (row, column);
            let select = InspectorAction::SelectElement(row, column);
            canvas.click_next(place, &line, CELL, Action::Inspector(select));
            push_element(canvas, &mut line, view, index, touched, is_chosen);
        }
        // The blank after each value belongs to it, so that a selected one is easy to see.
        canvas.line(place, fit_line(line, width + 1, canvas.theme()));
    }
}

/// An element; those that the step touches are marked `<` where it loads and `=` where it stores.
fn push_element(
    canvas: &Canvas,
    line: &mut Line<'static>,
    view: &MemoryView,
    index: Option<usize>,
    touched: &HashMap<usize, ElementAccess>,
    is_chosen: bool,
) {
    let element = index.and_then(|index| view.get(index));
    let touch = index.and_then(|index| touched.get(&index).copied());
    let text = match (index, element) {
        (None, _) => String::new(),
        (Some(_), None) => canvas.theme().dot().to_owned(),
        (Some(_), Some(element)) => value(element, CELL - 2),
    };
    let mark = match touch {
        Some(ElementAccess { stores: 1.., .. }) => "=",
        Some(_) => "<",
        None => " ",
    };
    let role = match (is_chosen, touch) {
        (true, _) => Role::Selection,
        (false, Some(ElementAccess { stores: 1.., .. })) => Role::Changed,
        (false, Some(_)) => Role::Accent,
        (false, None) => Role::Text,
    };
    let length = text.chars().count();
    line.push_span(Span::raw(" ".repeat(CELL.saturating_sub(length + 2))));
    line.push_span(canvas.span(mark, if is_chosen { Role::Strong } else { role }));
    line.push_span(canvas.span(format!("{text} "), role));
}

/// The chosen element, in full: what it holds; who wrote it, and who touches it now.
fn element_lines(
    canvas: &Canvas,
    view: &MemoryView,
    touched: &HashMap<usize, ElementAccess>,
    state: &RunState,
) -> Vec<Line<'static>> {
    let (row, column) = state.inspector.buffer.cursor;
    let Some(index) = view.matrix.index(row, column) else {
        return vec![canvas.text("empty", Role::Muted)];
    };
    let place = if view.matrix.folded {
        format!("{}[{}]", view.name, grouped(index as u64))
    } else {
        let (row, column) = (grouped(row as u64), grouped(column as u64));
        format!("{}[{row}, {column}]", view.name)
    };
    let text = view.get(index).map(|element| value(element, 24));
    let holds = Line::from(vec![
        canvas.span(place, Role::Accent),
        canvas.span(" = ", Role::Muted),
        canvas.span(text.as_deref().unwrap_or("not written yet"), Role::Strong),
        canvas.span(format!("  element {}", grouped(index as u64)), Role::Muted),
    ]);
    if view.moment.is_none() {
        return vec![holds];
    }
    vec![holds, touches(canvas, view, index, touched.get(&index))]
}

/// Who wrote an element last, and which lanes touch it now.
fn touches(
    canvas: &Canvas,
    view: &MemoryView,
    index: usize,
    touch: Option<&ElementAccess>,
) -> Line<'static> {
    let who = match view.written(index) {
        // The trace knows every store, so the writer is named even if it was another warp, many steps ago.
        Some(by) if by.is_now => format!("changed now, by line {}", by.line),
        Some(by) => format!("changed last by warp {}, line {}", by.warp, by.line),
        None if view.is_shared() => "no warp has written it yet".to_owned(),
        None => "unchanged since the launch began".to_owned(),
    };
    let mut line = canvas.text(who, Role::Muted);
    if let Some(touch) = touch {
        for (what, lanes) in [("loaded", touch.loads), ("stored", touch.stores)] {
            let by = match lanes.count_ones() {
                0 => continue,
                1 => format!("  {what} by lane {}", lanes.trailing_zeros()),
                count => format!("  {what} by {count} lanes"),
            };
            line.push_span(canvas.span(by, Role::Warning));
        }
    }
    line
}
