//! Draws the page on screen, region by region.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::regions::{
    Parts, Question, Regions, is_above, is_beside, least_rows, regions, text_width,
};
use super::{contents, text};
use crate::app::state::{CellState, Layout, Model, RunState, SourceView, Tab};
use crate::app::view::cells::{
    TextRow, calculator, figure, kernel, prediction, run, sliders, table,
};
use crate::app::view::editor::source;
use crate::app::view::widgets::{Canvas, below, inset, top};
use crate::document::Role;
use crate::lesson::{Cell, ShownCode};

/// Columns that counts take in the margin, about.
const COUNTS_WIDTH: u16 = 13;
/// Rows in which a figure or a calculator can be read.
const FIGURE_ROWS: u16 = 12;
/// The same of a picture that needs no run: its heading, and two rows of each of four levels of memory.
const STILL_ROWS: u16 = 10;
/// Rows of the source of a table's figure, at most, and the blank under it.
const TABLE_FOOT: u16 = 3;
/// Rows of code that is edited, and of its headline, at least.
const EDITED_ROWS: u16 = 14;
/// Height from which a rule stands under the heading.
const ROOMY: u16 = 28;

/// Draws the page over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let parts = parts(canvas, model);
    let body = heading(canvas, area, model, is_beside(area, &parts));
    if let (Tab::Code, Some((_, state))) = (model.look.tab, model.run_cell()) {
        let body = draw_task(canvas, body, model);
        let body = run::draw_headline(canvas, body, model, state);
        return code(canvas, body, model);
    }
    let layout = canvas.drawn.seen.layout;
    let mut strip = None;
    let body = match is_above(body, &parts) {
        true => draw_after(canvas, body, model, &parts, &mut strip),
        false => body,
    };
    let found = regions(body, layout, &parts, |width, room| {
        let rows = || text::rows(canvas, model, width.into(), room.into());
        strip.get_or_insert_with(rows).len() as u16
    });
    if !parts.is_shown {
        // Beside the others there is room for what was said before; in a strip only as far as they leave some.
        let Rect { width, height, .. } = found.text;
        let rows = strip.unwrap_or_else(|| text::rows(canvas, model, width.into(), height.into()));
        draw_text(canvas, model, &found, rows);
    }
    if let Some(area) = found.code {
        code(canvas, area, model);
    }
    if let Some(area) = found.picture.filter(|area| area.height > 2) {
        picture(canvas, area, model);
    }
}

/// Draws what the step says above code that is edited, if there is room for both: it may say what to write. What is left of
/// `area`.
fn draw_task(canvas: &mut Canvas, area: Rect, model: &Model) -> Rect {
    if model.source_view() != Some(SourceView::Editor) {
        return area;
    }
    let width = text_width(area);
    let rows = text::rows(canvas, model, width, 0);
    let height = rows.len() as u16;
    if height + EDITED_ROWS > area.height {
        return area;
    }
    let place = Rect {
        width: width as u16,
        ..top(inset(area, 1), height)
    };
    text::draw(canvas, place, model, rows);
    below(area, height)
}

/// Draws what is said of a picture below it, if there is room for that, and leaves what leads to it in `strip`; what is left
/// of `area`.
fn draw_after(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    parts: &Parts,
    strip: &mut Option<Vec<TextRow>>,
) -> Rect {
    let [before, after] = text::parts(canvas, model, text_width(area));
    let texts = (before.len() + after.len()) as u16;
    if before.is_empty() || after.is_empty() || texts + least_rows(parts) > area.height {
        return area;
    }
    // What is said of a table follows its last row.
    let taken = parts.most_picture_rows.saturating_add(before.len() as u16);
    let height = taken.min(area.height - after.len() as u16);
    for (row, text) in inset(below(area, height), 1).rows().zip(after) {
        canvas.line(row, text.line);
    }
    *strip = Some(before);
    top(area, height)
}

/// The page's title, and the sizes that it goes by beside or below it; what is left of `area`. Under it stands a rule, unless
/// regions side by side bring their own.
fn heading(canvas: &mut Canvas, area: Rect, model: &Model, has_rules: bool) -> Rect {
    let title = model.page().map(|(_, page)| model.lesson.page_title(&page));
    let mut title = canvas.text(title.unwrap_or_default(), Role::Heading);
    if let Some(name) = one_of_several(model) {
        let dot = canvas.theme().dot();
        title.push_span(canvas.span(format!(" {dot} {name}"), Role::Text));
    }
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
    if area.height >= ROOMY && canvas.drawn.seen.layout == Layout::Two && !has_rules {
        canvas.rule(rest, Role::Border);
        rest = below(rest, 1);
    }
    rest
}

/// The title of the run on screen, where its page has others from which nothing else tells it apart.
fn one_of_several(model: &Model) -> Option<&str> {
    let (_, page) = model.page()?;
    let (cell, _) = model.run_cell()?;
    let runs = model.lesson.cells[page.cells].iter();
    let runs = runs.filter(|cell| matches!(cell, Cell::Run(_))).count();
    (runs > 1).then_some(cell.title.as_str())
}

/// The question of this step.
fn question(model: &Model) -> Question {
    match (model.prediction().is_some(), model.is_answer_shown()) {
        (false, _) => Question::None,
        (true, false) => Question::Open,
        (true, true) => Question::Answered,
    }
}

/// What the page has to show at this step.
fn parts(canvas: &Canvas, model: &Model) -> Parts {
    let code = model.shown_code();
    let (cell, at) = (model.lesson.cells.get(model.at), pictured(canvas, model));
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
    let is_question = matches!(cell, Some(Cell::Prediction(_)));
    let (picture_columns, picture_rows, most_picture_rows) = picture_size(canvas, model, at);
    Parts {
        code: size.map(|(width, _)| width),
        code_rows: size.map_or(0, |(_, rows)| rows),
        // The answer to a question without code is drawn in its text.
        picture: !is_read
            && most_picture_rows > 0
            && (code.is_some() || !is_question || at != model.at),
        picture_columns,
        picture_rows,
        most_picture_rows,
        question: question(model),
        is_listing: model.look.tab == Tab::Ptx && model.run_cell().is_some(),
        is_shown: model.presentation.is_some() && matches!(cell, Some(Cell::Run(_))),
        contents: contents::columns(canvas, model),
    }
}

/// The cell whose picture is on screen: that of the step, and where a question without code is answered, the one that comes
/// next on its page. What is said of the answer speaks of it.
fn pictured(canvas: &Canvas, model: &Model) -> usize {
    let is_alone = model.is_answer_shown() && model.shown_code().is_none();
    // A narrow screen has no room for the question beside it.
    if !is_alone || canvas.drawn.seen.layout == Layout::One {
        return model.at;
    }
    let next = model.page().and_then(|(_, page)| {
        let mut steps = page.steps.into_iter();
        steps.find(|&step| step > model.at)
    });
    let is_still = |at: &usize| match &model.lesson.cells[*at] {
        Cell::Table(_) | Cell::Calculator(_) => true,
        Cell::Figure(cell) => model.picture(cell).is_some(),
        Cell::Prose(_)
        | Cell::Run(_)
        | Cell::Prediction(_)
        | Cell::Kernel(_)
        | Cell::Exercise(_) => false,
    };
    next.filter(is_still).unwrap_or(model.at)
}

/// Columns and rows that the picture of cell `at` takes, and rows of which it makes use.
fn picture_size(canvas: &Canvas, model: &Model, at: usize) -> (u16, u16, u16) {
    match (model.lesson.cells.get(at), model.cells.get(at)) {
        (Some(Cell::Table(cell)), Some(CellState::Table(state))) => {
            let (columns, rows) = table::size(canvas, model, cell, state);
            (columns, rows, rows + TABLE_FOOT)
        }
        (Some(Cell::Kernel(cell)), _) => (0, FIGURE_ROWS, kernel::fact_rows(canvas, cell)),
        (Some(Cell::Figure(cell)), _) if cell.stands_still() => (0, STILL_ROWS, u16::MAX),
        _ => (0, FIGURE_ROWS, u16::MAX),
    }
}

fn run_state(model: &Model, at: usize) -> Option<&RunState> {
    model.cells.get(at)?.as_run()
}

fn draw_text(canvas: &mut Canvas, model: &Model, found: &Regions, rows: Vec<TextRow>) {
    let others = found.code.or(found.picture).or(found.contents);
    if let Some(other) = others.filter(|other| other.x >= found.text.right()) {
        // The rule of the regions beside it goes on above the text.
        let above = Rect {
            x: canvas.area().x,
            width: other.x - canvas.area().x,
            height: 1,
            ..other
        };
        canvas.rule(above, Role::Border);
    }
    if found.code.or(found.picture).is_none() {
        return draw_alone(canvas, found, model, rows);
    }
    text::draw(canvas, found.text, model, rows);
}

/// Draws text with nothing beside it: large for a room, else with what comes next.
fn draw_alone(canvas: &mut Canvas, found: &Regions, model: &Model, mut rows: Vec<TextRow>) {
    if model.presentation.is_some() {
        let (area, rows) = text::spaced(found.text, rows);
        return text::draw(canvas, area, model, rows);
    }
    let (key, what) = match model.next_page() {
        Some(next) => ("n", format!("  next: {next}")),
        None => ("H", "  all lessons: this is the end of this one".to_owned()),
    };
    let line = Line::from(vec![
        canvas.span(key, Role::Key),
        canvas.span(what, Role::Muted),
    ]);
    rows.extend([TextRow::default(), TextRow::from(line)]);
    text::draw(canvas, found.text, model, rows);
    if let Some(area) = found.contents {
        contents::draw(canvas, area, model);
    }
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
    let at = pictured(canvas, model);
    let (Some(cell), Some(state)) = (model.lesson.cells.get(at), model.cells.get(at)) else {
        return;
    };
    match (cell, state) {
        (Cell::Run(cell), CellState::Run(state)) => run::draw(canvas, area, model, cell, state),
        (Cell::Exercise(cell), CellState::Exercise(state)) => {
            run::draw(canvas, area, model, &cell.run, &state.run);
        }
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
            | Cell::Figure(_)
            | Cell::Exercise(_),
            _,
        ) => {}
    }
}
