//! The kernel's text, with what each line reads and writes in its margin.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::gutter::{Gutter, Visit};
use super::title::title;
use super::{changes, text};
use crate::app::state::editor::wrapping::{code_rows, furthest_scroll};
use crate::app::state::{
    Action, BlockHistory, Context, Extent, InspectorAction, Model, RunScroll, RunState,
    SourceExtent, SourceView, Tab, ViewAction,
};
use crate::app::view::widgets::{Canvas, CodeText, Pane, code_size, top};
use crate::document::{Role, Room};
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
    let text = CodeText::of(canvas, &cell.source);
    let gutter = Gutter::new(canvas, state, model, text.lines().len());
    let room = code_room(canvas, area, &gutter);
    let (extent, scroll) = extent(text.lines(), room, state.scroll);
    canvas.drawn.seen.source = extent;
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
    let visits = Visits::new(model, state);
    draw_lines(canvas, inner, model, &text, &gutter, &visits, scroll);
}

/// Columns and rows that the text of `cell` takes, its margin and its rule included.
pub(crate) fn size(canvas: &Canvas, model: &Model, cell: &RunCell, state: &RunState) -> (u16, u16) {
    let lines = cell.source.text().lines();
    let margin = Gutter::new(canvas, state, model, lines.clone().count()).width();
    code_size(canvas, lines, margin)
}

/// What is left of `area` for code.
fn code_room(canvas: &Canvas, area: Rect, gutter: &Gutter) -> Room {
    // A rule above; a line between it and what it stands beside; a column for the cursor, so that lines stay as they
    // are when the editor opens.
    let beside = usize::from(area.x > canvas.area().x);
    let taken = beside + gutter.width() + 1;
    Room {
        width: usize::from(area.width).saturating_sub(taken).max(1),
        height: area.height.saturating_sub(1).into(),
    }
}

/// How much of `lines` is on screen, and the first of them.
fn extent(lines: &[&str], room: Room, scroll: RunScroll) -> (SourceExtent, usize) {
    let (rows, width) = (room.height, room.width);
    let heights = lines.iter().map(|line| code_rows(line, width).len());
    let heights: Vec<usize> = heights.collect();
    // Counted from the end, so that the last page is full.
    let last = furthest_scroll(heights.len(), rows, heights.iter().rev().copied());
    let from = scroll.source.min(last);
    let is_hidden =
        |&line: &usize| line < from || line >= from + fitting(&heights[from..], rows).max(1);
    let focus = scroll.focus.filter(|&line| line < heights.len());
    let moved = focus.filter(is_hidden).map(|line| {
        // A third of the rows stands above it.
        let above = heights[..line].iter().rev().copied();
        let above: Vec<usize> = above.collect();
        // What led there can be seen above it, and more of what follows.
        (line - fitting(&above, rows / 3)).min(last)
    });
    let first = moved.unwrap_or(from);
    let extent = SourceExtent {
        lines: heights.len(),
        first: moved,
        visible: fitting(&heights[first..], rows),
        last,
        rows,
        width,
    };
    // `first` only where something moved: whoever scrolls by hand goes on from there.
    (extent, first)
}

/// How many lines of these heights fit on `rows` rows, from the first on.
fn fitting(heights: &[usize], rows: usize) -> usize {
    let mut left = rows;
    let fits = |&&height: &&usize| {
        let fits = height <= left;
        left = left.saturating_sub(height);
        fits
    };
    heights.iter().take_while(fits).count()
}

/// Draws the lines from `scroll` on, each behind its numbers.
fn draw_lines(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    text: &CodeText,
    gutter: &Gutter,
    visits: &Visits,
    scroll: usize,
) {
    let SourceExtent { visible, width, .. } = canvas.drawn.seen.source;
    let mut rows = area.rows();
    // Of the line behind the last that is whole, as much as there is room for.
    for i in (scroll..text.lines().len()).take(visible + 1) {
        let number = i as u32 + 1;
        let visit = visits.of(number);
        let code = text.rows(i, width, canvas.theme());
        for ((part, code), row) in code.into_iter().enumerate().zip(&mut rows) {
            let mut line = match part {
                0 => gutter.line(canvas, number, visit),
                _ => Line::from(" ".repeat(gutter.width())),
            };
            line.spans.extend(code.spans);
            canvas.line(row, line);
            if model.shows_values() {
                canvas.click(row, Action::Inspector(InspectorAction::RunToLine(number)));
            }
            if visit == Visit::Now {
                canvas.restyle(row, Role::CurrentRow);
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
    // The chosen row of PTX takes the place of a step.
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

/// How the watched warp comes by the lines.
struct Visits<'a> {
    now: Option<u32>,
    before: Option<u32>,
    /// What is to come behind a step.
    coming: Option<(&'a BlockHistory, usize)>,
}

impl<'a> Visits<'a> {
    fn new(model: &Model, state: &'a RunState) -> Self {
        let mut visits = Visits {
            now: current_line(model, state),
            before: None,
            coming: None,
        };
        if visits.now.is_some()
            && model.shows_values()
            && let (Some(step), Some((_, walk))) = (state.step(), state.steps_shown())
        {
            visits.before = step.checked_sub(1).and_then(|before| walk.line(before));
            visits.coming = walk.block_history().map(|block| (block, step));
        }
        visits
    }

    fn of(&self, number: u32) -> Visit {
        let comes = |(block, step): (&BlockHistory, usize)| block.comes_to(number, step);
        // The statement before wins over one to come: in a loop a line may be both.
        if self.now == Some(number) {
            Visit::Now
        } else if self.before == Some(number) {
            Visit::Before
        } else if self.coming.is_some_and(comes) {
            Visit::Coming
        } else {
            Visit::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_in_focus_is_on_screen_whatever_rows_the_lines_above_it_take() {
        let long = "a line of a comment that takes two rows";
        let lines = [long, long, long, "y[i] = 2;", "}", "", "", ""];
        let room = Room {
            width: 24,
            height: 4,
        };
        let mut scroll = RunScroll {
            focus: Some(3),
            ..RunScroll::default()
        };
        let (found, first) = extent(&lines, room, scroll);
        assert!((first..first + found.visible).contains(&3), "{first}");
        assert_eq!(found.first, Some(first));
        // What is on screen already stays where it is.
        scroll.take_first(first);
        assert_eq!(extent(&lines, room, scroll).0.first, None);
        scroll.choose_source(0);
        assert_eq!(extent(&lines, room, scroll).1, 0);
    }
}
