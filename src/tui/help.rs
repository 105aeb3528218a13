//! The help: every key, from the one table.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Role;
use super::canvas::{Canvas, Pane, inset};
use super::keymap::{BINDINGS, Binding, name};
use super::text::pad;
use crate::launch::Evidence;
use crate::session::{Context, Extent};

/// Parts of the help: a heading, and the contexts of the bindings that go under it, each binding
/// under the first part that has one of its contexts. Those without contexts hold everywhere.
const PARTS: [(&str, &[Context]); 10] = [
    ("Everywhere", &[]),
    ("A cell with kernels", &[Context::Counts]),
    (
        "Sizes and GPU: tab goes there; digits, clicks and drags set them",
        &[Context::Sizes],
    ),
    ("Two cells side by side", &[Context::Versus]),
    ("Values inside a kernel", &[Context::Warp]),
    ("Figures", &[Context::Figure, Context::Blocks]),
    (
        "Moving in text, tables and buffers",
        &[Context::Prose, Context::Source, Context::Ptx],
    ),
    ("While an answer is typed", &[Context::Prompt]),
    ("The editor", &[Context::Editor]),
    (
        "All lessons: type to search",
        &[Context::Home, Context::Search],
    ),
];

/// Draws the help over `area` from line `scroll`.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, scroll: usize) {
    let width = area.width.saturating_sub(4).min(72);
    let lines = lines(canvas);
    let height = (lines.len() as u16 + 2).min(area.height.saturating_sub(2));
    let window = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    canvas.clear(window);
    let extent = Extent {
        content: lines.len(),
        visible: usize::from(height.saturating_sub(2)),
    };
    canvas.drawn.seen.help = extent;
    let scroll = scroll.min(extent.max_scroll());
    let pane = Pane {
        title: Line::from(canvas.span(" Keys ", Role::Strong)),
        note: Line::from(canvas.span(" esc closes ", Role::Muted)),
        foot: canvas.position(scroll, extent),
        focused: true,
    };
    let inner = canvas.pane(window, pane);
    canvas.lines(inset(inner, 1), lines.into_iter().skip(scroll));
}

/// Each binding under the first part that it fits.
fn lines(canvas: &Canvas) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut told: Vec<usize> = Vec::new();
    for (heading, contexts) in PARTS {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(canvas.span(heading, Role::Heading)));
        for (i, binding) in BINDINGS.iter().enumerate() {
            if !binding.help.is_empty() && !told.contains(&i) && belongs(binding, contexts) {
                told.push(i);
                lines.push(line(canvas, binding));
            }
        }
    }
    lines.push(Line::default());
    lines.extend(evidence_key(canvas));
    lines
}

/// What the marks beside numbers mean.
pub(super) fn evidence_key(canvas: &Canvas) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(
        canvas.span("Marks beside numbers: how each came to be", Role::Heading),
    )];
    lines.extend(Evidence::ALL.map(|evidence| {
        Line::from(vec![
            canvas.span("  ", Role::Text),
            canvas.mark(evidence),
            canvas.span(format!(" {:<16} ", evidence.word()), Role::Strong),
            canvas.span(evidence.meaning(), Role::Text),
        ])
    }));
    lines
}

fn belongs(binding: &Binding, part: &[Context]) -> bool {
    let everywhere = binding.contexts.is_empty()
        || binding.control && binding.contexts.contains(&Context::Prose);
    // What moves through text is told once, not in each place that has text.
    let moves = binding.contexts.contains(&Context::Help) || binding.contexts == [Context::Prose];
    match (everywhere, moves) {
        (true, _) => part.is_empty(),
        (_, true) => part.contains(&Context::Prose),
        _ => binding
            .contexts
            .iter()
            .any(|context| part.contains(context)),
    }
}

fn line(canvas: &Canvas, binding: &Binding) -> Line<'static> {
    let keys: Vec<String> = binding
        .keys
        .iter()
        .map(|&key| name(key, binding.control, canvas.theme()))
        .collect();
    Line::from(vec![
        canvas.span(
            pad(&format!("  {}", keys.join("  ")), 20, canvas.theme()),
            Role::Key,
        ),
        canvas.span(binding.help, Role::Text),
    ])
}
