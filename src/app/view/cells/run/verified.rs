//! What was made of a run: its output against what it should be, and checks that found nothing.

use ratatui::text::{Line, Span};

use super::counts::mark;
use crate::app::view::widgets::Canvas;
use crate::device::grouped;
use crate::document::{Role, wrap};
use crate::engine::Verified;
use crate::lesson::CLEAN;

/// How far the output is from its reference.
pub(crate) fn lines(canvas: &Canvas, verified: &Verified, width: usize) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let role = if verified.ok { Role::Strong } else { Role::Bad };
    let indent = " ".repeat(mark(canvas, true).width());
    let says =
        |text: &str| canvas.span(format!("{} verified: {text}", verified.buffer), Role::Text);
    let error = |text: String| canvas.span(text, role);
    let largest = format!("{:.1e}", verified.max_abs_error);
    let found = match (verified.is_exact(), verified.ok) {
        (true, true) => vec![says("every element is equal")],
        (true, false) => vec![says("not every element is equal: off by "), error(largest)],
        (false, _) => vec![
            says("largest error "),
            error(largest),
            canvas.span(format!(" of {:.0e}", verified.tolerance), Role::Muted),
        ],
    };
    let head = [vec![mark(canvas, verified.ok)], found].concat();
    let head = Line::from(head);
    let against = format!("against {}", verified.against);
    let pieces = [(theme.text(&against).into_owned(), theme.style(Role::Muted))];
    let indent = [Span::raw(indent)];
    let mut lines = vec![head];
    lines.extend(wrap(&pieces, width, &indent, &indent));
    if !verified.ok {
        let worst = format!(
            "furthest at element {}",
            grouped(verified.worst_element as u64)
        );
        lines.push(Line::from(vec![
            indent[0].clone(),
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
