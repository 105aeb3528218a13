//! A text with a name, and ranges in it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Whether a file has Python in it, and so kernels of Triton's, by its name.
pub fn is_python(name: impl AsRef<Path>) -> bool {
    let extension = name.as_ref().extension();
    extension.is_some_and(|extension| extension == "py")
}

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

    /// The span in a text that begins with `bytes` more.
    pub fn behind(self, bytes: u32) -> Span {
        Span {
            start: self.start.saturating_add(bytes),
            end: self.end.saturating_add(bytes),
        }
    }

    /// The span as a range to index text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text with an index of its lines, and the texts of the files that it includes. Cheap to clone.
///
/// The headers' texts stand behind its own: a span is a range of them all, and each byte has one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    // Shared, since every plan and every report holds the file.
    whole: Arc<str>,
    line_starts: Arc<[u32]>,
    /// The file itself, and behind it its headers.
    parts: Arc<[Part]>,
}

/// One text of several that are one source.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: String,
    span: Span,
    /// What it includes: names as written, and numbers of parts.
    includes: Vec<(String, usize)>,
}

/// A file that others include, or that includes others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// How messages call it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// What it includes: names as written, and which of the texts these are.
    pub includes: Vec<(String, usize)>,
}

impl SourceFile {
    /// Indexes `text`; `name` is how messages call the file. Texts over 4 GiB are not supported.
    pub fn new(name: &str, text: &str) -> Self {
        let (name, text) = (name.to_owned(), text.to_owned());
        let includes = Vec::new();
        Self::with_headers(&[SourceText {
            name,
            text,
            includes,
        }])
    }

    /// The first of `texts`, which are all that it includes, or that these include.
    pub fn with_headers(texts: &[SourceText]) -> Self {
        let mut whole = String::new();
        let mut parts = Vec::with_capacity(texts.len());
        for text in texts {
            // Each begins a line of its own, so that a line belongs to one of them.
            if !whole.is_empty() && !whole.ends_with('\n') {
                whole.push('\n');
            }
            let start = whole.len();
            whole.push_str(&text.text);
            parts.push(Part {
                name: text.name.clone(),
                span: Span::new(start, whole.len()),
                includes: text.includes.clone(),
            });
        }
        let newlines = whole.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| at as u32 + 1))
            .collect();
        SourceFile {
            whole: whole.into(),
            line_starts,
            parts: parts.into(),
        }
    }

    /// The same file with another text of its own, and the headers that it had.
    pub fn with_text(&self, text: &str) -> Self {
        let mut texts: Vec<SourceText> = self.texts().collect();
        if let Some(own) = texts.first_mut() {
            own.text = text.to_owned();
        }
        Self::with_headers(&texts)
    }

    /// The texts that it is made of, its own first.
    pub fn texts(&self) -> impl Iterator<Item = SourceText> {
        self.parts.iter().map(|part| SourceText {
            name: part.name.clone(),
            text: self.slice(part.span).to_owned(),
            includes: part.includes.clone(),
        })
    }

    /// Where its texts stand, its own first.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        self.parts.iter().map(|part| part.span)
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.parts[0].name
    }

    /// Its own text, without those of headers.
    pub fn text(&self) -> &str {
        self.slice(self.parts[0].span)
    }

    /// Its own text and those of its headers, one behind the other.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// The text under `span`; empty where the span does not fit this file.
    pub fn slice(&self, span: Span) -> &str {
        // A span of another text, or one that cuts a character, shows nothing; it must not panic.
        self.whole.get(span.range()).unwrap_or("")
    }

    /// Where the text of the header stands that the text around `byte` includes as `written`.
    pub fn header(&self, byte: u32, written: &str) -> Option<Span> {
        let mut includes = self.part(byte).includes.iter();
        let (_, part) = includes.find(|(name, _)| name == written)?;
        self.parts.get(*part).map(|part| part.span)
    }

    /// The name and the place of the text that a byte belongs to: that of the file, or of one of its headers.
    pub fn file_of(&self, byte: u32) -> (&str, Span) {
        let part = self.part(byte);
        (&part.name, part.span)
    }

    fn part(&self, byte: u32) -> &Part {
        let after = self.parts.partition_point(|part| part.span.start <= byte);
        &self.parts[after.max(1) - 1]
    }

    /// Line (from 1) of a byte. Lines of headers are counted on behind those of the file.
    pub fn line(&self, byte: u32) -> u32 {
        // As many lines begin at or before the byte as its line has for a number, from 1.
        self.line_starts.partition_point(|&start| start <= byte) as u32
    }

    /// The name of the file that a line belongs to, and its number there, from 1.
    pub fn line_of_file(&self, line: u32) -> (&str, u32) {
        let starts = self.line_starts.get((line as usize).saturating_sub(1));
        let byte = starts.copied().unwrap_or(u32::MAX);
        let part = self.part(byte);
        (&part.name, line + 1 - self.line(part.span.start).min(line))
    }

    /// Line and column (both from 1, the column in characters) of a byte in the file that it belongs to.
    pub fn line_column(&self, byte: u32) -> (u32, u32) {
        let line = self.line(byte);
        let start = self.line_starts[line as usize - 1];
        let before = self.whole.get(start as usize..byte as usize).unwrap_or("");
        // Spans count bytes, editors characters.
        (self.line_of_file(line).1, before.chars().count() as u32 + 1)
    }

    /// Number of lines of its own; a final newline does not begin another.
    pub fn line_count(&self) -> u32 {
        self.text().lines().count() as u32
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

    #[test]
    fn a_header_has_places_of_its_own() {
        let text = |name: &str, text: &str, includes: &[(&str, usize)]| SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
            includes: includes.iter().map(|(n, p)| (n.to_string(), *p)).collect(),
        };
        let file = SourceFile::with_headers(&[
            text("a.cu", "#include \"b.h\"\nint x;", &[("b.h", 1)]),
            text("inc/b.h", "\nint y;\n", &[]),
        ]);
        assert_eq!(file.text(), "#include \"b.h\"\nint x;");
        assert_eq!(file.line_count(), 2);
        let header = file.header(3, "b.h").expect("is included");
        assert_eq!(file.slice(header), "\nint y;\n");
        assert_eq!(file.header(header.start, "b.h"), None);
        let y = header.start + 5;
        assert_eq!(file.slice(Span::new(y as usize, y as usize + 1)), "y");
        assert_eq!(file.file_of(y).0, "inc/b.h");
        assert_eq!(file.line_column(y), (2, 5));
        assert_eq!(file.line(y), 4);
        assert_eq!(file.line_of_file(4), ("inc/b.h", 2));
        assert_eq!(file.line_of_file(2), ("a.cu", 2));
        let longer = file.with_text("\n\n\n");
        assert_eq!(longer.text(), "\n\n\n");
        assert_eq!(longer.texts().nth(1), file.texts().nth(1));
    }
}
