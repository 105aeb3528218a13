//! The whole frame: which parts there are, and where.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::cells::comparison;
use super::popups::{block_map, chooser, evidence, help, lesson_errors, palette, tour};
use super::widgets::{Canvas, Drawn, Painter, below, body, top, with_room};
use super::{header, home, page};
use crate::app::state::{App, Layout, Model};
use crate::document::Role;

/// Draws the home screen or the open lesson; says what it showed.
pub fn view_app(app: &App, frame: &mut Frame, painter: &Painter) -> Drawn {
    match &app.notebook {
        Some(model) if !app.at_home => view(model, frame, painter),
        _ => with_room(
            frame,
            painter,
            app.scheme(),
            app.home.seen,
            |canvas, area| {
                // A lesson that opens from here begins in the layout that it will have.
                canvas.drawn.seen.layout = layout(area);
                home::draw(canvas, area, &app.home);
            },
        ),
    }
}

/// Draws `model`; says what it showed.
pub fn view(model: &Model, frame: &mut Frame, painter: &Painter) -> Drawn {
    with_room(
        frame,
        painter,
        model.look.scheme,
        model.look.seen,
        |canvas, area| {
            draw_notebook(canvas, area, model);
        },
    )
}

fn layout(area: Rect) -> Layout {
    match area.width {
        180.. => Layout::Three,
        100.. => Layout::Two,
        _ => Layout::One,
    }
}

fn draw_notebook(canvas: &mut Canvas, area: Rect, model: &Model) {
    canvas.drawn.seen.layout = layout(area);
    let body = body(area);
    header::title_bar(canvas, top(area, 1), model);
    draw_cell(canvas, body, model);
    if let Some(found) = &model.lesson_errors {
        lesson_errors::draw(canvas, body, found);
    }
    header::status_bar(canvas, below(area, area.height - 1), model);
    if let Some(map) = &model.popups.block_map {
        block_map::draw(canvas, body, model, map);
    }
    if let Some(scroll) = model.popups.evidence {
        evidence::draw(canvas, body, model, scroll);
    }
    chooser::draw(canvas, body, model);
    if model.popups.help {
        let has_exercise = model.exercise().is_some();
        help::draw(canvas, body, model.context_below(), has_exercise);
    }
    if let Some(search) = &model.popups.palette.open {
        palette::draw(canvas, body, search, model);
    }
    // Windows in the order in which they lie over each other; the tour speaks of all of them, so it comes last.
    tour::draw(canvas, body, model);
}

fn draw_cell(canvas: &mut Canvas, body: Rect, model: &Model) {
    if model.cells.get(model.at).is_none() {
        let text = canvas.text("This lesson has no cells.", Role::Muted);
        canvas.line(below(body, body.height / 2), text.centered());
        return;
    }
    match &model.look.comparison {
        Some(comparison) => comparison::draw(canvas, body, model, comparison),
        None => page::draw(canvas, body, model),
    }
}
