//! Markdown to styled lines of a width.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::document::{GLUE, Highlighter, PYTHON, Role, Theme, fold, pad, styled, wrap};

/// The text as lines of at most `width` cells.
pub(crate) fn render(
    markdown: &str,
    width: usize,
    theme: Theme,
    highlighter: &Highlighter,
) -> Vec<Line<'static>> {
    let mut writer = Writer {
        width,
        theme,
        highlighter,
        lines: Vec::new(),
        pieces: Vec::new(),
        styles: vec![theme.style(Role::Text)],
        indents: Vec::new(),
        lists: Vec::new(),
        code: None,
        table: Table::default(),
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        writer.event(event);
    }
    // Every block leaves an empty line behind it; the last one has nothing to be apart from.
    while writer.lines.last().is_some_and(|line| line.width() == 0) {
        writer.lines.pop();
    }
    writer.lines
}

/// Most characters of code that stays on one line.
const WHOLE_CODE: usize = 24;
/// What a number belongs to that stands before it.
const UNITS: [&str; 12] = [
    "ns", "\u{b5}s", "us", "ms", "s", "%", "GB", "MB", "kB", "KiB", "MiB", "TB",
];

/// The text with glue where a line must not end: in `N = 10`, and between a number and its unit.
fn glued(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let (mut glued, mut last) = (String::new(), "");
    while let Some(word) = words.next() {
        glued.push_str(word);
        let Some(next) = words.peek() else { break };
        let begins_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let is_name = |text: &str| {
            let name = text.trim_start_matches('(');
            !name.is_empty() && name.len() <= 2 && name.chars().all(char::is_alphanumeric)
        };
        let is_equation = is_name(word) && *next == "=" || is_name(last) && word == "=";
        let unit = next.trim_end_matches(|c: char| ".,:;)".contains(c));
        let is_amount = begins_with_digit(word) && UNITS.contains(&unit);
        glued.push(if is_equation || is_amount { GLUE } else { ' ' });
        last = word;
    }
    glued
}

/// What stands before the lines of a nested block: the first of them, and the others.
struct Indent {
    first: Option<Span<'static>>,
    rest: Span<'static>,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

struct Writer<'a> {
    width: usize,
    theme: Theme,
    highlighter: &'a Highlighter,
    lines: Vec<Line<'static>>,
    pieces: Vec<(String, Style)>,
    styles: Vec<Style>,
    indents: Vec<Indent>,
    /// Number of the next item of each open list; nothing where items have no numbers.
    lists: Vec<Option<u64>>,
    /// The open code block: its language and text.
    code: Option<(String, String)>,
    table: Table,
}

impl Writer<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text),
            },
            Event::Code(code) => {
                // Code in a heading stays bold: its colour comes on top of the style around it.
                let style = self.style().patch(self.theme.style(Role::Code));
                let code = self.theme.text(&code).into_owned();
                // Short code stays on one line: broken, it is read wrong.
                let code = match code.chars().count() <= WHOLE_CODE {
                    true => code.replace(' ', &GLUE.to_string()),
                    false => code,
                };
                self.pieces.push((code, style));
            }
            Event::SoftBreak => self.push(" "),
            // `wrap` ends a line at a newline, and takes everything else that is blank as a gap that may be broken
            // at.
            Event::HardBreak => self.push("\n"),
            Event::Rule => {
                let line = self.theme.border().horizontal_top.repeat(self.width);
                self.lines
                    .push(Line::styled(line, self.theme.style(Role::Border)));
                self.blank();
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { .. } => self.styles.push(self.theme.style(Role::Heading)),
            Tag::Emphasis => self.modify(Modifier::ITALIC),
            Tag::Strong => self.modify(Modifier::BOLD),
            Tag::Link { .. } => self.modify(Modifier::UNDERLINED),
            Tag::BlockQuote(_) => {
                let bar = self.theme.glyph("\u{258e} ", "| ");
                let bar = Span::styled(bar, self.theme.style(Role::Accent));
                self.indents.push(Indent {
                    first: None,
                    rest: bar,
                });
            }
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Table(_) => self.table = Table::default(),
            Tag::TableHead | Tag::TableRow => self.table.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{:>2}. ", *number - 1)
            }
            _ => format!(" {} ", self.theme.glyph("\u{2022}", "*")),
        };
        let blanks = " ".repeat(mark.width());
        let mark = Span::styled(mark, self.theme.style(Role::Accent));
        self.indents.push(Indent {
            first: Some(mark),
            rest: Span::raw(blanks),
        });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::Paragraph => {
                self.flush();
                self.blank();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link => {
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.indents.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Item => {
                self.flush();
                self.indents.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                // Only the outermost list ends a paragraph: an inner one goes on in the item around it.
                if self.lists.is_empty() {
                    self.blank();
                }
            }
            TagEnd::TableCell => {
                let cell: String = self.pieces.drain(..).map(|piece| piece.0).collect();
                if let Some(row) = self.table.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        self.flush();
        self.styles.pop();
        if level == HeadingLevel::H1 {
            let width = self.lines.last().map_or(0, Line::width);
            let rule = self.theme.border().horizontal_top.repeat(width);
            self.lines
                .push(Line::styled(rule, self.theme.style(Role::Border)));
        }
        self.blank();
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else {
            return;
        };
        self.flush();
        let theme = self.theme;
        // A shell command in the colours of another language would mislead.
        let pieces = match language.as_str() {
            "cuda" | "cu" | "cpp" | "c++" | "c" => Some(self.highlighter.text(&code)),
            "python" | "py" => Some(self.highlighter.code(&code, PYTHON)),
            _ => None,
        };
        for (i, text) in code.lines().enumerate() {
            let line = match pieces.as_ref().and_then(|pieces| pieces.get(i)) {
                Some(pieces) => styled(text, pieces, theme),
                None => Line::styled(theme.text(text).into_owned(), theme.style(Role::Code)),
            };
            let (mut spans, _) = self.prefixes();
            spans.push(Span::raw("    "));
            spans.extend(line.spans);
            self.lines.extend(fold(Line::from(spans), self.width));
        }
        self.blank();
    }

    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.table).rows;
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let wide = widths.iter().map(|width| width + 3).sum::<usize>();
        // A table that would have no room is set closer.
        let gap = if wide <= self.width + 1 { "   " } else { " " };
        for (i, row) in rows.iter().enumerate() {
            let role = if i == 0 { Role::Strong } else { Role::Text };
            let cells = row.iter().zip(&widths);
            let cells: Vec<String> = cells
                .map(|(cell, &width)| pad(cell, width, self.theme))
                .collect();
            let line = Line::styled(format!("  {}", cells.join(gap)), self.theme.style(role));
            self.lines.extend(fold(line, self.width));
        }
        self.blank();
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn modify(&mut self, modifier: Modifier) {
        self.styles.push(self.style().add_modifier(modifier));
    }

    fn push(&mut self, text: &str) {
        let text = glued(&self.theme.text(text));
        self.pieces.push((text, self.style()));
    }

    /// What begins the next line, and those after it.
    fn prefixes(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let rest = self
            .indents
            .iter()
            .map(|indent| indent.rest.clone())
            .collect();
        let first = self.indents.iter_mut();
        let first = first.map(|indent| indent.first.take().unwrap_or_else(|| indent.rest.clone()));
        (first.collect(), rest)
    }

    /// Ends a block of text.
    fn flush(&mut self) {
        if self.pieces.is_empty() {
            return;
        }
        let (first, rest) = self.prefixes();
        let pieces = std::mem::take(&mut self.pieces);
        self.lines.extend(wrap(&pieces, self.width, &first, &rest));
    }

    /// One blank line, however often it is asked for.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Depth;

    fn text(markdown: &str, width: usize) -> String {
        let theme = Theme::new(Depth::True, true);
        let lines = render(markdown, width, theme, &Highlighter::default());
        let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        lines.join("\n")
    }

    #[test]
    fn sizes_and_short_code_are_not_broken() {
        assert_eq!(
            text("Try it at N = 100 and `count - 1 - i` in 157 \u{b5}s.", 11),
            "Try it at\nN = 100 and\ncount - 1 -\n i in\n157 \u{b5}s."
        );
    }

    #[test]
    fn blocks_become_lines() {
        let markdown = "# Title\n\nSome *emphasised* `code`, twice.\n\n1. one\n2. two\n   - in\n\n> quoted\n\n```cuda\nint x;\n```\n\n| a | bb |\n|---|----|\n| 1 | 2 |\n";
        let lines = [
            "Title",
            "\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}",
            "",
            "Some emphasised code,",
            "twice.",
            "",
            " 1. one",
            " 2. two",
            "     \u{2022} in",
            "",
            "\u{258e} quoted",
            "",
            "    int x;",
            "",
            "  a   bb",
            "  1   2 ",
        ];
        assert_eq!(text(markdown, 24), lines.join("\n"));
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        let markdown = "# A heading that is long enough to wrap\n\n- item with several words\n  > and a quote in it\n\n    int indented = 1; // long code\n\n| a | b |\n|---|---|\n| long cell | another long cell |\n";
        for width in 10..60 {
            for line in text(markdown, width).lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }
}
