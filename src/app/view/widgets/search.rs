//! What a search found, with the letters that were typed lit.

use ratatui::text::Span;

use super::canvas::Canvas;
use crate::document::Role;

/// `text` in `role`, its characters at the places `lit` marked. `soft` with 0 and 2: **s**o**f**t.
pub(crate) fn lit_text(
    canvas: &Canvas,
    text: &str,
    lit: &[usize],
    role: Role,
) -> Vec<Span<'static>> {
    let characters: Vec<(bool, char)> = text
        .chars()
        .enumerate()
        .map(|(at, character)| (lit.contains(&at), character))
        .collect();
    let runs = characters.chunk_by(|a, b| a.0 == b.0);
    let spans = runs.map(|run| {
        let role = if run[0].0 { Role::Changed } else { role };
        let text: String = run.iter().map(|(_, character)| character).collect();
        canvas.span(text, role)
    });
    spans.collect()
}
