//! Blocks as plain text of 80 columns or so, for a terminal, a mail, or ears.

use super::prose;
use crate::document::block::{Block, Listing, Table};
use crate::document::columns::{columns, or_dash};
use crate::source::printable;

/// `blocks` as text.
pub fn plain(blocks: &[Block]) -> String {
    let text: String = blocks.iter().map(block).collect();
    printable(&text).into_owned()
}

fn block(block: &Block) -> String {
    match block {
        Block::Title { title, summary } => {
            // Underlined as in a mail: no escape sequences, so that it reads anywhere.
            let line = "=".repeat(title.chars().count());
            format!("{title}\n{line}\n{}", prose::render(summary))
        }
        Block::Prose(markdown) => format!("\n{}", prose::render(markdown)),
        Block::Heading { title, id } => {
            let text = format!("{title} [{id}]");
            format!("\n{text}\n{}\n", "-".repeat(text.chars().count()))
        }
        Block::Table(table) => titled(&table.title, &rows(table)),
        Block::Source(listing) => source(listing),
        Block::Verdict {
            title,
            mark,
            text,
            detail,
        } => {
            let detail = match detail.as_str() {
                "" => String::new(),
                detail => format!("    {detail}\n"),
            };
            titled(title, &format!("  {} {text}\n{detail}", mark.glyph()))
        }
        Block::Folded { blocks, .. } => plain(blocks),
        Block::Drawing { title, lines, .. } => match title.as_str() {
            "" => titled("", &indented(lines)),
            title => format!("\n{title}\n\n{}", indented(lines)),
        },
        Block::Lines { title, lines, .. } if title.is_empty() => indented(lines),
        Block::Lines { title, lines, .. } => titled(title, &indented(lines)),
        Block::Note(text) => format!("\n  {text}\n"),
        Block::Paragraph(text) => format!("\n{text}\n"),
    }
}

fn indented(lines: &[String]) -> String {
    let lines = lines.iter();
    lines
        .map(|line| format!("  {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// `text` under a title and an empty line.
fn titled(title: &str, text: &str) -> String {
    match title {
        "" => format!("\n{text}"),
        title => format!("\n{title}\n{text}"),
    }
}

fn rows(table: &Table) -> String {
    let header = Some(table.header.clone()).filter(|header| !header.is_empty());
    let mut rows: Vec<Vec<String>> = header.into_iter().chain(table.rows.clone()).collect();
    if !table.ends_in_words {
        return columns(&rows, table.left);
    }
    // The last column is set apart before the others are aligned: words on the right end where they end.
    let words: Vec<String> = rows.iter_mut().filter_map(Vec::pop).collect();
    let lines = columns(&rows, table.left);
    let lines = lines.lines().zip(words);
    lines
        .map(|(numbers, words)| format!("{numbers}  {words}").trim_end().to_owned() + "\n")
        .collect()
}

/// The text, each line behind what it read and wrote.
fn source(listing: &Listing) -> String {
    let mut text = format!("\n{}\n", listing.caption());
    for line in margin(listing) {
        text += format!("  {line}").trim_end();
        text.push('\n');
    }
    text
}

/// The lines of a listing, a heading first where anything was counted.
pub(crate) fn margin(listing: &Listing) -> Vec<String> {
    let numbered = listing.numbered();
    if !listing.is_counted {
        let lines = numbered.map(|(i, line)| format!("{i:3}  {}", line.text));
        return lines.collect();
    }
    let shown = |number: u64| match number {
        0 => String::new(),
        number => or_dash(number),
    };
    let mut rows = vec![(String::from("reads"), String::from("writes"), String::new())];
    // A line that moved nothing has a blank margin: the lines that matter stand out.
    rows.extend(numbered.map(|(i, line)| {
        let text = format!("{i:3}  {}", line.text);
        (shown(line.reads), shown(line.writes), text)
    }));
    let reads = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let writes = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let lines = rows.into_iter().map(|(read, written, text)| {
        let line = format!("{read:>reads$}  {written:>writes$} \u{2502} {text}");
        line.trim_end().to_owned()
    });
    lines.collect()
}
