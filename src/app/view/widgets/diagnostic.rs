//! Diagnostics as the compiler shows them, in the theme's colours.

use ansi_to_tui::IntoText;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::canvas::Canvas;
use crate::document::{Role, Theme};
use crate::source::{self, Diagnostic, Severity, SourceFile};

/// A diagnostic as the compiler shows it.
pub(crate) fn diagnostic(
    canvas: &Canvas,
    file: &SourceFile,
    diagnostic: &Diagnostic,
) -> Vec<Line<'static>> {
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
