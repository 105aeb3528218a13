//! A kernel to be read before it runs, with what the compiler knows of it.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::TextRow;
use crate::app::view::widgets::{Canvas, CodeText, Pane, code_size, inset};
use crate::device::grouped;
use crate::document::{Role, pad, wrap};
use crate::lesson::{KernelCell, KernelFacts};

/// Width of the names of facts.
const NAME_WIDTH: usize = 15;

/// Columns and rows that the code of `cell` takes, its rule included.
pub(crate) fn size(canvas: &Canvas, cell: &KernelCell) -> (u16, u16) {
    let lines = cell.source.text().lines();
    let shown = shown(cell);
    code_size(
        canvas,
        lines.skip(shown.start).take(shown.len()),
        margin(cell),
    )
}

/// The lines of its file that it shows, counted from 0.
fn shown(cell: &KernelCell) -> Range<usize> {
    let (first, last) = cell.lines;
    first as usize - 1..last as usize
}

/// Columns of the lines' numbers, and of the blanks around them.
fn margin(cell: &KernelCell) -> usize {
    cell.lines.1.to_string().len() + 2
}

/// What the lesson says of `cell`.
pub(crate) fn note(canvas: &Canvas, cell: &KernelCell, width: usize) -> Vec<TextRow> {
    TextRow::rendered(canvas, &cell.note, width)
}

/// Draws the code of `cell`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, cell: &KernelCell) {
    let pane = Pane {
        title: canvas.text(format!(" {} ", cell.source.name()), Role::Muted),
        ..Pane::default()
    };
    let inner = canvas.region(area, pane);
    let margin = margin(cell);
    let room = usize::from(inner.width).saturating_sub(margin).max(1);
    let text = CodeText::of(canvas, &cell.source);
    let rows = |at| text.rows(at, room, canvas.theme());
    let own = shown(cell);
    let count = cell.source.text().lines().count();
    let in_view = with_context(&own, count, inner.height.into(), |at| rows(at).len());
    // The part stands out from what is around it.
    let is_part = in_view != own;
    let mut lines = Vec::new();
    for at in in_view {
        let is_own = is_part && own.contains(&at);
        lines.extend(rows(at).into_iter().enumerate().map(|(row, code)| {
            let number = match row {
                0 => format!("{:>width$} ", at + 1, width = margin - 1),
                _ => " ".repeat(margin),
            };
            let role = if is_own { Role::Text } else { Role::Muted };
            let mut line = canvas.text(number, role);
            line.spans.extend(code.spans);
            line
        }));
    }
    canvas.lines(inner, lines);
}

/// The lines `own`, and as many of those around them, of `count` in all, as have place on `room` rows beside them: what stands
/// before and after a part explains it. `rows` says how many rows a line takes.
fn with_context(
    own: &Range<usize>,
    count: usize,
    room: usize,
    rows: impl Fn(usize) -> usize,
) -> Range<usize> {
    let mut left = room.saturating_sub(own.clone().map(&rows).sum());
    let mut fits = |at| {
        let rest = left.checked_sub(rows(at));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let mut shown = own.clone();
    loop {
        let before = shown.start > 0 && fits(shown.start - 1);
        shown.start -= usize::from(before);
        let after = shown.end < count && fits(shown.end);
        shown.end += usize::from(after);
        if !before && !after {
            return shown;
        }
    }
}

/// Rows of what the compiler knows of the kernel, its rule included; none of a Triton kernel, of which it knows nothing before
/// a launch.
pub(crate) fn fact_rows(canvas: &Canvas, cell: &KernelCell) -> u16 {
    match facts(canvas, &cell.facts, usize::MAX).len() as u16 {
        0 => 0,
        rows => rows + 1,
    }
}

/// Draws what the compiler knows of the kernel.
pub(crate) fn draw_facts(canvas: &mut Canvas, area: Rect, cell: &KernelCell) {
    let pane = Pane {
        title: canvas.text(format!(" {} ", cell.title), Role::Strong),
        ..Pane::default()
    };
    let inner = inset(canvas.region(area, pane), 1);
    let lines = facts(canvas, &cell.facts, inner.width.into());
    canvas.lines(inner, lines);
}

/// What the compiler knows, in lines of `width`: names, and beside them texts that stay in their column.
fn facts(canvas: &Canvas, facts: &KernelFacts, width: usize) -> Vec<Line<'static>> {
    let fact = |name: &str, text: String| {
        let name = canvas.span(pad(name, NAME_WIDTH, canvas.theme()), Role::Muted);
        let text = [(text, canvas.theme().style(Role::Text))];
        wrap(&text, width, &[name], &[Span::raw(" ".repeat(NAME_WIDTH))])
    };
    if facts.is_triton {
        return Vec::new();
    }
    let parameters = facts.parameters.iter();
    let mut lines = Vec::new();
    for (i, (type_name, name)) in parameters.enumerate() {
        let label = if i == 0 { "parameters" } else { "" };
        lines.extend(fact(label, format!("{type_name} {name}")));
    }
    let of = |(type_name, name, bytes): &(String, String, u32)| match bytes {
        0 => format!("{name}, {type_name}, as large as the launch says"),
        bytes => format!("{name}, {type_name}, {} bytes", grouped(u64::from(*bytes))),
    };
    let shared = match facts.shared.as_slice() {
        [] => vec!["none".to_owned()],
        all => all.iter().map(of).collect(),
    };
    for (i, shared) in shared.into_iter().enumerate() {
        lines.extend(fact(if i == 0 { "shared memory" } else { "" }, shared));
    }
    if let Some(threads) = facts.max_threads {
        let most = format!("at most {} in a block", grouped(threads.into()));
        lines.extend(fact("threads", most));
    }
    let said = "from the compiler; nothing has run yet";
    lines.push(canvas.text(said, Role::Muted));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_lines_around_it_as_far_as_there_is_room() {
        let within = |room| with_context(&(10..12), 20, room, |_| 1);
        assert_eq!(within(0), 10..12);
        assert_eq!(within(3), 9..12);
        assert_eq!(within(8), 7..15);
        assert_eq!(within(19), 1..20);
        assert_eq!(within(100), 0..20);
        // A line that is folded takes two rows.
        let folded = with_context(&(10..12), 20, 5, |at| if at == 12 { 2 } else { 1 });
        assert_eq!(folded, 9..13);
    }
}
