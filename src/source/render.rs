//! Diagnostics as text, in rustc's form.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Severity};
use super::file::{SourceFile, Span};

/// Whether the text carries colour escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Characters only.
    Plain,
    /// With ANSI escapes.
    Ansi,
}

/// The diagnostic with the lines of `file` it points at, ending without a newline.
pub fn render(diagnostic: &Diagnostic, file: &SourceFile, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let snippet = diagnostic.labels.iter().fold(
        Snippet::source(file.text()).path(file.name()).fold(true),
        |snippet, label| {
            let kind = if label.primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let annotation = kind.span(clamp(label.span, file.text()));
            snippet.annotation(annotation.label(label.text.as_str()))
        },
    );
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .element(snippet);
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Ansi => Renderer::styled(),
    };
    renderer.render(&[group]).to_string()
}

/// The span moved inside the text and onto character boundaries, so that rendering cannot fail.
fn clamp(span: Span, text: &str) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
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
    fn spans_outside_the_text_do_not_panic() {
        let file = SourceFile::new("a.cu", "\u{e9}");
        let diagnostic = Diagnostic::error(Span::new(1, 99), "past the end");
        assert!(render(&diagnostic, &file, Style::Plain).contains("past the end"));
    }
}
