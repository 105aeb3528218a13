//! A run: its title and sizes, its kernel's text, its launches, and one of its results.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{counts, launches, title};
use crate::app::state::{Context, Focus, Fold, InspectedItem, Layout, Model, RunState, Tab};
use crate::app::view::cells::sliders;
use crate::app::view::editor::{ptx, run_tabs, source};
use crate::app::view::inspector::{buffer, warp};
use crate::app::view::widgets::{Canvas, Pane, below, top};
use crate::lesson::RunCell;

/// Least and most columns of the output beside the source.
const OUTPUT_WIDTH: (u16, u16) = (50, 80);

pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    title::draw(canvas, top(area, 1), cell, state, model);
    let rows = sliders::height(model);
    sliders::draw(canvas, top(below(area, 1), rows), model);
    let area = below(area, rows - 1);
    if canvas.drawn.seen.layout == Layout::One {
        launches::draw_selected(canvas, top(below(area, 2), 1), state);
        let pane = below(area, 3);
        match model.look.tab {
            _ if model.fold(model.at) == Fold::Output => {
                source::draw(canvas, pane, model, cell, state);
            }
            Tab::Source => source::draw(canvas, pane, model, cell, state),
            Tab::Counts | Tab::Values | Tab::Ptx => draw_output(canvas, pane, model, cell, state),
        }
        return;
    }
    let panes = below(area, 2);
    if model.fold(model.at) == Fold::Output {
        return source::draw(canvas, panes, model, cell, state);
    }
    let mut output = panes;
    if !model.look.zoom {
        let width = (panes.width * 2 / 5).clamp(OUTPUT_WIDTH.0, OUTPUT_WIDTH.1);
        let widths = [Constraint::Min(0), Constraint::Length(width)];
        let [left, right] = Split::horizontal(widths).areas(panes);
        source::draw(canvas, left, model, cell, state);
        output = right;
    }
    // Many launches leave two thirds to the result; the list scrolls.
    let launches = launches::height(state).min(output.height / 3);
    launches::draw_list(canvas, top(output, launches), state);
    draw_output(canvas, below(output, launches), model, cell, state);
}

/// Counts, values, PTX, or what went wrong.
fn draw_output(canvas: &mut Canvas, area: Rect, model: &Model, cell: &RunCell, state: &RunState) {
    let one = canvas.drawn.seen.layout == Layout::One;
    let focused = match model.context() {
        Context::Counts | Context::Buffer | Context::Warp | Context::Ptx => true,
        _ => model.look.focus == Focus::Output,
    };
    let pane = Pane {
        title: run_tabs(canvas, area, model),
        note: match model.look.tab {
            Tab::Values => warp::facets(canvas, state),
            Tab::Ptx => ptx::scope(canvas, state),
            Tab::Source | Tab::Counts => counts::scope(canvas, model, state),
        },
        foot: match model.look.tab {
            Tab::Values => Line::default(),
            Tab::Ptx => ptx::place(canvas, state),
            Tab::Source | Tab::Counts => {
                canvas.position(state.scroll.counts, model.look.seen.counts)
            }
        },
        focused: focused && (!one || model.look.focus != Focus::Sizes),
    };
    let inner = canvas.pane(area, pane);
    match (model.look.tab, state.inspector.item()) {
        (Tab::Source | Tab::Counts, _) => counts::draw(canvas, inner, cell, state),
        (Tab::Ptx, _) => ptx::draw(canvas, inner, model, cell, state),
        (Tab::Values, InspectedItem::Warp) => warp::draw(canvas, inner, cell, state),
        (Tab::Values, InspectedItem::Buffer(_) | InspectedItem::Shared(_)) => {
            buffer::draw(canvas, inner, cell, state)
        }
    }
}
