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
    let mut cutter = Cutter {
        text,
        pieces: Vec::new(),
        prose_start: body,
        fence: None,
    };
    // Only what stands in no quote or list cuts: a heading in a quote is prose.
    let mut depth = 0_usize;
    for (event, range) in Parser::new(&text[body..]).into_offset_iter() {
        cutter.take(&event, range.start + body..range.end + body, depth == 0);
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    cutter.end_prose(text.len());
    cutter.pieces
}

/// The text as it is walked through.
struct Cutter<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    /// Where the prose begins that has not ended.
    prose_start: usize,
    /// The fenced cell that is open.
    fence: Option<Fence>,
}

impl Cutter<'_> {
    fn take(&mut self, event: &Event, range: Range<usize>, is_outermost: bool) {
        match event {
            Event::Start(Tag::Heading { .. }) if is_outermost => {
                self.end_prose(range.start);
                self.prose_start = range.start;
            }
            Event::Start(Tag::HtmlBlock) if is_outermost => {
                if let Some(notes) = notes_in(&self.text[range.clone()]) {
                    let notes = Piece::Notes(range.start, notes.to_owned());
                    self.push(range, notes);
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_outermost => {
                self.fence = Fence::new(info, range);
            }
            // The body comes in several texts, the first of which begins it.
            Event::Text(_) => {
                if let Some(fence) = &mut self.fence {
                    fence.body.start = fence.body.start.min(range.start);
                    fence.body.end = range.end;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(fence) = self.fence.take() {
                    self.push(range, Piece::Cell(fence));
                }
            }
            _ => {}
        }
    }

    /// The prose before `range`, and what stands there.
    fn push(&mut self, range: Range<usize>, piece: Piece) {
        self.end_prose(range.start);
        self.prose_start = range.end;
        self.pieces.push(piece);
    }

    fn end_prose(&mut self, end: usize) {
        let prose = self.prose_start..end;
        if !self.text[prose.clone()].trim().is_empty() {
            self.pieces.push(Piece::Prose(prose));
        }
    }
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
