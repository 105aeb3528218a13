//! Diagnostics as the compiler shows them, in the theme's colours.

use ansi_to_tui::IntoText;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::canvas::Canvas;
use crate::document::{Role, Theme};
use crate::source::{self, Diagnostic, Severity, SourceFile};

/// A diagnostic as the compiler shows it; as sentences where its marks would not stand under their code in `width` cells.
pub(crate) fn diagnostic(
    canvas: &Canvas,
    file: &SourceFile,
    diagnostic: &Diagnostic,
    width: usize,
) -> Vec<Line<'static>> {
    let marked = marked(canvas, file, diagnostic);
    match marked.iter().any(|line| line.width() > width) {
        true => message_lines(canvas, file, diagnostic, width),
        false => marked,
    }
}

/// What was found, what to try, what is said of each place, and facts.
fn message_lines(
    canvas: &Canvas,
    file: &SourceFile,
    diagnostic: &Diagnostic,
    width: usize,
) -> Vec<Line<'static>> {
    let first = diagnostic.labels.first();
    let place = first.map_or(1, |label| file.line(label.span.start));
    let name = diagnostic.severity.word();
    let message = format!("line {place}: {name}: {}", diagnostic.message);
    let role = severity_role(diagnostic.severity);
    let mut lines = canvas.paragraph(&message, role, width, 0);
    let labels = diagnostic
        .labels
        .iter()
        .filter(|label| !label.text.is_empty());
    let labels = labels.map(|label| {
        let line = file.line(label.span.start);
        let code = file.slice(label.span).lines().next().unwrap_or("").trim();
        match line == place {
            true => format!("`{code}`: {}", label.text),
            false => format!("line {line}, `{code}`: {}", label.text),
        }
    });
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    // What to try comes first: the rest may be below the last row.
    for text in help.chain(labels).chain(diagnostic.notes.iter().cloned()) {
        lines.extend(canvas.paragraph(&text, Role::Text, width, 2));
    }
    lines.push(Line::default());
    lines
}

fn marked(canvas: &Canvas, file: &SourceFile, diagnostic: &Diagnostic) -> Vec<Line<'static>> {
    let text = source::render(diagnostic, file, source::Style::Ansi);
    let theme = canvas.theme();
    let parsed = text
        .into_text()
        .map_or_else(|_| Vec::new(), |text| text.lines);
    let mut lines: Vec<Line<'static>> = parsed
        .into_iter()
        .map(|line| {
            let spans = line.spans.into_iter().map(|span| {
                let style = in_theme(span.style, theme);
                Span::styled(theme.text(&span.content).into_owned(), style)
            });
            Line::from(spans.collect::<Vec<_>>())
        })
        .collect();
    lines.push(Line::default());
    lines
}

/// The style of words that say what was found.
pub(crate) fn severity_role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Bad,
        Severity::Warning => Role::Warning,
        Severity::Remark => Role::Accent,
    }
}

/// The same in the theme's colours. Resets come as colours; here they mean none.
fn in_theme(style: Style, theme: Theme) -> Style {
    Style {
        fg: style.fg.and_then(|colour| theme.named(colour)),
        // A reset comes as a colour: as a ground it would show as a block on a page that has its own.
        bg: None,
        underline_color: None,
        ..style
    }
}
