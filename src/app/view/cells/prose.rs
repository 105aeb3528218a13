//! A cell of text, and the contents of the lesson.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::page;
use crate::app::state::{
    Action, CellState, Fold, LessonAction, Model, PredictionState, Reveal, RunState, Stage,
};
use crate::app::view::widgets::{Canvas, Pane, markdown, top};
use crate::document::{Role, fit};
use crate::lesson::{Cell, GuessDistance, ProseCell, Verdict};

/// Draws the text of `cell` from line `scroll`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &ProseCell,
    scroll: usize,
) {
    let highlighter = &canvas.painter.highlighter;
    let width = page::text_width(area);
    let sizes = model.lesson.complete(&model.settings.sizes);
    let text = cell.markdown.at(&sizes, model.gpu_in_use());
    let lines = markdown::render(&text, width, canvas.theme(), highlighter);
    page::draw(canvas, area, model, lines, scroll);
}

/// Draws a cell that is folded away.
pub(crate) fn draw_folded(canvas: &mut Canvas, area: Rect, model: &Model, cell: &Cell) {
    let lines = vec![
        canvas.text(cell.title(), Role::Heading),
        Line::default(),
        canvas.keys(&[("Z", " opens this cell again")]),
    ];
    page::draw(canvas, area, model, lines, 0);
}

/// Draws the list of cells, the one on screen marked.
pub(crate) fn draw_contents(canvas: &mut Canvas, area: Rect, model: &Model) {
    let theme = canvas.theme();
    let pane = Pane {
        title: canvas.text(" Contents ", Role::Muted),
        ..Pane::default()
    };
    let inner = canvas.pane(area, pane);
    let visible = usize::from(inner.height).max(1);
    let first = (model.at + 1).saturating_sub(visible);
    let cells = model.lesson.cells.iter().zip(&model.cells).enumerate();
    for (row, (i, (cell, state))) in inner.rows().zip(cells.skip(first)) {
        let (mark, role) = match state {
            CellState::Run(state) => run_mark(canvas, state),
            CellState::Prediction(state) => prediction_mark(canvas, model, cell, state),
            _ => (" ", Role::Muted),
        };
        let room = usize::from(row.width).saturating_sub(7);
        let folded = model.fold(i) == Fold::Whole;
        let fold = if folded { "+ " } else { "" };
        let name = format!("{fold}{}", cell.title());
        let name = fit(&theme.text(&name), room, theme);
        let role_of_name = match (i == model.at, folded) {
            (true, _) => Role::Strong,
            (false, true) => Role::Muted,
            _ => Role::Text,
        };
        let line = Line::from(vec![
            canvas.pointer(i == model.at),
            canvas.span(format!("{:>2} ", i + 1), Role::Muted),
            canvas.span(mark, role),
            canvas.span(format!(" {name}"), role_of_name),
        ]);
        canvas.line(row, line);
        canvas.click(top(row, 1), Action::Lesson(LessonAction::GoToCell(i)));
    }
}

/// One glyph for how a run cell stands.
fn run_mark(canvas: &Canvas, state: &RunState) -> (&'static str, Role) {
    let theme = canvas.theme();
    if state.job.is_some() {
        return (theme.glyph("\u{25b6}", ">"), Role::Accent);
    }
    match &state.ran {
        _ if state.error.is_some() => (theme.glyph("\u{2717}", "X"), Role::Bad),
        Some(ran) => match ran.result.verdict(ran.edited) {
            Verdict::Right => (theme.glyph("\u{2713}", "+"), Role::Good),
            Verdict::Warned | Verdict::Uncounted => ("!", Role::Warning),
            Verdict::Cancelled => (theme.glyph("\u{25cb}", "o"), Role::Muted),
            Verdict::Wrong | Verdict::Failed => (theme.glyph("\u{2717}", "X"), Role::Bad),
        },
        None => (theme.glyph("\u{25cb}", "o"), Role::Muted),
    }
}

/// One glyph for how a prediction stands.
fn prediction_mark(
    canvas: &Canvas,
    model: &Model,
    cell: &Cell,
    state: &PredictionState,
) -> (&'static str, Role) {
    let theme = canvas.theme();
    match (state.stage, &state.given) {
        (Stage::Open, _) => ("?", Role::Accent),
        (Stage::Held, _) => (theme.glyph("\u{2026}", "~"), Role::Accent),
        // Right or wrong is not stored: the answer is held against the truth each time.
        (Stage::Revealed, Some(guess)) => {
            let truth = match cell {
                Cell::Prediction(asked) => Some(model.reveal(asked)),
                _ => None,
            };
            let right = match truth {
                Some(Reveal::Known(truth)) => GuessDistance::new(guess, &truth).is_right,
                _ => false,
            };
            match right {
                true => (theme.glyph("\u{2713}", "+"), Role::Good),
                false => (theme.glyph("\u{2022}", "*"), Role::Warning),
            }
        }
        (Stage::Revealed, None) => (theme.dot(), Role::Muted),
    }
}
