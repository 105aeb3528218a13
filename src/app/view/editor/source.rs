//! The kernel's text, with what each line reads and writes in its margin.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::gutter::{Gutter, Visit};
use super::title::title;
use super::{changes, text};
use crate::app::state::{
    Action, BlockHistory, Context, Extent, InspectorAction, Model, RunState, SourceView, Tab,
    ViewAction,
};
use crate::app::view::widgets::{Canvas, Pane, below, top};
use crate::document::{Role, fit_line, styled};
use crate::lesson::RunCell;

/// Columns that the text of `cell` takes with its margin, if no line is to be cut.
pub(crate) fn width(canvas: &Canvas, model: &Model, cell: &RunCell, state: &RunState) -> u16 {
    let lines = cell.source.text().lines();
    let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
    // As wide as in the widest code region: the margin's form does not depend on what is asked here.
    let margin = Gutter::new(state, model, 0).line(canvas, 1, Visit::None);
    (longest + margin.width() + 1) as u16
}

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
    let extent = Extent {
        content: cell.source.line_count() as usize,
        visible: usize::from(area.height.saturating_sub(2)),
    };
    canvas.drawn.seen.source = extent;
    let scroll = state.scroll.source.min(extent.max_scroll());
    let pane = Pane {
        title: title(canvas, area, model, cell),
        note: measure(canvas, area, model),
        foot: canvas.position(scroll, extent),
        focused: model.context() == Context::Code,
    };
    let inner = canvas.region(area, pane);
    let gutter = Gutter::new(state, model, area.width);
    canvas.line(top(inner, 1), gutter.heading(canvas));
    draw_lines(canvas, below(inner, 1), model, cell, state, &gutter, scroll);
}

/// Draws the lines from `scroll` on, each behind its numbers.
fn draw_lines(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
    gutter: &Gutter,
    scroll: usize,
) {
    let current = current_line(model, state);
    let pieces = canvas.painter.highlighter.file(&cell.source);
    let theme = canvas.theme();
    let lines = cell.source.text().lines().enumerate().skip(scroll);
    for (row, (i, text)) in area.rows().zip(lines) {
        let number = i as u32 + 1;
        let mut line = gutter.line(canvas, number, visit(model, state, number));
        if model.shows_values() {
            canvas.click(row, Action::Inspector(InspectorAction::RunToLine(number)));
        }
        let plain = || Line::raw(text.to_owned());
        let code = pieces
            .get(i)
            .map_or_else(plain, |pieces| styled(text, pieces, theme));
        // The gutter stays where it is when the text scrolls sideways.
        let room = usize::from(row.width).saturating_sub(line.width());
        let code = scrolled(code, state.scroll.column);
        line.spans.extend(fit_line(code, room, theme).spans);
        canvas.line(row, line);
        if current == Some(number) {
            canvas.restyle(row, Role::CurrentRow);
        }
    }
}

/// What the margin counts, on the right of the frame's edge; a click there chooses another measure.
fn measure(canvas: &mut Canvas, area: Rect, model: &Model) -> Line<'static> {
    let margin = model.look.metric;
    let note = Line::from(vec![
        canvas.span(" ", Role::Muted),
        canvas.mark(margin.evidence()),
        canvas.span(format!(" {} a line ", margin.name()), Role::Muted),
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

/// The line without its first `columns` characters.
fn scrolled(line: Line<'static>, columns: usize) -> Line<'static> {
    let mut skip = columns;
    let spans = line.spans.into_iter().filter_map(|span| {
        let length = span.content.chars().count();
        let cut = skip.min(length);
        skip -= cut;
        let rest: String = span.content.chars().skip(cut).collect();
        (cut < length).then(|| Span::styled(rest, span.style))
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// The line of the step that is looked at, if values of the warp are on screen; or of the PTX.
fn current_line(model: &Model, state: &RunState) -> Option<u32> {
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
