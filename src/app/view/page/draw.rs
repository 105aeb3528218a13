//! Draws the page on screen, region by region.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::regions::{Parts, Regions, regions};
use super::text;
use crate::app::state::{CellState, Layout, Model, RunState, Tab};
use crate::app::view::cells::{
    TextRow, calculator, figure, kernel, prediction, run, sliders, spaced, table,
};
use crate::app::view::editor::source;
use crate::app::view::widgets::{Canvas, below, inset, top};
use crate::document::Role;
use crate::lesson::{Cell, ShownCode};

/// Columns that counts take in the margin, about.
const COUNTS_WIDTH: u16 = 13;
/// Height from which a rule stands under the heading.
const ROOMY: u16 = 28;

/// Draws the page over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let body = heading(canvas, area, model);
    if let (Tab::Code, Some((_, state))) = (model.look.tab, model.run_cell()) {
        let body = run::draw_headline(canvas, body, model, state);
        return code(canvas, body, model);
    }
    let parts = parts(canvas, model);
    let rows = |width: u16| text::rows(canvas, model, width.into(), 0).len() as u16;
    let layout = canvas.drawn.seen.layout;
    let found = regions(body, layout, &parts, rows);
    if !parts.is_shown {
        draw_text(canvas, model, &found);
    }
    if let Some(area) = found.code {
        code(canvas, area, model);
    }
    if let Some(area) = found.picture.filter(|area| area.height > 2) {
        picture(canvas, area, model);
    }
}

/// The page's title, and the sizes that it goes by beside or below it; what is left of `area`.
fn heading(canvas: &mut Canvas, area: Rect, model: &Model) -> Rect {
    let title = model.page().map(|(_, page)| model.lesson.page_title(&page));
    let title = canvas.text(title.unwrap_or_default(), Role::Heading);
    let row = top(inset(area, 1), 1);
    let taken = title.width() as u16 + 3;
    canvas.line(row, title);
    let mut rest = below(area, 1);
    if model.shown_uses().is_some() {
        let beside = Rect {
            x: row.x + taken.min(row.width),
            width: row.width.saturating_sub(taken),
            ..row
        };
        if !sliders::draw_beside(canvas, beside, model) {
            sliders::draw(canvas, rest, model);
            rest = below(rest, 1);
        }
        rest = below(rest, sliders::draw_values(canvas, rest, model));
    }
    // Regions side by side bring their own rules.
    if area.height >= ROOMY && canvas.drawn.seen.layout == Layout::Two {
        let rule = canvas.theme().border().horizontal_top;
        let rule = rule.repeat(rest.width.into());
        canvas.line(rest, canvas.text(rule, Role::Border));
        rest = below(rest, 1);
    }
    rest
}

/// What the page has to show at this step.
fn parts(canvas: &Canvas, model: &Model) -> Parts {
    let code = model.shown_code();
    let cell = model.lesson.cells.get(model.at);
    let size = match code {
        Some(ShownCode::Run(at, cell)) => run_state(model, at).map(|state| {
            let (width, rows) = source::size(canvas, model, cell, state);
            // What the margin will take once there are counts: regions stay where they are.
            let counts = if state.ran.is_none() { COUNTS_WIDTH } else { 0 };
            (width + counts, rows)
        }),
        Some(ShownCode::Kernel(cell)) => Some(kernel::size(canvas, cell)),
        None => None,
    };
    let is_read = matches!(cell, None | Some(Cell::Prose(_)));
    Parts {
        code: size.map(|(width, _)| width),
        code_rows: size.map_or(0, |(_, rows)| rows),
        // The answer to a question without code is drawn in its text.
        picture: !is_read && (code.is_some() || !matches!(cell, Some(Cell::Prediction(_)))),
        asks: matches!(cell, Some(Cell::Prediction(_))) && !model.is_answer_shown(),
        is_shown: model.presentation.is_some() && matches!(cell, Some(Cell::Run(_))),
    }
}

fn run_state(model: &Model, at: usize) -> Option<&RunState> {
    match model.cells.get(at)? {
        CellState::Run(state) => Some(state),
        _ => None,
    }
}

fn draw_text(canvas: &mut Canvas, model: &Model, found: &Regions) {
    let mut area = found.text;
    // Beside the others there is room for what was said before; a strip has the step's own.
    let is_column = found
        .code
        .or(found.picture)
        .is_some_and(|other| other.x >= area.right());
    let is_alone = found.code.or(found.picture).is_none();
    let room = if is_column || is_alone {
        area.height
    } else {
        0
    };
    let mut rows = text::rows(canvas, model, area.width.into(), room.into());
    if is_column && area.y > 0 {
        let rule = canvas.theme().border().horizontal_top;
        let place = Rect {
            x: area.x.saturating_sub(2),
            y: area.y - 1,
            width: area.width + 4,
            height: 1,
        };
        canvas.line(
            place,
            canvas.text(rule.repeat(place.width.into()), Role::Border),
        );
    }
    if is_alone {
        if model.presentation.is_some() {
            (area, rows) = spaced(area, rows);
        } else if let Some(next) = model.next_page() {
            let next = format!("  next: {next}");
            let line = Line::from(vec![
                canvas.span("n", Role::Key),
                canvas.span(next, Role::Muted),
            ]);
            rows.extend([TextRow::default(), TextRow::from(line)]);
        }
    }
    text::draw(canvas, area, model, rows);
}

/// Draws the code that the page speaks of.
fn code(canvas: &mut Canvas, area: Rect, model: &Model) {
    match model.shown_code() {
        Some(ShownCode::Run(at, cell)) => {
            let Some(state) = run_state(model, at) else {
                return;
            };
            if at == model.at || model.is_answer_shown() {
                return source::draw(canvas, area, model, cell, state);
            }
            // What a run counted would answer the question.
            let mut unread = RunState::new(state.plan.clone());
            unread.scroll = state.scroll;
            source::draw(canvas, area, model, cell, &unread);
        }
        Some(ShownCode::Kernel(cell)) => kernel::draw(canvas, area, cell),
        None => {}
    }
}

/// Draws the picture of the step on screen.
fn picture(canvas: &mut Canvas, area: Rect, model: &Model) {
    let (Some(cell), Some(state)) = (model.lesson.cells.get(model.at), model.cells.get(model.at))
    else {
        return;
    };
    match (cell, state) {
        (Cell::Run(cell), CellState::Run(state)) => run::draw(canvas, area, model, cell, state),
        (Cell::Prediction(cell), CellState::Prediction(state)) => {
            prediction::draw(canvas, area, model, cell, state);
        }
        (Cell::Table(cell), CellState::Table(state)) => {
            table::draw(canvas, area, model, cell, state);
        }
        (Cell::Calculator(cell), CellState::Calculator(state)) => {
            calculator::draw(canvas, area, model, cell, state);
        }
        (Cell::Figure(cell), CellState::Figure(state)) => {
            figure::draw(canvas, area, model, cell, state);
        }
        (Cell::Kernel(cell), _) => kernel::draw_facts(canvas, area, cell),
        // A cell has a state of its own kind: `CellState::fresh` makes them in pairs.
        (
            Cell::Prose(_)
            | Cell::Run(_)
            | Cell::Prediction(_)
            | Cell::Table(_)
            | Cell::Calculator(_)
            | Cell::Figure(_),
            _,
        ) => {}
    }
}
