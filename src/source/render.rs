//! Diagnostics as text, in rustc's form.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Label, Severity};
use super::file::{SourceFile, Span};
use super::printable::{printable, printable_line};

/// Whether the text carries colour escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Characters only.
    Plain,
    /// With ANSI escapes.
    Ansi,
}

impl Style {
    fn renderer(self) -> Renderer {
        match self {
            Style::Plain => Renderer::plain(),
            Style::Ansi => Renderer::styled(),
        }
    }
}

/// The diagnostic with the lines of `file` it points at, ending without a newline. Escape sequences in it are colours of
/// ours: what others wrote is made [`printable`] first.
pub fn render(diagnostic: &Diagnostic, file: &SourceFile, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Remark => Level::INFO.with_name("remark"),
    };
    let title = level.primary_title(printable(&diagnostic.message));
    let mut snippets = labels_by_file(diagnostic, file).into_iter();
    let first = snippets.next().unwrap_or_default();
    let mut group = title.element(first.snippet(file));
    for further in snippets {
        group = group.element(further.snippet(file));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    style.renderer().render(&[group]).to_string()
}

/// The labels of a diagnostic that point into one file.
#[derive(Default)]
struct FileLabels<'a> {
    file: Span,
    labels: Vec<&'a Label>,
}

/// The labels by the files that they point into: that of the first primary one first.
fn labels_by_file<'a>(diagnostic: &'a Diagnostic, file: &SourceFile) -> Vec<FileLabels<'a>> {
    let of = |span: Span| file.file_of(span.start).1;
    let mut labels_by_file: Vec<FileLabels> = vec![FileLabels {
        file: of(diagnostic.span()),
        labels: Vec::new(),
    }];
    for label in &diagnostic.labels {
        let file = of(label.span);
        match labels_by_file.iter_mut().find(|of| of.file == file) {
            Some(of) => of.labels.push(label),
            None => labels_by_file.push(FileLabels {
                file,
                labels: vec![label],
            }),
        }
    }
    labels_by_file
}

impl<'a> FileLabels<'a> {
    fn snippet(&self, file: &'a SourceFile) -> Snippet<'a, Annotation<'a>> {
        let shown = self.shown(file);
        let source = &file.whole()[shown.clone()];
        let text = printable(source);
        let (name, first_line) = file.line_of_file(file.line(shown.start as u32));
        let mut annotations = Vec::with_capacity(self.labels.len());
        for label in &self.labels {
            let kind = match label.primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            // What is reported at the end of a text may reach past it, and a place within a character would panic.
            let span = clamp(label.span, self.file, file.whole());
            // The text before a place may have become longer.
            let shifted = |at: usize| match &text {
                Cow::Borrowed(_) => at,
                Cow::Owned(text) => floor(printable(&source[..at]).len(), text),
            };
            let span = shifted(span.start - shown.start)..shifted(span.end - shown.start);
            annotations.push(kind.span(span).label(printable(&label.text)));
        }
        Snippet::source(text)
            .path(printable_line(name))
            .line_start(first_line as usize)
            // Lines between two labels far apart are left out.
            .fold(true)
            .annotations(annotations)
    }

    /// The whole lines that the labels point at, with all between: whoever renders a snippet reads all of it, and a
    /// file may have a diagnostic for each of its lines.
    fn shown(&self, file: &SourceFile) -> Range<usize> {
        let text = file.whole();
        let labels = self.labels.iter();
        let spans = labels.map(|label| clamp(label.span, self.file, text));
        let around = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        let around = around.unwrap_or(self.file.range().start..self.file.range().start);
        let start = text[..around.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[around.end..].find('\n');
        let end = end.map_or(text.len(), |at| around.end + at + 1);
        start..end.min(self.file.range().end)
    }
}

/// The span moved inside a file and onto character boundaries, so that rendering cannot fail.
fn clamp(span: Span, file: Span, text: &str) -> Range<usize> {
    let most = file.range().end.min(text.len());
    let start = floor((span.start as usize).min(most), text);
    let mut end = (span.end as usize).clamp(start, most.max(start));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// The last boundary of a character up to `at`.
fn floor(at: usize, text: &str) -> usize {
    let at = at.min(text.len());
    let boundary = |at: &usize| text.is_char_boundary(*at);
    (0..=at).rev().find(boundary).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_its_place_notes_and_help() {
        let file = SourceFile::new("a.cu", "int x = y;\n");
        let diagnostic = Diagnostic::error(Span::new(8, 9), "`y` is not defined")
            .label("not found here")
            .note("names are looked up from the inside out")
            .help("declare it first");
        let text = render(&diagnostic, &file, Style::Plain);
        for part in [
            "error: `y` is not defined",
            "a.cu:1:9",
            "^ not found here",
            "declare it",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn what_a_file_says_cannot_speak_to_the_terminal() {
        let text = "\x1b]52;c;YQ==\x07\u{202e} int x = y\u{9b}31m;\n";
        let file = SourceFile::new("a\x1b]0;t\x07.cu", text);
        let at = text.find('y').expect("is there");
        let diagnostic = Diagnostic::error(Span::new(at, at + 1), "\x1b[8m `y` \u{9d}")
            .label("\x1b[2J")
            .note("\u{202e}n")
            .help("\x1bc");
        let plain = render(&diagnostic, &file, Style::Plain);
        assert_eq!(printable(&plain), plain);
        assert!(plain.contains("a\u{241b}]0;t\u{2407}.cu:1:"), "{plain}");
        let lines: Vec<&str> = plain.lines().collect();
        let code = lines.iter().position(|line| line.contains("int x"));
        let code = code.expect("the line is shown");
        let column = |line: &str, of: char| line.chars().position(|c| c == of);
        assert_eq!(
            column(lines[code], 'y'),
            column(lines[code + 1], '^'),
            "{plain}"
        );
        // In colour, only what the renderer says of colours is left.
        let coloured = render(&diagnostic, &file, Style::Ansi);
        for sequence in coloured.split('\x1b').skip(1) {
            let end = sequence.find(|c: char| !matches!(c, '[' | ';' | '0'..='9'));
            assert_eq!(
                end.map(|end| &sequence[end..=end]),
                Some("m"),
                "{coloured:?}"
            );
        }
        assert!(!coloured.contains("\x1b[8m"), "{coloured:?}");
    }

    #[test]
    fn a_line_deep_in_a_long_file_is_shown_with_its_number() {
        let lines: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
        let file = SourceFile::new("a.md", &lines);
        let at = |line: &str| {
            let start = lines.find(line).expect("is there");
            Span::new(start + 5, start + line.len())
        };
        let begun = std::time::Instant::now();
        for _ in 0..1000 {
            let diagnostic = Diagnostic::error(at("line 19998"), "wrong");
            let text = render(&diagnostic, &file, Style::Plain);
            assert!(text.contains("a.md:19998:6"), "{text}");
            assert!(text.contains("19998 | line 19998\n"), "{text}");
        }
        // The whole text would be read a thousand times: minutes.
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        let both = Diagnostic::error(at("line 19998"), "wrong").also(at("line 4321"), "here");
        let text = render(&both, &file, Style::Plain);
        assert!(
            text.contains(" 4321 | line 4321\n") && text.contains("19998 | line 19998\n"),
            "{text}"
        );
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let file = SourceFile::new("a.cu", "\u{e9}");
        let diagnostic = Diagnostic::error(Span::new(1, 99), "past the end");
        assert!(render(&diagnostic, &file, Style::Plain).contains("past the end"));
    }
}
