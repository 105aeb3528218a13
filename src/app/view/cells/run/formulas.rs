//! Formulas held against what was counted. A formula wider than its pane stands whole below its numbers.

use ratatui::text::{Line, Span};

use super::counts::mark;
use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::{Role, pad, wrap};
use crate::launch::Evidence;
use crate::lesson::FormulaResult;

/// A formula, written as `text`, and its count, in lines of `width` cells. Those of an edited kernel may
/// differ: the formula is the original's.
pub(crate) fn lines(
    canvas: &Canvas,
    width: usize,
    (formula, text): (&FormulaResult, &str),
    edited: bool,
) -> Vec<Line<'static>> {
    if edited && !formula.ok {
        return original(canvas, width, formula, text);
    }
    let counted_role = if formula.ok { Role::Strong } else { Role::Bad };
    let name = Line::from(vec![
        mark(canvas, formula.ok),
        canvas.span(&formula.name, Role::Text),
    ]);
    let before = [canvas.mark(Evidence::Computed), Span::raw(" ")];
    let numbers = [
        canvas.span(grouped(formula.expected), Role::Text),
        canvas.span("  counted ", Role::Muted),
        canvas.span(grouped(formula.counted), counted_role),
    ];
    let mut lines = vec![name];
    lines.extend(equation(canvas, width, (&before, text, &numbers)));
    lines
}

/// What an edited kernel counts, and what the original does.
fn original(
    canvas: &Canvas,
    width: usize,
    formula: &FormulaResult,
    text: &str,
) -> Vec<Line<'static>> {
    let dot = pad(canvas.theme().dot(), indent(canvas), canvas.theme());
    let counted = Line::from(vec![
        canvas.span(dot, Role::Muted),
        canvas.span(format!("{} ", formula.name), Role::Text),
        canvas.span(grouped(formula.counted), Role::Strong),
    ]);
    let before = [canvas.span("original: ", Role::Muted)];
    let number = [canvas.span(grouped(formula.expected), Role::Text)];
    let mut lines = vec![counted];
    lines.extend(equation(canvas, width, (&before, text, &number)));
    lines
}

fn indent(canvas: &Canvas) -> usize {
    mark(canvas, true).width()
}

/// `before text = numbers` on one line if it fits there, else the numbers first.
fn equation(
    canvas: &Canvas,
    width: usize,
    (before, text, numbers): (&[Span<'static>], &str, &[Span<'static>]),
) -> Vec<Line<'static>> {
    let indent = indent(canvas);
    let line = |middle: Option<Span<'static>>| -> Line<'static> {
        let start = [Span::raw(" ".repeat(indent))].into_iter();
        let start = start.chain(before.iter().cloned());
        start.chain(middle).chain(numbers.iter().cloned()).collect()
    };
    let whole = line(Some(canvas.span(format!("{text} = "), Role::Muted)));
    if whole.width() <= width {
        return vec![whole];
    }
    let mut lines = vec![line(None)];
    lines.extend(below(canvas, text, (indent + 2, width)));
    lines
}

/// `= text` below the number that it gives, in as many lines of `width` cells as it takes.
pub(crate) fn below(
    canvas: &Canvas,
    text: &str,
    (indent, width): (usize, usize),
) -> Vec<Line<'static>> {
    let first = [
        Span::raw(" ".repeat(indent)),
        canvas.span("= ", Role::Muted),
    ];
    let rest = [Span::raw(" ".repeat(indent + 2))];
    let text = canvas.span(text, Role::Muted);
    wrap(
        &[(text.content.into_owned(), text.style)],
        width,
        &first,
        &rest,
    )
}
