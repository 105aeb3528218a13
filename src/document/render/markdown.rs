//! Blocks as Markdown that any forge shows: tables of pipes, sources in fences.

use std::borrow::Cow;

use super::plain::margin;
use crate::document::block::{Block, Table};

/// `blocks` as Markdown, ending with a newline.
pub(crate) fn markdown<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> String {
    let blocks: Vec<String> = blocks.into_iter().map(block).collect();
    blocks.join("\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Title { title, summary } => format!("# {}\n\n{summary}\n", escaped(title)),
        Block::Prose(text) => deeper(text),
        Block::Heading { title, id } => format!("### {} (`{id}`)\n", escaped(title)),
        Block::Table(of) => table(of),
        Block::Source(listing) => bold(&listing.caption()) + &fenced("cuda", &margin(listing)),
        Block::Verdict {
            title,
            mark,
            text,
            detail,
        } => {
            let verdict = format!("{}{} {}", bold(title), mark.glyph(), escaped(text));
            match detail.as_str() {
                "" => verdict + "\n",
                // A backslash at a line's end breaks it without beginning a paragraph.
                detail => format!("{verdict}\\\n{}\n", escaped(detail)),
            }
        }
        Block::Lines {
            title,
            lines,
            is_code,
        } => {
            let items = |line: &String| format!("- {}\n", escaped(line));
            let text = match is_code {
                true => fenced("text", lines),
                false => lines.iter().map(items).collect(),
            };
            bold(title) + &text
        }
        Block::Note(text) => format!("*{}*\n", escaped(text)),
        Block::Paragraph(text) => format!("{}\n", escaped(text)),
        Block::Folded { blocks, .. } => markdown(blocks),
        Block::Drawing { title, lines, .. } => bold(title) + &fenced("text", lines),
    }
}

/// A title on a line of its own, if there is one.
fn bold(title: &str) -> String {
    match title {
        "" => String::new(),
        title => format!("**{}**\n\n", escaped(title)),
    }
}

/// Lines in a fence longer than any in them.
fn fenced(language: &str, lines: &[String]) -> String {
    // A fence ends at the first line that begins with as many ticks (CommonMark 0.31, fenced code blocks).
    let ticks = |line: &String| line.len() - line.trim_start_matches('`').len();
    let longest = lines.iter().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Words on the left, numbers on the right. Markdown wants a header: an empty one where there is none.
fn table(table: &Table) -> String {
    let columns = table.columns();
    let line = |cells: &[String]| {
        let cells = (0..columns).map(|column| cells.get(column).map_or("", String::as_str));
        let cells: Vec<Cow<str>> = cells.map(escaped).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = (0..columns).map(|column| match table.is_words(column) {
        true => "---|",
        false => "--:|",
    });
    let mut text = bold(&table.title) + &line(&table.header);
    text += &format!("|{}\n", rule.collect::<String>());
    text + &table.rows.iter().map(|row| line(row)).collect::<String>()
}

/// A lesson's text with its headings one level deeper, below the title. Fenced code is left as it is.
fn deeper(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut in_code = false;
    for line in text.trim_end().lines() {
        // `#include` in a block of code is no heading.
        in_code ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !in_code {
            out.push('#');
        }
        out += line;
        out.push('\n');
    }
    out
}

/// `text` with what Markdown would take for its own marked as text.
fn escaped(text: &str) -> Cow<'_, str> {
    const MARKS: [char; 8] = ['\\', '|', '*', '_', '<', '[', ']', '#'];
    if !text.contains(MARKS) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if MARKS.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_pipes_and_their_cells_none() {
        let rows = vec![vec!["a|b", "1"], vec!["row_max", "2"]];
        let text = table(&Table::new("Counts (counted)", &["", "reads"], 1, rows));
        let expected =
            "**Counts (counted)**\n\n|  | reads |\n|---|--:|\n| a\\|b | 1 |\n| row\\_max | 2 |\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn headings_go_below_the_title_but_not_those_of_code() {
        let text = "# One\n\n```text\n# no heading\n```\n\n## Two\n";
        assert_eq!(
            deeper(text),
            "## One\n\n```text\n# no heading\n```\n\n### Two\n"
        );
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        let lines = ["```".to_owned(), "x".to_owned()];
        assert_eq!(fenced("", &lines), "````\n```\nx\n````\n");
    }
}
