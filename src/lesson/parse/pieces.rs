//! A lesson's Markdown cut into pieces: prose at its headings, fenced cells, speaker notes.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::source::Span;

/// A part of a lesson, as a range of its file.
pub(super) enum Piece {
    Prose(Range<usize>),
    Cell(Fence),
    /// What a speaker says of the piece before, and the first byte of it.
    Notes(usize, String),
}

/// A fenced block that holds a cell: its info string is two words.
pub(super) struct Fence {
    pub kind: String,
    pub id: String,
    /// The block with its fences.
    pub block: Range<usize>,
    /// What stands between them.
    pub body: Range<usize>,
}

/// Prose cut at its headings, and cells, in order.
pub(super) fn pieces(text: &str, body: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut prose_start = body;
    let mut depth = 0_usize;
    let mut fence: Option<Fence> = None;
    let mut flush = |range: Range<usize>, then: Option<Piece>| {
        if !text[range.clone()].trim().is_empty() {
            pieces.push(Piece::Prose(range));
        }
        pieces.extend(then);
    };
    for (event, range) in Parser::new(&text[body..]).into_offset_iter() {
        let range = range.start + body..range.end + body;
        match &event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => {
                flush(prose_start..range.start, None);
                prose_start = range.start;
            }
            Event::Start(Tag::HtmlBlock) if depth == 0 => {
                if let Some(notes) = notes_in(&text[range.clone()]) {
                    let notes = Piece::Notes(range.start, notes.to_owned());
                    flush(prose_start..range.start, Some(notes));
                    prose_start = range.end;
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if depth == 0 => {
                fence = Fence::new(info, range.clone());
            }
            Event::Text(_) => {
                if let Some(fence) = &mut fence {
                    fence.body.start = fence.body.start.min(range.start);
                    fence.body.end = range.end;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(fence) = fence.take() {
                    flush(prose_start..range.start, Some(Piece::Cell(fence)));
                    prose_start = range.end;
                }
            }
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    flush(prose_start..text.len(), None);
    pieces
}

impl Fence {
    fn new(info: &str, block: Range<usize>) -> Option<Self> {
        let (kind, id) = info.trim().split_once(' ')?;
        Some(Fence {
            kind: kind.to_owned(),
            id: id.trim().to_owned(),
            body: block.end..block.end,
            block,
        })
    }

    /// The line that opens it.
    pub fn head(&self, text: &str) -> Span {
        let line = text[self.block.clone()].lines().next().unwrap_or("");
        Span::new(self.block.start, self.block.start + line.len())
    }
}

/// The speaker notes in a comment, `<!-- notes: … -->`.
fn notes_in(html: &str) -> Option<&str> {
    let inside = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    Some(inside.trim().strip_prefix("notes:")?.trim())
}
