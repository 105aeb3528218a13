//! The picture of a run: as it is planned, and once it ran one of its views.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{counts, headline, launches, plan, title};
use crate::app::state::{Context, Model, RunState, Tab};
use crate::app::view::editor::{ptx, run_tabs};
use crate::app::view::inspector::{buffer, warp};
use crate::app::view::widgets::{Canvas, Pane, below, inset, top};
use crate::document::Room;
use crate::lesson::RunCell;

/// Height from which the launches are listed.
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
    let pane = Pane {
        title: run_tabs(canvas, area, model),
        note: match tab {
            Tab::Ptx => ptx::scope(canvas, state),
            Tab::Counts => counts::scope(canvas, model, state),
            Tab::Code | Tab::Lanes | Tab::Access | Tab::Memory => Line::default(),
        },
        foot: match tab {
            Tab::Ptx => ptx::place(canvas, state),
            Tab::Counts => canvas.position(state.scroll.counts, model.look.seen.counts),
            Tab::Code | Tab::Lanes | Tab::Access | Tab::Memory => Line::default(),
        },
        focused: !matches!(model.context(), Context::Code | Context::Editor),
    };
    let inner = canvas.region(area, pane);
    if state.ran.is_none() && state.job.is_none() && state.error.is_none() && state.plan.is_ok() {
        let place = inset(inner, 1);
        let status = title::status(canvas, state, model);
        canvas.line(place, status);
        let place = below(place, 1);
        let room = Room {
            width: place.width.into(),
            height: place.height.into(),
        };
        let lines = plan::lines(canvas, cell, state, room);
        return canvas.lines(place, lines);
    }
    let mut inner = headline::draw(canvas, inner, model, state);
    if tab == Tab::Counts
        && state
            .plan
            .as_ref()
            .is_ok_and(|plan| plan.launches.len() > 1)
        && inner.height >= ROOMY
    {
        // Many launches leave two thirds to the result; the list scrolls.
        let launches = launches::height(state).min(inner.height / 3);
        launches::draw_list(canvas, top(inner, launches), state);
        inner = below(inner, launches);
    }
    match tab {
        Tab::Code | Tab::Counts => counts::draw(canvas, inner, model, cell, state),
        Tab::Lanes | Tab::Access => warp::draw(canvas, inner, tab, cell, state),
        Tab::Memory => buffer::draw(canvas, inner, cell, state),
        Tab::Ptx => ptx::draw(canvas, inner, model, cell, state),
    }
}
