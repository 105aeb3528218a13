//! The whole frame: which parts there are, and where.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::cells::run::{counts, launches};
use super::cells::{calculator, comparison, figure, kernel, prediction, prose, sliders, table};
use super::editor::{ptx, source};
use super::inspector::{buffer, warp};
use super::popups::{broken, chooser, explain, help, palette, picker, tour};
use super::widgets::{Canvas, Drawn, Painter, Pane, below, top};
use super::{Role, header, home};
use crate::app::state::{
    Action, App, CellState, Context, Focus, Fold, Item, Layout, Model, RunState, Seen, Tab,
};
use crate::document::Scheme;
use crate::lesson::{Cell, RunCell};

/// The least the notebook can be drawn in.
const LEAST: (u16, u16) = (60, 16);

/// Least and most columns of the output beside the source.
const OUTPUT_WIDTH: (u16, u16) = (50, 80);

/// Draws the home screen or the open lesson; says what it showed.
pub fn view_app(app: &App, frame: &mut Frame, painter: &Painter) -> Drawn {
    match &app.notebook {
        Some(model) if !app.at_home => view(model, frame, painter),
        _ => with_room(
            frame,
            (painter, app.scheme()),
            app.home.seen,
            |canvas, area| {
                home::draw(canvas, area, &app.home);
            },
        ),
    }
}

/// Draws `model`; says what it showed.
pub fn view(model: &Model, frame: &mut Frame, painter: &Painter) -> Drawn {
    let colours = (painter, model.look.scheme);
    with_room(frame, colours, model.look.seen, |canvas, area| {
        draw_notebook(canvas, area, model);
    })
}

/// Draws where there is room; else says so, and that what was `seen` stays.
pub(crate) fn with_room(
    frame: &mut Frame,
    (painter, scheme): (&Painter, Scheme),
    seen: Seen,
    draw: impl FnOnce(&mut Canvas, Rect),
) -> Drawn {
    let mut canvas = Canvas::new(frame, painter, scheme);
    let area = canvas.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        too_small(&mut canvas, area);
        canvas.drawn.seen = seen;
    } else {
        draw(&mut canvas, area);
    }
    canvas.drawn
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
    if let Some(found) = &model.broken {
        broken::draw(canvas, body, found);
    }
    header::status_bar(canvas, below(area, area.height - 1), model);
    if let Some(map) = &model.picker {
        picker::draw(canvas, body, model, map);
    }
    if let Some(scroll) = model.explained {
        explain::draw(canvas, body, model, scroll);
    }
    chooser::draw(canvas, body, model);
    if let Some(page) = &model.help {
        help::draw(canvas, body, page, model.context_below());
    }
    if let Some(search) = &model.palette.open {
        palette::draw(canvas, body, search, model);
    }
    tour::draw(canvas, body, model);
}

fn too_small(canvas: &mut Canvas, area: Rect) {
    let (width, height) = LEAST;
    let times = canvas.theme().times();
    let lines = [
        Line::from(canvas.span("The terminal is too small", Role::Strong)),
        Line::from(format!("needs {width} {times} {height}")),
        Line::from(format!("is    {} {times} {}", area.width, area.height)),
        Line::from(canvas.span("enlarge it, or q quits", Role::Muted)),
    ];
    let start = area.height.saturating_sub(4) / 2;
    canvas.lines(below(area, start), lines.map(Line::centered));
}

fn draw_cell(canvas: &mut Canvas, body: Rect, model: &Model) {
    let (Some(cell), Some(state)) = (model.lesson.cells.get(model.at), model.cells.get(model.at))
    else {
        let text = canvas.span("This lesson has no cells.", Role::Muted);
        canvas.line(below(body, body.height / 2), Line::from(text).centered());
        return;
    };
    if let Some(versus) = &model.look.versus {
        return comparison::draw(canvas, body, model, versus);
    }
    let layout = canvas.drawn.seen.layout;
    let folded = model.fold(model.at) == Fold::Whole;
    let is_wide = matches!(cell, Cell::Run(_) | Cell::Figure(_) | Cell::Table(_)) && !folded;
    let contents = match layout {
        // A room looks at one thing at a time.
        _ if model.presentation.is_some() => false,
        Layout::Three => true,
        Layout::Two => !is_wide,
        Layout::One => false,
    };
    let mut rest = body;
    if contents {
        let [left, right] =
            Split::horizontal([Constraint::Length(34), Constraint::Min(0)]).areas(body);
        prose::draw_contents(canvas, left, model);
        rest = right;
    }
    match (cell, state) {
        _ if folded => prose::draw_folded(canvas, rest, model, cell),
        (Cell::Prediction(cell), CellState::Prediction(state)) => {
            prediction::draw(canvas, rest, model, cell, state);
        }
        (Cell::Table(cell), CellState::Table(state)) => {
            table::draw(canvas, rest, model, cell, state);
        }
        (Cell::Calculator(cell), CellState::Calculator(state)) => {
            calculator::draw(canvas, rest, model, cell, state);
        }
        (Cell::Kernel(cell), CellState::Kernel { scroll }) => {
            kernel::draw(canvas, rest, model, cell, *scroll);
        }
        (Cell::Prose(text), CellState::Prose { scroll }) => {
            prose::draw(canvas, rest, model, text, *scroll);
        }
        (Cell::Run(cell), CellState::Run(state)) => draw_run(canvas, rest, model, cell, state),
        (Cell::Figure(cell), CellState::Figure(state)) => {
            figure::draw(canvas, rest, model, cell, state);
        }
        _ => {}
    }
}

fn draw_run(canvas: &mut Canvas, area: Rect, model: &Model, cell: &RunCell, state: &RunState) {
    header::cell_title(canvas, top(area, 1), cell, state, model);
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
        title: tabs(canvas, area, model),
        note: match model.look.tab {
            Tab::Values => warp::facets(canvas, state),
            Tab::Ptx => ptx::scope(canvas, state),
            Tab::Source | Tab::Counts => counts::scope(canvas, model, state),
        },
        foot: match model.look.tab {
            Tab::Values => Line::default(),
            Tab::Ptx => ptx::place(canvas, state),
            Tab::Source | Tab::Counts => {
                canvas.position(state.counts_scroll, model.look.seen.counts)
            }
        },
        focused: focused && (!one || model.look.focus != Focus::Sizes),
    };
    let inner = canvas.pane(area, pane);
    match (model.look.tab, state.inspector.item()) {
        (Tab::Source | Tab::Counts, _) => counts::draw(canvas, inner, cell, state),
        (Tab::Ptx, _) => ptx::draw(canvas, inner, model, cell, state),
        (Tab::Values, Item::Warp) => warp::draw(canvas, inner, cell, state),
        (Tab::Values, Item::Buffer(_) | Item::Shared(_)) => {
            buffer::draw(canvas, inner, cell, state)
        }
    }
}

/// The tabs, as the title of a pane at `area`.
pub(crate) fn tabs(canvas: &mut Canvas, area: Rect, model: &Model) -> Line<'static> {
    let all = [
        (Tab::Source, " Source "),
        (Tab::Counts, " Counts "),
        (Tab::Values, " Values "),
        (Tab::Ptx, " PTX "),
    ];
    let one = canvas.drawn.seen.layout == Layout::One;
    let shown = if one { &all[..] } else { &all[1..] };
    let tab = model.look.tab;
    let current = if tab == Tab::Source && !one {
        Tab::Counts
    } else {
        tab
    };
    let mut line = Line::default();
    for &(tab, name) in shown {
        let x = area.x + 1 + line.width() as u16;
        let role = if tab == current {
            Role::Selection
        } else {
            Role::Muted
        };
        line.push_span(canvas.span(name, role));
        let width = name.len() as u16;
        let hit = Rect {
            x,
            width,
            ..top(area, 1)
        };
        canvas.click(hit, Action::Show(tab));
    }
    line
}
