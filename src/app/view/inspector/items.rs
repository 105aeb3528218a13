//! What memory there is to look at, buffers and shared arrays; and which part of one is on screen.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Action, Extent, InspectedItem, InspectorAction, Matrix, RunState};
use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::Role;
use crate::lesson::RunCell;

/// Draws the names of all there is to look at, the chosen one marked, on one line.
pub(crate) fn draw_items(canvas: &mut Canvas, area: Rect, cell: &RunCell, state: &RunState) {
    let inspector = &state.inspector;
    let name = |item: &InspectedItem| match *item {
        InspectedItem::Buffer(buffer) => cell.buffers.get(buffer).map_or("", |buffer| &buffer.name),
        InspectedItem::Shared(array) => {
            let kernel = state.block_history().map(|block| block.history.kernel());
            let array = kernel.and_then(|kernel| kernel.memory.allocations.get(array));
            array.map_or("shared", |array| &array.name)
        }
    };
    let names: Vec<&str> = inspector.items.iter().map(name).collect();
    let width = usize::from(area.width);
    // Names are left out at the start until the chosen one fits.
    let room = |from: usize| {
        names[from..names.len().min(inspector.chosen + 1)]
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
        canvas.click_next(
            area,
            &line,
            name.len() + 2,
            Action::Inspector(InspectorAction::SelectItem(i)),
        );
        line.push_span(canvas.span(format!(" {name} "), role));
        line.push_span(Span::raw(" "));
    }
    canvas.line(area, line);
}

/// Says that there are no values yet, and what gives them; nothing while they are on their way.
pub(crate) fn nothing(canvas: &mut Canvas, area: Rect, state: &RunState) {
    if state.job.is_some() {
        return;
    }
    let line = Line::from(vec![
        canvas.span("No values yet. ", Role::Muted),
        canvas.span("enter", Role::Key),
        canvas.span(" runs this cell.", Role::Muted),
    ]);
    canvas.line(area, line);
}

/// What stands before a row: its number, or its first element where rows are only as long as there is room.
pub(crate) fn row_label(matrix: &Matrix, row: usize, width: usize) -> String {
    let number = match matrix.folded {
        true => row * matrix.columns,
        false => row,
    };
    format!("{:>width$}", grouped(number as u64))
}

/// Reports how much of `matrix` fits, and answers with the first row and column on screen.
pub(crate) fn window(
    canvas: &mut Canvas,
    matrix: &Matrix,
    rows: usize,
    columns: usize,
    state: &RunState,
) -> (usize, usize) {
    let extents = &mut canvas.drawn.seen;
    extents.matrix.rows = Extent {
        content: matrix.rows,
        visible: rows,
    };
    extents.matrix.columns = Extent {
        content: matrix.columns,
        visible: columns,
    };
    // The state may have been scrolled on a larger terminal, or over a larger buffer.
    let (row, column) = state.inspector.buffer.scroll;
    (
        row.min(extents.matrix.rows.max_scroll()),
        column.min(extents.matrix.columns.max_scroll()),
    )
}
