//! A text with a name, and ranges in it.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes of one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        // 32 bits a place keep every tree small; texts are refused long before they have 4 GiB.
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Span {
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The span as a range to index text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text with an index of its lines. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    // Shared, since every plan and every report holds the file.
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[u32]>,
}

impl SourceFile {
    /// Indexes `text`; `name` is how messages call the file. Texts over 4 GiB are not supported.
    pub fn new(name: &str, text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| at as u32 + 1))
            .collect();
        SourceFile {
            name: name.into(),
            text: text.into(),
            line_starts,
        }
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text under `span`; empty where the span does not fit this file.
    pub fn slice(&self, span: Span) -> &str {
        // A span of another text, or one that cuts a character, shows nothing; it must not panic.
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line (from 1) of a byte.
    pub fn line(&self, byte: u32) -> u32 {
        // As many lines begin at or before the byte as its line has for a number, from 1.
        self.line_starts.partition_point(|&start| start <= byte) as u32
    }

    /// Line and column (both from 1, the column in characters) of a byte.
    pub fn line_column(&self, byte: u32) -> (u32, u32) {
        let line = self.line(byte);
        let start = self.line_starts[line as usize - 1];
        let before = self.text.get(start as usize..byte as usize).unwrap_or("");
        // Spans count bytes, editors characters.
        (line, before.chars().count() as u32 + 1)
    }

    /// Number of lines; a final newline does not begin another.
    pub fn line_count(&self) -> u32 {
        self.text.lines().count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_map_to_lines_and_columns() {
        let file = SourceFile::new("a.cu", "int\u{e9} x;\n\ny\n");
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(6), (1, 6));
        assert_eq!(file.line_column(10), (3, 1));
        assert_eq!(file.line_count(), 3);
        assert_eq!(file.slice(Span::new(0, 3)), "int");
        assert_eq!(file.slice(Span::new(90, 93)), "");
    }
}
