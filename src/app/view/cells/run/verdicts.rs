//! What a run is held against: formulas of its counts, a reference of its output, checks of its accesses. A
//! formula wider than its pane stands whole below its numbers.

use ratatui::text::{Line, Span};

use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::{Role, pad, wrap};
use crate::engine::Verified;
use crate::launch::Evidence;
use crate::lesson::{CLEAN, FormulaResult};

pub(crate) fn mark(canvas: &Canvas, ok: bool) -> Span<'static> {
    let theme = canvas.theme();
    let (mark, role) = if ok {
        (theme.glyph("\u{2713} ", "ok "), Role::Good)
    } else {
        (theme.glyph("\u{2717} ", "X  "), Role::Bad)
    };
    Span::styled(mark, theme.style(role))
}

/// A formula, written as `text`, and its count, in lines of `width` cells. Those of an edited kernel may
/// differ: the formula is the original's.
pub(crate) fn formula(
    canvas: &Canvas,
    width: usize,
    formula: &FormulaResult,
    text: &str,
    edited: bool,
) -> Vec<Line<'static>> {
    // Whoever edits a kernel changes its counts on purpose: that is no failure, and both numbers are of interest.
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
        canvas.span(formula.expected_text(), Role::Text),
        canvas.span("  counted ", Role::Muted),
        canvas.span(grouped(formula.counted), counted_role),
    ];
    let mut lines = vec![name];
    lines.extend(equation(canvas, width, &before, text, &numbers));
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
    let number = [canvas.span(formula.expected_text(), Role::Text)];
    let mut lines = vec![counted];
    lines.extend(equation(canvas, width, &before, text, &number));
    lines
}

fn indent(canvas: &Canvas) -> usize {
    mark(canvas, true).width()
}

/// `before text = numbers` on one line if it fits there, else the numbers first.
fn equation(
    canvas: &Canvas,
    width: usize,
    before: &[Span<'static>],
    text: &str,
    numbers: &[Span<'static>],
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
    lines.extend(formula_below(canvas, text, indent + 2, width));
    lines
}

/// `= text` below the number that it gives, in as many lines of `width` cells as it takes.
pub(crate) fn formula_below(
    canvas: &Canvas,
    text: &str,
    indent: usize,
    width: usize,
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

/// An error with two digits: 2.4e-7 and 7.4, not 7.4e0.
fn error_size(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        size if (1.0..1e4).contains(&size) => format!("{size:.1}"),
        size if (0.01..1.0).contains(&size) => format!("{size:.2}"),
        size => format!("{size:.1e}"),
    }
}

/// How far the output is from its reference.
pub(crate) fn verified(canvas: &Canvas, verified: &Verified, width: usize) -> Vec<Line<'static>> {
    let role = if verified.ok { Role::Strong } else { Role::Bad };
    let verb = if verified.ok { "verified" } else { "differs" };
    let says = |text: &str| canvas.span(format!("{} {verb}: {text}", verified.buffer), Role::Text);
    let error = |text: String| canvas.span(text, role);
    let largest = error_size(verified.max_abs_error);
    let found = match (verified.is_exact(), verified.ok) {
        (true, true) => vec![says("every element is equal")],
        (true, false) => vec![says("an element is off by "), error(largest)],
        (false, _) => vec![
            says("largest error "),
            error(largest),
            canvas.span(format!(" of {:e} allowed", verified.tolerance), Role::Muted),
        ],
    };
    let head = [vec![mark(canvas, verified.ok)], found].concat();
    let head = Line::from(head);
    let against = format!("against {}", verified.against);
    let mut lines = vec![head];
    let indent = mark(canvas, true).width();
    lines.extend(canvas.paragraph(&against, Role::Muted, width, indent));
    if !verified.ok {
        let worst = format!(
            "largest error at element {}",
            grouped(verified.worst_element as u64)
        );
        lines.push(Line::from(vec![
            Span::raw(" ".repeat(indent)),
            canvas.span(worst, Role::Bad),
        ]));
    }
    lines
}

/// That checks found nothing.
pub(crate) fn clean(canvas: &Canvas, width: usize) -> Vec<Line<'static>> {
    let head = mark(canvas, true);
    let indent = Span::raw(" ".repeat(head.width()));
    let pieces = [(CLEAN.to_owned(), canvas.theme().style(Role::Text))];
    wrap(&pieces, width, &[head], &[indent])
}
