//! Markdown as plain text of 80 columns: what a person would write in a mail.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use crate::document::columns::columns;

/// Widest line of prose. Code is never wrapped.
const WIDTH: usize = 80;

/// `markdown` as text, ending with a newline.
pub(crate) fn render(markdown: &str) -> String {
    let mut page = PlainText::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    page.flush();
    page.text
}

#[derive(Default)]
struct PlainText {
    text: String,
    /// Words of the paragraph being read.
    paragraph: String,
    /// Open lists: the number of the next item, where items have numbers.
    lists: Vec<Option<u64>>,
    /// What the next paragraph begins with: a mark of a list.
    mark: String,
    heading: Option<HeadingLevel>,
    in_code: bool,
    /// Cells of the open table, its header first.
    rows: Vec<Vec<String>>,
}

impl PlainText {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.code(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.paragraph += &text;
            }
            // Ticks stay: they tell names from words, for ears as well.
            Event::Code(code) => self.paragraph += &format!("`{code}`"),
            Event::SoftBreak | Event::HardBreak => self.paragraph.push(' '),
            Event::Rule => self.text += &format!("\n{}\n", "-".repeat(WIDTH)),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some(level),
            // The first paragraph of an item stands behind its mark.
            Tag::Paragraph if self.mark.is_empty() => self.gap(),
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.flush();
                self.gap();
                self.in_code = true;
            }
            Tag::Table(_) => self.gap(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.paragraph);
                self.rows.last_mut().expect("a cell has a row").push(cell);
            }
            TagEnd::Table => self.table(),
            _ => {}
        }
    }

    /// An empty line, but not at the beginning.
    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn code(&mut self, code: &str) {
        for line in code.lines() {
            self.text += format!("    {line}").trim_end();
            self.text.push('\n');
        }
    }

    /// Writes the table that was read: in columns, or if those are too wide row by row, each cell behind its header.
    fn table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let lines = columns(&rows, usize::MAX);
        if lines.lines().all(|line| line.width() <= WIDTH) {
            self.text += &lines;
            return;
        }
        let (header, rows) = rows.split_first().expect("a table has a header");
        for row in rows {
            let cells = row.iter().zip(header).filter(|(cell, _)| !cell.is_empty());
            let cells: Vec<String> = cells.map(|(cell, of)| format!("{of}: {cell}")).collect();
            self.text += &wrap(&cells.join("; "), "  - ", "    ");
        }
    }

    /// Writes the paragraph that was read.
    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.trim().is_empty() {
            return;
        }
        // A heading is underlined to its width in cells, which is not its number of bytes.
        if let Some(level) = self.heading.take() {
            self.gap();
            let line = if level == HeadingLevel::H1 { "=" } else { "-" };
            self.text += &format!("{paragraph}\n{}\n", line.repeat(paragraph.width()));
            return;
        }
        let mark = std::mem::take(&mut self.mark);
        // Lists are set in by two, and lists in lists by two more.
        let outer = "  ".repeat(self.lists.len());
        let first = format!("{outer}{mark}");
        let hanging = " ".repeat(first.width());
        self.text += &wrap(&paragraph, &first, &hanging);
    }
}

/// Words of `text` in lines of at most 80 columns; a longer word has a line of its own.
fn wrap(text: &str, first: &str, hanging: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut has_word = false;
    for word in text.split_whitespace() {
        if has_word && line.width() + 1 + word.width() > WIDTH {
            lines += &format!("{line}\n");
            line = hanging.to_owned();
            has_word = false;
        }
        if has_word {
            line.push(' ');
        }
        line += word;
        has_word = true;
    }
    lines + &format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_plain_text() {
        let text = render(
            "# Title\n\nSome *words* and `code`\nin one paragraph.\n\n1. one\n2. two\n   more\n\n```c\nx;\n\ny;\n```\n- **a**\n",
        );
        let expected = "Title\n=====\n\nSome words and `code` in one paragraph.\n\n  1. one\n  2. two more\n\n    x;\n\n    y;\n\n  - a\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_table_has_columns_while_they_fit_and_else_a_line_per_row() {
        let text = render("a\n\n| one | `two` |\n| --- | --- |\n| 1 | |\n| 10 | x |\n\nb\n");
        assert_eq!(text, "a\n\n  one  `two`\n  1\n  10   x\n\nb\n");
        let long = "word ".repeat(20);
        let text = render(&format!("| one | two |\n|---|---|\n| 1 | {long} |\n"));
        assert!(text.starts_with("  - one: 1; two: word word"), "{text}");
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
    }

    #[test]
    fn lines_have_at_most_eighty_columns() {
        let text = render(&format!("- {}", "word ".repeat(60)));
        assert!(text.lines().all(|line| line.width() <= WIDTH));
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.starts_with("    word"))
        );
    }
}
