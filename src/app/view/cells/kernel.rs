//! A kernel to be read before it runs, with what the compiler knows of it.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::page;
use crate::app::state::Model;
use crate::app::view::widgets::{Canvas, code_line, markdown};
use crate::device::grouped;
use crate::document::{Role, pad};
use crate::lesson::{KernelCell, KernelFacts};

/// Width of the names of facts.
const NAME_WIDTH: usize = 15;

/// Draws `cell` from line `scroll`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &KernelCell,
    scroll: usize,
) {
    let width = page::text_width(area);
    let theme = canvas.theme();
    let mut lines = vec![canvas.text(&cell.title, Role::Heading), Line::default()];
    if !cell.note.trim().is_empty() {
        let highlighter = &canvas.painter.highlighter;
        lines.extend(markdown::render(&cell.note, width, theme, highlighter));
        lines.push(Line::default());
    }
    lines.extend(source(canvas, cell));
    lines.push(Line::default());
    lines.extend(facts(canvas, &cell.facts));
    page::draw(canvas, area, model, lines, scroll);
}

fn source(canvas: &Canvas, cell: &KernelCell) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let (first, last) = cell.lines;
    let file = canvas.text(cell.source.name(), Role::Muted);
    let lines = cell.source.text().lines().enumerate();
    let lines = lines
        .skip(first as usize - 1)
        .take((last - first + 1) as usize);
    let lines = lines.map(|(i, _)| {
        let mut line = canvas.text(format!("{:>4} ", i + 1), Role::Muted);
        let rule = theme.glyph("\u{2502} ", "| ");
        line.push_span(canvas.span(rule, Role::Border));
        line.spans.extend(code_line(canvas, &cell.source, i).spans);
        line
    });
    std::iter::once(file).chain(lines).collect()
}

fn facts(canvas: &Canvas, facts: &KernelFacts) -> Vec<Line<'static>> {
    let line = |name: &str, text: String| {
        Line::from(vec![
            canvas.span(pad(name, NAME_WIDTH, canvas.theme()), Role::Muted),
            canvas.span(text, Role::Text),
        ])
    };
    let parameters = facts.parameters.iter();
    let mut lines = Vec::new();
    for (i, (type_name, name)) in parameters.enumerate() {
        let label = if i == 0 { "parameters" } else { "" };
        lines.push(line(label, format!("{type_name} {name}")));
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
        lines.push(line(if i == 0 { "shared memory" } else { "" }, shared));
    }
    if let Some(threads) = facts.max_threads {
        lines.push(line(
            "threads",
            format!("at most {} in a block", grouped(threads.into())),
        ));
    }
    let said = "as the compiler has them; nothing has run";
    lines.push(canvas.text(said, Role::Muted));
    lines
}
