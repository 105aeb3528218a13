//! A cell of text, and the contents of the lesson.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Role;
use super::canvas::{Canvas, Pane, inset, top};
use super::markdown;
use super::text::fit;
use crate::lesson::ProseCell;
use crate::session::{Action, CellState, Extent, LaunchState, Model, RunState};

/// Widest line of text that reads well.
const TEXT_WIDTH: u16 = 84;

/// Draws the text of `cell` from line `scroll`.
pub(super) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &ProseCell,
    scroll: usize,
) {
    let spare = area.width.saturating_sub(TEXT_WIDTH + 4);
    let column = inset(area, 2 + spare / 2);
    let page = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(2),
        ..column
    };
    let highlighter = &canvas.painter.highlighter;
    let mut lines = markdown::render(
        &cell.markdown,
        page.width.into(),
        canvas.theme(),
        highlighter,
    );
    if let Some(next) = model.lesson.cells.get(model.at + 1) {
        lines.push(Line::default());
        lines.push(Line::from(vec![
            canvas.span("n", Role::Key),
            canvas.span(format!("  next: {}", next.title()), Role::Muted),
        ]));
    }
    let extent = Extent {
        content: lines.len(),
        visible: page.height.into(),
    };
    canvas.drawn.seen.prose = extent;
    let scroll = scroll.min(extent.max_scroll());
    canvas.lines(page, lines.into_iter().skip(scroll));
    let hidden = extent.max_scroll() - scroll;
    if hidden > 0 {
        let foot = Rect {
            y: page.bottom(),
            height: 1,
            ..column
        };
        let arrow = canvas.theme().glyph("\u{2193}", "v");
        let more = format!("{arrow} {hidden} more lines");
        let line = Line::from(canvas.span(more, Role::Muted)).right_aligned();
        canvas.line(foot, line);
    }
}

/// Draws the list of cells, the one on screen marked.
pub(super) fn draw_contents(canvas: &mut Canvas, area: Rect, model: &Model) {
    let theme = canvas.theme();
    let inner = canvas.pane(
        area,
        Pane {
            title: Line::from(canvas.span(" Contents ", Role::Muted)),
            note: Line::default(),
            foot: Line::default(),
            focused: false,
        },
    );
    let visible = usize::from(inner.height).max(1);
    let first = (model.at + 1).saturating_sub(visible);
    let cells = model.lesson.cells.iter().zip(&model.cells).enumerate();
    for (row, (i, (cell, state))) in inner.rows().zip(cells.skip(first)) {
        let (mark, role) = match state {
            CellState::Run(state) => run_mark(canvas, state),
            _ => (" ", Role::Muted),
        };
        let room = usize::from(row.width).saturating_sub(7);
        let name = fit(&theme.text(&cell.title()), room, theme);
        let role_of_name = if i == model.at {
            Role::Strong
        } else {
            Role::Text
        };
        let pointer = if i == model.at {
            theme.glyph("\u{25b8}", ">")
        } else {
            " "
        };
        canvas.line(
            row,
            Line::from(vec![
                canvas.span(pointer, Role::Accent),
                canvas.span(format!("{:>2} ", i + 1), Role::Muted),
                canvas.span(mark, role),
                canvas.span(format!(" {name}"), role_of_name),
            ]),
        );
        canvas.click(top(row, 1), Action::GoToCell(i));
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
        Some(ran) if ran.result.ok => (theme.glyph("\u{2713}", "+"), Role::Good),
        Some(_) => (theme.glyph("\u{2717}", "X"), Role::Bad),
        None => (theme.glyph("\u{25cb}", "o"), Role::Muted),
    }
}

/// One glyph for how a launch stands.
pub(super) fn launch_mark(canvas: &Canvas, state: LaunchState) -> (&'static str, Role) {
    let theme = canvas.theme();
    match state {
        LaunchState::Idle => (theme.glyph("\u{25cb}", "o"), Role::Muted),
        LaunchState::Waiting => (theme.dot(), Role::Muted),
        LaunchState::Running { .. } => (theme.glyph("\u{25b6}", ">"), Role::Accent),
        LaunchState::Done => (theme.glyph("\u{2713}", "+"), Role::Good),
        LaunchState::Stopped => (theme.glyph("\u{2717}", "X"), Role::Bad),
    }
}
