//! The picture of a run: as it is planned, and once it ran one of its views.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{counts, headline, launches, plan, tile, title};
use crate::app::state::{Context, Model, RunState, Tab};
use crate::app::view::editor::{ptx, run_tabs};
use crate::app::view::inspector::{buffer, warp};
use crate::app::view::widgets::{Canvas, Pane, below, inset, top};
use crate::document::{Room, order_page};
use crate::lesson::RunCell;

/// Rows that the launches leave to what was counted: its bars and a blank.
const COUNTED_ROWS: u16 = 8;
/// Height from which some of many launches are listed.
const ROOMY: u16 = 20;

/// Draws `cell` as it is planned, or counts, values, PTX, or what went wrong.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let tab = model.look.tab;
    let (note, foot) = note_and_foot(canvas, model, state);
    let pane = Pane {
        title: run_tabs(canvas, area, model, cell),
        note,
        foot,
        focused: !matches!(model.context(), Context::Code | Context::Editor),
    };
    let inner = canvas.region(area, pane);
    if state.ran.is_none() && state.job.is_none() && state.error.is_none() && state.plan.is_ok() {
        return draw_plan(canvas, inset(inner, 1), model, cell, state);
    }
    let inner = headline::draw(canvas, inner, model, state);
    match tab {
        Tab::Counts if !model.look.unfolded && model.run_order().is_some() => {
            draw_order(canvas, inner, model);
        }
        Tab::Code | Tab::Counts => {
            let inner = draw_launches(canvas, inner, model, state);
            counts::draw(canvas, inner, model, cell, state);
        }
        Tab::Lanes | Tab::Access => warp::draw(canvas, inner, tab, cell, state),
        Tab::Memory => buffer::draw(canvas, inner, cell, state),
        Tab::Tiles => tile::draw(canvas, inner, state),
        Tab::Ptx => ptx::draw(canvas, inner, model, cell, state),
    }
}

/// What stands at the right of the pane's upper and lower edges, as the chosen tab has it.
fn note_and_foot(
    canvas: &Canvas,
    model: &Model,
    state: &RunState,
) -> (Line<'static>, Line<'static>) {
    match model.look.tab {
        Tab::Ptx => (ptx::scope(canvas, state), ptx::place(canvas, state)),
        Tab::Counts => (
            counts::scope(canvas, model, state),
            canvas.position(state.scroll.counts, model.look.seen.counts),
        ),
        Tab::Code | Tab::Lanes | Tab::Access | Tab::Memory | Tab::Tiles => Default::default(),
    }
}

/// Draws what will be launched, and that it has not been yet.
fn draw_plan(canvas: &mut Canvas, area: Rect, model: &Model, cell: &RunCell, state: &RunState) {
    let status = title::status(canvas, state, model);
    canvas.line(area, status);
    let place = below(area, 1);
    let room = Room {
        width: place.width.into(),
        height: place.height.into(),
    };
    let lines = plan::lines(canvas, cell, state, room);
    canvas.lines(place, lines);
}

/// Draws the order in which the blocks came.
fn draw_order(canvas: &mut Canvas, area: Rect, model: &Model) {
    let Some(order) = model.run_order() else {
        return;
    };
    let place = inset(area, 1);
    let room = Room {
        width: place.width.into(),
        height: place.height.into(),
    };
    let (mut lines, _) = order_page(order, order.moments(), room, canvas.theme());
    if lines.iter().any(|line| line.width() > room.width) {
        // Beside code there may be room for the output alone.
        let output = order.of_output();
        (lines, _) = order_page(&output, output.moments(), room, canvas.theme());
    }
    canvas.lines(place, lines);
}

/// Draws the launches above their counts, where there are several; what is left below.
fn draw_launches(canvas: &mut Canvas, area: Rect, model: &Model, state: &RunState) -> Rect {
    let launches = state.plan.as_ref().map_or(0, |plan| plan.launches.len());
    let (rows, spare) = (
        launches::height(state),
        area.height.saturating_sub(COUNTED_ROWS),
    );
    // All that is known of them takes two thirds: the list scrolls.
    let (is_shown, most) = match model.look.unfolded {
        true => (area.height >= ROOMY, area.height / 3),
        false => (area.height >= ROOMY || rows <= spare, spare),
    };
    if launches < 2 || !is_shown {
        return area;
    }
    let rows = rows.min(most);
    launches::draw_list(canvas, top(area, rows), state);
    below(area, rows)
}
