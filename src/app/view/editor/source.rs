//! The kernel's text, with what each line reads and writes in its margin.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::gutter::{Gutter, Visit};
use super::title::title;
use super::{changes, text};
use crate::app::state::editor::motion;
use crate::app::state::editor::wrapping::{code_rows, furthest_scroll};
use crate::app::state::{
    Action, BlockHistory, Context, Extent, InspectorAction, Model, RunState, SourceExtent,
    SourceView, Tab, ViewAction,
};
use crate::app::view::widgets::{Canvas, Pane, code_row, top};
use crate::document::{Pieces, Role};
use crate::lesson::RunCell;

/// Draws the source of `cell`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    match model.source_view() {
        Some(SourceView::Editor) => return text::draw(canvas, area, model, cell, state),
        Some(SourceView::Changes) => return changes::draw(canvas, area, model, cell, state),
        None => {}
    }
    let text = cell.source.text();
    let gutter = Gutter::new(canvas, state, model, text.lines().count());
    // A rule above; a line between it and what it stands beside; a column for the cursor, so that lines stay as they
    // are when the editor opens.
    let beside = u16::from(area.x > canvas.area().x);
    let width = area
        .width
        .saturating_sub(beside + gutter.width() as u16 + 1);
    let rows = usize::from(area.height.saturating_sub(1));
    let extent = extent(text, rows, usize::from(width).max(1), state.scroll.source);
    canvas.drawn.seen.source = extent;
    let scroll = state.scroll.source.min(extent.last);
    let shown = Extent {
        content: extent.lines,
        visible: extent.visible,
    };
    let title = title(canvas, area, model, cell);
    // Blanks and marks of the rule take ten cells.
    let room = usize::from(area.width).saturating_sub(title.width() + 10);
    let pane = Pane {
        title,
        note: measure(canvas, area, model, &gutter.legend(room)),
        foot: canvas.position(scroll, shown),
        focused: model.context() == Context::Code,
    };
    let inner = canvas.region(area, pane);
    let lines = Lines {
        model,
        cell,
        state,
        gutter,
    };
    lines.draw(canvas, inner, scroll);
}

/// Columns and rows that the text of `cell` takes: behind its margin, under its rule, and no wider than code goes in a
/// terminal of this width. What is longer goes on in a second row.
pub(crate) fn size(canvas: &Canvas, model: &Model, cell: &RunCell, state: &RunState) -> (u16, u16) {
    let most = canvas.code_width();
    let text = cell.source.text();
    let gutter = Gutter::new(canvas, state, model, text.lines().count()).width();
    let longest = text.lines().map(motion::width).max().unwrap_or(0).min(most);
    let room = usize::from(canvas.area().width).saturating_sub(gutter + 1);
    let rows = text
        .lines()
        .map(|line| code_rows(line, room.min(longest).max(1)).len());
    // The line beside what stands there, and the cursor behind the last character.
    (
        (gutter + longest + 2) as u16,
        rows.sum::<usize>() as u16 + 1,
    )
}

/// How much of `text` is on screen from line `scroll` on.
fn extent(text: &str, rows: usize, width: usize, scroll: usize) -> SourceExtent {
    let heights: Vec<usize> = text
        .lines()
        .map(|line| code_rows(line, width).len())
        .collect();
    let last = furthest_scroll(heights.len(), rows, heights.iter().rev().copied());
    let mut left = rows;
    let fitting = heights
        .iter()
        .skip(scroll.min(last))
        .take_while(|&&height| {
            let fits = height <= left;
            left = left.saturating_sub(height);
            fits
        });
    SourceExtent {
        lines: heights.len(),
        visible: fitting.count(),
        last,
        rows,
        width,
    }
}

/// What the lines of the text are drawn from.
struct Lines<'a> {
    model: &'a Model,
    cell: &'a RunCell,
    state: &'a RunState,
    gutter: Gutter,
}

impl Lines<'_> {
    /// Draws the lines from `scroll` on, each behind its numbers.
    fn draw(&self, canvas: &mut Canvas, area: Rect, scroll: usize) {
        let pieces = canvas.painter.highlighter.file(&self.cell.source);
        let none = Pieces::new();
        let width = canvas.drawn.seen.source.width;
        let current = current_line(self.model, self.state);
        let mut rows = area.rows();
        for (i, text) in self.cell.source.text().lines().enumerate().skip(scroll) {
            let number = i as u32 + 1;
            let pieces = pieces.get(i).unwrap_or(&none);
            // As many rows as there are and as the line takes.
            for (part, row) in code_rows(text, width).into_iter().zip(&mut rows) {
                let mut line = match part.start {
                    0 => self
                        .gutter
                        .line(canvas, number, visit(self.model, self.state, number)),
                    _ => Line::from(" ".repeat(self.gutter.width())),
                };
                let code = code_row(text, pieces, part, canvas.theme());
                line.spans.extend(code.spans);
                canvas.line(row, line);
                if self.model.shows_values() {
                    canvas.click(row, Action::Inspector(InspectorAction::RunToLine(number)));
                }
                if current == Some(number) {
                    canvas.restyle(row, Role::CurrentRow);
                }
            }
        }
    }
}

/// What the margin counts, on the right of the frame's edge; a click there chooses another measure.
fn measure(canvas: &mut Canvas, area: Rect, model: &Model, legend: &str) -> Line<'static> {
    let margin = model.look.metric;
    let note = Line::from(vec![
        canvas.span(" ", Role::Muted),
        canvas.mark(margin.evidence()),
        canvas.span(format!(" {legend} "), Role::Muted),
        canvas.span(canvas.theme().glyph("\u{25be}", "v"), Role::Key),
        canvas.span(" ", Role::Muted),
    ]);
    let width = note.width() as u16;
    let picks = Rect {
        x: area.right().saturating_sub(width + 1),
        width: width.min(area.width),
        ..top(area, 1)
    };
    canvas.click(picks, Action::View(ViewAction::PickMetric));
    note
}

/// The line of the step that is looked at, if values of the warp are on screen; or of the PTX.
fn current_line(model: &Model, state: &RunState) -> Option<u32> {
    // Steps and PTX are of the text that ran: in another one their lines may be elsewhere.
    if state.is_of_older_text() {
        return None;
    }
    if model.look.tab == Tab::Ptx {
        let (lines, at) = state.ptx()?;
        return lines[at].line;
    }
    if !model.shows_values() || state.shown().is_none() {
        return None;
    }
    let (_, walk) = state.steps_shown()?;
    walk.line(state.step()?)
}

fn visit(model: &Model, state: &RunState, number: u32) -> Visit {
    let current = current_line(model, state);
    if current == Some(number) {
        return Visit::Now;
    }
    let (Some(_), Some(step), Some((_, walk))) = (current, state.step(), state.steps_shown())
    else {
        return Visit::None;
    };
    if !model.shows_values() {
        return Visit::None;
    }
    let before = step.checked_sub(1).and_then(|before| walk.line(before));
    let comes = |block: &BlockHistory| block.comes_to(number, step);
    match walk.block_history() {
        // The statement before wins over one to come: in a loop a line may be both.
        _ if before == Some(number) => Visit::Before,
        Some(block) if comes(block) => Visit::Coming,
        _ => Visit::None,
    }
}
