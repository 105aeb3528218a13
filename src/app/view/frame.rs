//! The whole frame: which parts there are, and where.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout as Split, Rect};

use super::cells::{calculator, comparison, figure, kernel, prediction, prose, run, table};
use super::popups::{block_map, chooser, evidence, help, lesson_errors, palette, tour};
use super::widgets::{Canvas, Drawn, Painter, below, top, with_room};
use super::{header, home};
use crate::app::state::{App, CellState, Fold, Layout, Model};
use crate::document::Role;
use crate::lesson::Cell;

/// Columns of the list of cells.
const CONTENTS_WIDTH: u16 = 34;

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

fn draw_notebook(canvas: &mut Canvas, area: Rect, model: &Model) {
    canvas.drawn.seen.layout = match area.width {
        180.. => Layout::Three,
        120.. => Layout::Two,
        _ => Layout::One,
    };
    let body = Rect {
        y: area.y + 1,
        height: area.height - 2,
        ..area
    };
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
    if let Some(page) = &model.popups.help {
        help::draw(canvas, body, page, model.context_below());
    }
    if let Some(search) = &model.popups.palette.open {
        palette::draw(canvas, body, search, model);
    }
    // Windows in the order in which they lie over each other; the tour speaks of all of them, so it comes last.
    tour::draw(canvas, body, model);
}

/// Whether the list of cells stands beside the cell.
fn shows_contents(layout: Layout, model: &Model, cell: &Cell, folded: bool) -> bool {
    // Source and output, or a plot and its points, take two columns themselves.
    let is_wide = matches!(cell, Cell::Run(_) | Cell::Figure(_) | Cell::Table(_)) && !folded;
    match layout {
        // A room looks at one thing at a time.
        _ if model.presentation.is_some() => false,
        Layout::Three => true,
        Layout::Two => !is_wide,
        Layout::One => false,
    }
}

fn draw_cell(canvas: &mut Canvas, body: Rect, model: &Model) {
    let (Some(cell), Some(state)) = (model.lesson.cells.get(model.at), model.cells.get(model.at))
    else {
        let text = canvas.text("This lesson has no cells.", Role::Muted);
        canvas.line(below(body, body.height / 2), text.centered());
        return;
    };
    if let Some(comparison) = &model.look.comparison {
        return comparison::draw(canvas, body, model, comparison);
    }
    let folded = model.fold(model.at) == Fold::Whole;
    let mut rest = body;
    if shows_contents(canvas.drawn.seen.layout, model, cell, folded) {
        let widths = [Constraint::Length(CONTENTS_WIDTH), Constraint::Min(0)];
        let [left, right] = Split::horizontal(widths).areas(body);
        prose::draw_contents(canvas, left, model);
        rest = right;
    }
    if folded {
        prose::draw_folded(canvas, rest, model, cell);
    } else {
        draw_content(canvas, rest, model, cell, state);
    }
}

/// Draws a cell by its kind.
fn draw_content(canvas: &mut Canvas, rest: Rect, model: &Model, cell: &Cell, state: &CellState) {
    match (cell, state) {
        (Cell::Prediction(cell), CellState::Prediction(state)) => {
            prediction::draw(canvas, rest, model, cell, state);
        }
        (Cell::Table(cell), CellState::Table(state)) => {
            table::draw(canvas, rest, model, cell, state);
        }
        (Cell::Calculator(cell), CellState::Calculator(state)) => {
            calculator::draw(canvas, rest, model, cell, state);
        }
        (Cell::Kernel(cell), CellState::Page { scroll }) => {
            kernel::draw(canvas, rest, model, cell, *scroll);
        }
        (Cell::Prose(text), CellState::Page { scroll }) => {
            prose::draw(canvas, rest, model, text, *scroll);
        }
        (Cell::Run(cell), CellState::Run(state)) => run::draw(canvas, rest, model, cell, state),
        (Cell::Figure(cell), CellState::Figure(state)) => {
            figure::draw(canvas, rest, model, cell, state);
        }
        // A cell has a state of its own kind: `CellState::fresh` makes them in pairs.
        (
            Cell::Prose(_)
            | Cell::Run(_)
            | Cell::Prediction(_)
            | Cell::Table(_)
            | Cell::Calculator(_)
            | Cell::Kernel(_)
            | Cell::Figure(_),
            _,
        ) => {}
    }
}
