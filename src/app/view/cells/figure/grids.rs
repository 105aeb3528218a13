//! Blocks over a matrix: the tiles of the output with the places of their blocks, and the tiles of the inputs
//! by whether L2 holds them.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::click;
use crate::app::state::{Action, FigureState};
use crate::app::view::widgets::{Canvas, Pane, below, inset, top};
use crate::device::grouped;
use crate::document::{CellSpan, Role, Room, order_page};

/// Draws the order as far as it is shown, or why there is none.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, state: &FigureState) {
    let order = match &state.order {
        Some(Ok(order)) => order,
        other => {
            let (text, role) = match other {
                Some(Err(error)) => (error.as_str(), Role::Bad),
                _ => (
                    "The blocks run, to see which tiles they visit\u{2026}",
                    Role::Muted,
                ),
            };
            let line = Line::from(canvas.span(text, role));
            return canvas.line(inset(below(area, 1), 2), line);
        }
    };
    let theme = canvas.theme();
    let pane = Pane {
        title: Line::from(canvas.span(format!(" {} ", order.kernel), Role::Strong)),
        note: Line::from(canvas.span(if state.playing { " playing " } else { "" }, Role::Accent)),
        foot: Line::default(),
        focused: true,
    };
    let inner = inset(canvas.pane(area, pane), 1);
    let replay = order.replay(state.visits);
    scrubber(canvas, top(inner, 1), order.blocks.len(), state.visits);
    let body = below(inner, 1);
    let room = Room {
        width: body.width.into(),
        height: body.height.into(),
    };
    let (lines, tiles) = order_page(order, &replay, state.visits, room, theme);
    for tile in tiles {
        click(canvas, body, tile.at, Action::SelectVisit(tile.block + 1));
    }
    canvas.lines(body, lines);
}

/// How far it is; a click goes there.
fn scrubber(canvas: &mut Canvas, row: Rect, blocks: usize, visits: usize) {
    let text = format!(
        " {} of {} blocks",
        grouped(visits as u64),
        grouped(blocks as u64)
    );
    let width = usize::from(row.width).saturating_sub(text.len());
    let (full, empty) = canvas
        .theme()
        .gauge(visits as f64 / blocks.max(1) as f64, width);
    for at in 0..width {
        let to = Action::SelectVisit((at + 1) * blocks / width.max(1));
        let cell = CellSpan {
            column: at,
            row: 0,
            width: 1,
        };
        click(canvas, row, cell, to);
    }
    let line = Line::from(vec![
        canvas.span(full, Role::Accent),
        canvas.span(empty, Role::Muted),
        canvas.span(text, Role::Strong),
    ]);
    canvas.line(row, line);
}
