//! A lesson's Markdown to a [`Lesson`], or to diagnostics in its file.
//!
//! ````text
//! +++
//! id = "softmax"
//! [sizes.M]
//! label = "rows"
//! +++
//! # Prose, cut at its headings
//!
//! ```run naive
//! title = "Five kernels"
//! ```
//! ````

mod kinds;

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::course::{self, read_course};
use super::figure::check_figures;
use super::reader::{Context, Findings, Placed, Table};
use super::run::read_recordings;
use super::{Cell, Lesson, Markdown, OtherLessons, ProseCell, Size};
use crate::source::{Diagnostic, SourceFile, Span};
use kinds::{LessonText, read_cells};
use values::read_values;

/// The kernels that a lesson may name.
pub struct KernelFiles<'a> {
    /// Their names, for messages: `softmax/naive.cu`.
    pub names: Vec<String>,
    /// The text of one.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// A part of a lesson, as a range of its file.
enum Piece {
    Prose(Range<usize>),
    Cell(Fence),
    /// What a speaker says of the piece before, and the first byte of it.
    Notes(usize, String),
}

/// A fenced block that holds a cell: its info string is two words.
struct Fence {
    kind: String,
    id: String,
    /// The block with its fences.
    block: Range<usize>,
    /// What stands between them.
    body: Range<usize>,
}

impl Lesson {
    /// Reads a lesson. It is there only if no diagnostic is an error.
    pub fn parse(
        file: &SourceFile,
        kernels: &KernelFiles,
        others: &OtherLessons,
    ) -> (Option<Lesson>, Vec<Diagnostic>) {
        let mut findings = Findings::default();
        let lesson = read_lesson(file, kernels, others, &mut findings);
        let mut diagnostics = findings.diagnostics;
        diagnostics.sort_by_key(|found| found.span().start);
        (lesson.filter(|_| diagnostics.is_empty()), diagnostics)
    }
}

fn read_lesson(
    file: &SourceFile,
    kernels: &KernelFiles,
    others: &OtherLessons,
    findings: &mut Findings,
) -> Option<Lesson> {
    let text = file.text();
    let Some(front) = front_matter(text) else {
        let first_line = text.lines().next().map_or(0, str::len);
        findings.add(
            Diagnostic::error(Span::new(0, first_line), "the lesson has no front matter")
                .label("the first line should be `+++`")
                .help("begin the file with TOML between two lines of `+++`: id, title, summary, minutes and sizes"),
        );
        return None;
    };
    let lesson = read_front(text, front.clone(), others, findings)?;
    let sizes = &lesson.sizes;
    let body = front.end + text[front.end..].find('\n').map_or(0, |at| at + 1);
    let mut cells: Vec<(usize, Cell)> = Vec::new();
    let mut fences: Vec<Fence> = Vec::new();
    let mut notes: Vec<(usize, String)> = Vec::new();
    for piece in pieces(text, body) {
        match piece {
            Piece::Prose(range) => {
                let markdown = Markdown::plain(&text[range.clone()]);
                cells.push((range.start, Cell::Prose(ProseCell { markdown })));
            }
            Piece::Cell(fence) => fences.push(fence),
            Piece::Notes(at, markdown) => notes.push((at, markdown)),
        }
    }
    let lesson_text = LessonText {
        text,
        sizes,
        values: &lesson.values,
        kernels,
    };
    let others = read_cells(&fences, &mut cells, &lesson_text, findings);
    cells.extend(others);
    cells.sort_by_key(|(at, _)| *at);
    let notes = notes_by_cell(notes, &cells);
    let digests = digests(&fences, &cells, text);
    check_figures(&mut cells, text, findings);
    let cells = cells.into_iter().map(|(_, cell)| cell).collect();
    Some(Lesson {
        cells,
        notes,
        digests,
        ..lesson
    })
}

/// Speaker notes, each with the cell that it stands behind; those before all cells with the first.
fn notes_by_cell(notes: Vec<(usize, String)>, cells: &[(usize, Cell)]) -> BTreeMap<usize, String> {
    let mut by_cell: BTreeMap<usize, String> = BTreeMap::new();
    for (at, markdown) in notes {
        let cell = cells.partition_point(|&(start, _)| start < at);
        let of_cell = by_cell.entry(cell.saturating_sub(1)).or_default();
        if !of_cell.is_empty() {
            of_cell.push_str("\n\n");
        }
        of_cell.push_str(&markdown);
    }
    by_cell
}

/// The speaker notes in a comment, `<!-- notes: … -->`.
fn notes_in(html: &str) -> Option<&str> {
    let inside = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    Some(inside.trim().strip_prefix("notes:")?.trim())
}

/// The digest of each cell that has an id.
fn digests(fences: &[Fence], cells: &[(usize, Cell)], text: &str) -> BTreeMap<String, String> {
    let with_cell = fences.iter().filter_map(|fence| {
        let (_, cell) = cells.iter().find(|(at, _)| *at == fence.block.start)?;
        Some((fence.id.clone(), cell.digest(&text[fence.body.clone()])))
    });
    with_cell.collect()
}

/// What the lesson `text` requires to come before it; nothing if its front matter does not read.
pub(super) fn required_by(text: &str) -> Vec<String> {
    let front = front_matter(text).map(|range| &text[range]);
    front.map_or_else(Vec::new, course::required_by)
}

/// What stands between the first line, `+++`, and the next such line.
fn front_matter(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        match (start, line.trim_end() == "+++") {
            (None, true) => start = Some(at + line.len()),
            (None, false) => return None,
            (Some(start), true) => return Some(start..at),
            (Some(_), false) => {}
        }
        at += line.len();
    }
    None
}

/// The lesson without cells, with guesses for what is missing so that cells still read; nothing if it is no
/// TOML.
fn read_front(
    file: &str,
    range: Range<usize>,
    others: &OtherLessons,
    findings: &mut Findings,
) -> Option<Lesson> {
    let context = Context {
        file,
        base: range.start,
        values: &[],
    };
    let mut table = Table::parse(&file[range], context, "the front matter", findings)?;
    let id = table.string("id", findings);
    let title = table.string("title", findings);
    let summary = table.string("summary", findings);
    let minutes = table.integer("minutes", findings);
    let name = id.as_ref().map(|id| id.value.as_str());
    let course = read_course(&mut table, name, others, findings);
    let sizes = table.optional_table("sizes", "the list of sizes", findings);
    let values = table.optional_table("values", "the list of values", findings);
    let recordings = table.tables("recordings", "a recording", false, findings);
    table.finish(findings);
    let sizes = sizes.map(|sizes| sizes.tables_by_key("a size", findings));
    let sizes = sizes.into_iter().flatten();
    let sizes: Vec<Size> = sizes
        .map(|(name, table)| read_size(name, table, findings))
        .collect();
    let values = values.map(|table| read_values(table, &sizes, findings));
    let recordings = read_recordings(recordings, &sizes, findings);
    Some(Lesson {
        id: id.map(|id| id.value).unwrap_or_default(),
        title: title.map(|title| title.value).unwrap_or_default(),
        summary: summary.map(|summary| summary.value).unwrap_or_default(),
        minutes: minutes.map_or(0, |minutes| {
            u32::try_from(minutes.value).unwrap_or(u32::MAX)
        }),
        course,
        sizes,
        begins: BTreeMap::new(),
        values: values.unwrap_or_default(),
        recordings,
        cells: Vec::new(),
        notes: BTreeMap::new(),
        digests: BTreeMap::new(),
    })
}

/// The size, with guesses for what is missing so that formulas over it still read.
fn read_size(name: Placed<String>, mut table: Table, findings: &mut Findings) -> Size {
    let label = table.string("label", findings);
    let default = table.integer("default", findings);
    let values = table.optional_integers("values", findings);
    let (min, max) = match &values {
        Some(values) => (values.first().cloned(), values.last().cloned()),
        None => (
            table.integer("min", findings),
            table.integer("max", findings),
        ),
    };
    table.finish(findings);
    let values: Vec<u64> = values
        .into_iter()
        .flatten()
        .map(|value| value.value)
        .collect();
    if let Some(default) = &default
        && !values.is_sorted() | (!values.is_empty() && !values.contains(&default.value))
    {
        let message = "`values` are in order, and the default is one of them";
        findings.add(Diagnostic::error(default.span, message));
    }
    if let (Some(default), Some(min), Some(max)) = (&default, &min, &max)
        && !(min.value..=max.value).contains(&default.value)
    {
        let range = format!("{} to {}", min.value, max.value);
        let message = format!("the default is outside of the range, which is {range}");
        findings.add(Diagnostic::error(default.span, message));
    }
    Size {
        name: name.value,
        label: label.map(|label| label.value).unwrap_or_default(),
        default: default.map_or(1, |default| default.value),
        min: min.map_or(1, |min| min.value),
        max: max.map_or(u64::MAX, |max| max.value),
        values,
    }
}

/// Prose cut at its headings, and cells, in order.
fn pieces(text: &str, body: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut prose_start = body;
    let mut depth = 0_usize;
    let mut fence: Option<Fence> = None;
    let mut flush = |range: Range<usize>, then: Option<Piece>| {
        if !text[range.clone()].trim().is_empty() {
            pieces.push(Piece::Prose(range));
        }
        pieces.extend(then);
    };
    for (event, range) in Parser::new(&text[body..]).into_offset_iter() {
        let range = range.start + body..range.end + body;
        match &event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => {
                flush(prose_start..range.start, None);
                prose_start = range.start;
            }
            Event::Start(Tag::HtmlBlock) if depth == 0 => {
                if let Some(notes) = notes_in(&text[range.clone()]) {
                    let notes = Piece::Notes(range.start, notes.to_owned());
                    flush(prose_start..range.start, Some(notes));
                    prose_start = range.end;
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if depth == 0 => {
                fence = Fence::new(info, range.clone());
            }
            Event::Text(_) => {
                if let Some(fence) = &mut fence {
                    fence.body.start = fence.body.start.min(range.start);
                    fence.body.end = range.end;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(fence) = fence.take() {
                    flush(prose_start..range.start, Some(Piece::Cell(fence)));
                    prose_start = range.end;
                }
            }
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    flush(prose_start..text.len(), None);
    pieces
}

impl Fence {
    fn new(info: &str, block: Range<usize>) -> Option<Self> {
        let (kind, id) = info.trim().split_once(' ')?;
        Some(Fence {
            kind: kind.to_owned(),
            id: id.trim().to_owned(),
            body: block.end..block.end,
            block,
        })
    }

    /// The line that opens it.
    fn head(&self, text: &str) -> Span {
        let line = text[self.block.clone()].lines().next().unwrap_or("");
        Span::new(self.block.start, self.block.start + line.len())
    }
}

#[cfg(test)]
mod tests;
mod values;
