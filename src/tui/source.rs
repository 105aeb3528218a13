//! The kernel's text, with what each line reads and writes in its margin.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::canvas::{Canvas, Pane, below, top};
use super::syntax::styled;
use super::text::{compact, fit_line};
use super::view::tabs;
use crate::launch::{Counts, GlobalCounts, LineCounts};
use crate::lesson::RunCell;
use crate::session::{
    Action, Context, Extent, Focus, Inside, Layout, Margin, Model, RunState, Tab, grouped,
};

/// Width from which the margin has room for whole numbers.
const WHOLE_NUMBERS: u16 = 90;

/// Draws the source of `cell`.
pub(super) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let one = canvas.drawn.seen.layout == Layout::One;
    let extent = Extent {
        content: cell.source.line_count() as usize,
        visible: usize::from(area.height.saturating_sub(3)),
    };
    canvas.drawn.seen.source = extent;
    let scroll = state.source_scroll.min(extent.max_scroll());
    let title = if one {
        tabs(canvas, area, model)
    } else {
        Line::from(canvas.span(format!(" {} ", cell.source.name()), Role::Muted))
    };
    let note = format!(" {} a line, counted ", model.look.margin.name());
    let pane = Pane {
        title,
        note: Line::from(canvas.span(note, Role::Muted)),
        foot: canvas.position(scroll, extent),
        focused: model.context() == Context::Source || !one && model.look.focus == Focus::Source,
    };
    let inner = canvas.pane(area, pane);
    let gutter = Gutter::new(state, model, area.width);
    canvas.line(top(inner, 1), gutter.heading(canvas));
    let current = current_line(model, state);
    let pieces = canvas.painter.highlighter.file(&cell.source);
    let theme = canvas.theme();
    let rows = below(inner, 1).rows();
    let lines = cell.source.text().lines().enumerate().skip(scroll);
    for (row, (i, text)) in rows.zip(lines) {
        let number = i as u32 + 1;
        let mut line = gutter.line(canvas, number, visit(model, state, number));
        if model.shows_values() {
            canvas.click(row, Action::RunToLine(number));
        }
        let code = match pieces.get(i) {
            Some(pieces) => styled(text, pieces, theme),
            None => Line::raw(text.to_owned()),
        };
        let room = usize::from(row.width).saturating_sub(line.width());
        let code = scrolled(code, state.source_column);
        line.spans.extend(fit_line(code, room, theme).spans);
        canvas.line(row, line);
        if current == Some(number) {
            canvas.restyle(row, Role::CurrentRow);
        }
    }
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

/// Line `number`, without its indentation.
pub(super) fn line(canvas: &Canvas, cell: &RunCell, number: u32) -> Line<'static> {
    let index = number.saturating_sub(1) as usize;
    let text = cell.source.text().lines().nth(index).unwrap_or("");
    let indent = text.len() - text.trim_start().len();
    let pieces = canvas.painter.highlighter.file(&cell.source);
    let mut line = Line::from(canvas.span(format!("line {number}  "), Role::Muted));
    if let Some(pieces) = pieces.get(index) {
        let pieces = pieces.iter().filter(|(range, _)| range.end > indent);
        let pieces = pieces
            .map(|(range, role)| (range.start.max(indent)..range.end, *role))
            .collect();
        line.spans
            .extend(styled(text, &pieces, canvas.theme()).spans);
    }
    line
}

/// The line of the step that is looked at, if values of the warp are on screen; or of the PTX.
fn current_line(model: &Model, state: &RunState) -> Option<u32> {
    if model.look.tab == Tab::Ptx {
        let (lines, at) = state.ptx()?;
        return lines[at].line;
    }
    if model.look.tab != Tab::Values || state.job.is_some() {
        return None;
    }
    let (_, walk) = state.walk()?;
    walk.line(state.step()?)
}

/// How the watched warp comes by a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    /// Its statement is on this line.
    Now,
    /// The statement before was.
    Before,
    /// It comes there later.
    Coming,
    /// It does not, or nobody looks.
    None,
}

fn visit(model: &Model, state: &RunState, number: u32) -> Visit {
    let current = current_line(model, state);
    if current == Some(number) {
        return Visit::Now;
    }
    let (Some(_), Some(step), Some((_, walk))) = (current, state.step(), state.walk()) else {
        return Visit::None;
    };
    if model.look.tab != Tab::Values {
        return Visit::None;
    }
    let before = step.checked_sub(1).and_then(|before| walk.line(before));
    let comes = |inside: &Inside| inside.comes_to(number, step);
    match walk.inside() {
        _ if before == Some(number) => Visit::Before,
        Some(inside) if comes(inside) => Visit::Coming,
        _ => Visit::None,
    }
}

/// The margin: for each line what it read and what it wrote.
struct Gutter {
    lines: Vec<LineCounts>,
    margin: Margin,
    largest: u64,
    whole: bool,
    ran: bool,
}

impl Gutter {
    fn new(state: &RunState, model: &Model, width: u16) -> Self {
        let lines = state.lines(0);
        let margin = model.look.margin;
        let both = |line: &LineCounts| {
            let counts = &line.counts;
            [&counts.global_load, &counts.global_store].map(|counts| amount(margin, counts))
        };
        let largest = lines.iter().flat_map(both).flatten().max().unwrap_or(0);
        Gutter {
            lines,
            margin,
            largest,
            whole: width >= WHOLE_NUMBERS,
            ran: state.job.is_some() || state.ran.is_some(),
        }
    }

    fn width(&self) -> usize {
        if self.whole { 12 } else { 6 }
    }

    fn heading(&self, canvas: &Canvas) -> Line<'static> {
        let width = self.width();
        let text = format!("     {:>width$}  {:>width$}", "reads", "writes");
        Line::from(canvas.span(text, Role::Muted))
    }

    fn line(&self, canvas: &Canvas, number: u32, visit: Visit) -> Line<'static> {
        let theme = canvas.theme();
        let found = self.lines.binary_search_by_key(&number, |line| line.line);
        let counts = found.map_or_else(|_| Counts::default(), |at| self.lines[at].counts);
        let (pointer, role) = match visit {
            Visit::Now => (theme.glyph("\u{25b6}", ">"), Role::CurrentLine),
            Visit::Before => (theme.glyph("\u{25b7}", "'"), Role::Muted),
            Visit::Coming => (theme.glyph("\u{254e}", ":"), Role::Muted),
            Visit::None => (" ", Role::Muted),
        };
        let mut line = Line::from(vec![
            canvas.span(pointer, role),
            canvas.span(format!("{number:>3} "), role),
        ]);
        for counts in [&counts.global_load, &counts.global_store] {
            self.push(canvas, &mut line, counts);
        }
        let rule = theme.glyph("\u{2502} ", "| ");
        line.push_span(canvas.span(rule, Role::Border));
        line
    }

    /// A number and a bar, or blanks where the line does nothing of the kind.
    fn push(&self, canvas: &Canvas, line: &mut Line<'static>, counts: &GlobalCounts) {
        let theme = canvas.theme();
        let width = self.width();
        let Some(amount) = amount(self.margin, counts).filter(|_| self.ran) else {
            line.push_span(Span::raw(" ".repeat(width + 2)));
            return;
        };
        let (text, share, heat) = match self.margin {
            Margin::Efficiency => {
                let efficiency = counts.efficiency().unwrap_or(0.0);
                (percent(efficiency), efficiency, 1.0 - efficiency)
            }
            _ => {
                let share = amount as f64 / self.largest.max(1) as f64;
                let text = if self.whole {
                    grouped(amount)
                } else {
                    compact(amount)
                };
                (text, share, share)
            }
        };
        let style = theme.heat(heat);
        line.push_span(Span::styled(format!("{text:>width$}"), style));
        line.push_span(Span::styled(theme.bar(share), style));
        line.push_span(Span::raw(" "));
    }
}

/// What the margin shows of `counts`; nothing where there was no access.
fn amount(margin: Margin, counts: &GlobalCounts) -> Option<u64> {
    let amount = match margin {
        Margin::Elements => counts.elements,
        Margin::Distinct => counts.distinct_elements,
        Margin::Requests => counts.requests,
        Margin::Sectors | Margin::Efficiency => counts.sectors,
    };
    (counts.requests > 0).then_some(amount)
}

/// A share as a percentage that never rounds up to 100.
pub(super) fn percent(share: f64) -> String {
    if share >= 1.0 {
        "100 %".to_owned()
    } else {
        format!("{:.1} %", (share * 1000.0).floor() / 10.0)
    }
}
