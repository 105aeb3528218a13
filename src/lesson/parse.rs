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

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::quote::fill_quotes;
use super::run_cell::read_run_cell;
use super::table::{Context, Findings, Placed, Table};
use super::{Cell, Lesson, ProseCell, Size};
use crate::source::{Diagnostic, SourceFile, Span, nearest};

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
    pub fn parse(file: &SourceFile, kernels: &KernelFiles) -> (Option<Lesson>, Vec<Diagnostic>) {
        let mut findings = Findings::default();
        let lesson = read_lesson(file, kernels, &mut findings);
        let diagnostics = findings.diagnostics;
        (lesson.filter(|_| diagnostics.is_empty()), diagnostics)
    }
}

fn read_lesson(
    file: &SourceFile,
    kernels: &KernelFiles,
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
    let lesson = read_front(text, front.clone(), findings);
    let sizes = lesson.as_ref().map_or(&[][..], |lesson| &lesson.sizes);
    let body = front.end + text[front.end..].find('\n').map_or(0, |at| at + 1);
    let mut cells: Vec<(usize, Cell)> = Vec::new();
    let mut ids: Vec<(String, Span)> = Vec::new();
    for piece in pieces(text, body) {
        match piece {
            Piece::Prose(range) => {
                let markdown = text[range.clone()].to_owned();
                cells.push((range.start, Cell::Prose(ProseCell { markdown })));
            }
            Piece::Cell(fence) => {
                let at = fence.block.start;
                check_id(&fence, text, &mut ids, findings);
                let cell = read_cell(&fence, text, sizes, kernels, findings);
                cells.extend(cell.map(|cell| (at, cell)));
            }
        }
    }
    fill_quotes(&mut cells, findings);
    let cells = cells.into_iter().map(|(_, cell)| cell).collect();
    Some(Lesson { cells, ..lesson? })
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

fn read_front(file: &str, range: Range<usize>, findings: &mut Findings) -> Option<Lesson> {
    let context = Context {
        file,
        base: range.start,
    };
    let mut table = Table::parse(&file[range], context, "the front matter", findings)?;
    let id = table.string("id", findings);
    let title = table.string("title", findings);
    let summary = table.string("summary", findings);
    let minutes = table.integer("minutes", findings);
    let sizes = table.optional_table("sizes", "the list of sizes", findings);
    table.finish(findings);
    let sizes = sizes.map(|sizes| sizes.tables_by_key("a size", findings));
    let sizes = sizes.into_iter().flatten();
    let sizes = sizes
        .map(|(name, table)| read_size(name, table, findings))
        .collect();
    Some(Lesson {
        id: id?.value,
        title: title?.value,
        summary: summary?.value,
        minutes: u32::try_from(minutes?.value).unwrap_or(u32::MAX),
        sizes,
        cells: Vec::new(),
    })
}

/// The size, with guesses for what is missing so that formulas over it still read.
fn read_size(name: Placed<String>, mut table: Table, findings: &mut Findings) -> Size {
    let label = table.string("label", findings);
    let default = table.integer("default", findings);
    let min = table.integer("min", findings);
    let max = table.integer("max", findings);
    table.finish(findings);
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
    }
}

/// Prose cut at its headings, and cells, in order.
fn pieces(text: &str, body: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut prose_start = body;
    let mut depth = 0_usize;
    let mut fence: Option<Fence> = None;
    let mut flush = |range: Range<usize>, cell: Option<Fence>| {
        if !text[range.clone()].trim().is_empty() {
            pieces.push(Piece::Prose(range));
        }
        pieces.extend(cell.map(Piece::Cell));
    };
    for (event, range) in Parser::new(&text[body..]).into_offset_iter() {
        let range = range.start + body..range.end + body;
        match &event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => {
                flush(prose_start..range.start, None);
                prose_start = range.start;
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
                    flush(prose_start..range.start, Some(fence));
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

fn check_id(fence: &Fence, text: &str, ids: &mut Vec<(String, Span)>, findings: &mut Findings) {
    let head = fence.head(text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !fence.id.chars().all(is_name) {
        let message = format!("`{}` is not a name for a cell", fence.id);
        findings.add(
            Diagnostic::error(head, message)
                .help("use letters, digits, `-` and `_` after the kind"),
        );
    }
    match ids.iter().find(|(id, _)| *id == fence.id) {
        Some((_, first)) => findings.add(
            Diagnostic::error(head, format!("there is another cell `{}`", fence.id))
                .also(*first, "the first one"),
        ),
        None => ids.push((fence.id.clone(), head)),
    }
}

fn read_cell(
    fence: &Fence,
    text: &str,
    sizes: &[Size],
    kernels: &KernelFiles,
    findings: &mut Findings,
) -> Option<Cell> {
    if fence.kind != "run" {
        let message = format!("there is no cell of the kind `{}`", fence.kind);
        let diagnostic = Diagnostic::error(fence.head(text), message);
        let guess = nearest(&fence.kind, ["run"]);
        findings.add(match guess.first() {
            Some(guess) => diagnostic.help(format!("perhaps `{guess}` is meant")),
            None => diagnostic
                .help("cells are `run ID`; the info string of code in the prose is one word"),
        });
        return None;
    }
    let context = Context {
        file: text,
        base: fence.body.start,
    };
    let table = Table::parse(&text[fence.body.clone()], context, "a run cell", findings)?;
    let cell = read_run_cell(&fence.id, fence.head(text), table, sizes, kernels, findings)?;
    Some(Cell::Run(Box::new(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lesson that reads; tests break it in one place.
    const LESSON: &str = r#"+++
id = "copy"
title = "Copy"
summary = "Moves data"
minutes = 1

[sizes.N]
label = "elements"
default = 8
min = 1
max = 64
+++
Before the heading.

# One

It reads {{copy: distinct elements read}}.

```cuda
int not_a_cell;
```

## Two

```run copy
title = "Copy"
source = "copy.cu"
taps = ["y"]

[[buffers]]
name = "x"
type = "f32"
shape = ["2*N"]
init = "ramp"

[[launches]]
kernel = "copy"
grid = ["ceil_div(N, 4)", 1]
block = [4]
arguments = ["x", "N"]

[formulas]
"distinct elements read" = "2*N"

[verify]
buffer = "x"
against = "softmax_rows"
inputs = ["x"]
sizes = [1, "N"]
tolerance = 1e-6
```

After.
"#;

    fn parse(text: &str) -> (Option<Lesson>, Vec<Diagnostic>) {
        let kernels = KernelFiles {
            names: vec!["copy.cu".to_owned()],
            read: &|name| (name == "copy.cu").then(|| "// text".to_owned()),
        };
        Lesson::parse(&SourceFile::new("copy.md", text), &kernels)
    }

    #[test]
    fn prose_is_cut_at_headings_and_cells() {
        let (lesson, diagnostics) = parse(LESSON);
        assert_eq!(diagnostics, []);
        let lesson = lesson.expect("reads");
        let cells: Vec<&str> = lesson
            .cells
            .iter()
            .map(|cell| match cell {
                Cell::Prose(prose) => prose.markdown.trim(),
                Cell::Run(run) => run.id.as_str(),
            })
            .collect();
        let one = "# One\n\nIt reads 2N.\n\n```cuda\nint not_a_cell;\n```";
        assert_eq!(
            cells,
            ["Before the heading.", one, "## Two", "copy", "After."]
        );
        let run = lesson.run_cell("copy").expect("is there");
        assert_eq!(run.launches[0].grid[0].text(), "ceil_div(N, 4)");
        assert_eq!(run.launches[0].block[2].text(), "1");
    }

    /// Each mistake: what is replaced by what, the text the message points at, and what it says.
    const MISTAKES: [(&str, &str, &str, &str); 25] = [
        ("+++\nid", "id", "id = \"copy\"", "no front matter"),
        ("id = \"copy\"", "id = copy", "copy", "not TOML"),
        ("minutes = 1", "minutse = 1", "minutse", "perhaps `minutes`"),
        ("minutes = 1", "minutes = \"1\"", "\"1\"", "whole number"),
        ("default = 8", "default = 65", "65", "1 to 64"),
        ("max = 64", "maximum = 64", "maximum", "has no `maximum`"),
        ("run copy", "rum copy", "```rum copy", "perhaps `run`"),
        ("run copy", "run a b", "```run a b", "not a name"),
        ("source = \"copy.cu\"", "", "```run copy", "needs `source`"),
        (
            "\"copy.cu\"",
            "\"copi.cu\"",
            "\"copi.cu\"",
            "perhaps `copy.cu`",
        ),
        ("\"f32\"", "\"f31\"", "\"f31\"", "perhaps `f32`"),
        ("\"ramp\"", "\"rampe\"", "\"rampe\"", "one of zero"),
        (
            "name = \"x\"",
            "name = \"N\"",
            "\"N\"",
            "a size `N` already",
        ),
        ("\"2*N\"]", "\"2*\"]", "\"", "it ends where"),
        ("\"2*N\"]", "\"2*K\"]", "\"2*K\"", "`K` is not a size"),
        ("\"2*N\"]", "true]", "true", "a formula is expected"),
        (
            "ceil_div(N, 4)",
            "cel_div(N, 4)",
            "cel_div",
            "perhaps `ceil_div`",
        ),
        (
            "block = [4]",
            "block = [4, 1, 1, 1]",
            "[4, 1, 1, 1]",
            "one to three",
        ),
        ("block = [4]", "blok = [4]", "blok", "perhaps `block`"),
        (
            "[\"x\", \"N\"]",
            "[\"z\", \"N\"]",
            "\"z\"",
            "neither a buffer nor a size",
        ),
        (
            "\"distinct elements read\" =",
            "\"distinct read\" =",
            "\"distinct read\"",
            "counted",
        ),
        ("buffer = \"x\"", "buffer = \"y\"", "\"y\"", "no buffer `y`"),
        (
            "softmax_rows",
            "softmax_row",
            "\"softmax_row\"",
            "perhaps `softmax_rows`",
        ),
        ("[1, \"N\"]", "[1]", "[1]", "takes 1 inputs and 2 sizes"),
        (
            "{{copy: distinct",
            "{{copi: distinct",
            "{{copi: distinct elements read}}",
            "perhaps `copy`",
        ),
    ];

    #[test]
    fn a_mistake_is_reported_at_its_place_with_what_was_expected() {
        for (text, broken, at, says) in MISTAKES {
            assert!(LESSON.contains(text), "{text} is not in the lesson");
            let file = LESSON.replacen(text, broken, 1);
            let (lesson, diagnostics) = parse(&file);
            assert_eq!(lesson, None, "{broken} reads");
            let found: Vec<(&str, String)> = diagnostics
                .iter()
                .map(|found| {
                    let help = found.help.clone().unwrap_or_default();
                    (
                        &file[found.span().range()],
                        format!("{}; {help}", found.message),
                    )
                })
                .collect();
            assert!(
                found
                    .iter()
                    .any(|(place, message)| *place == at && message.contains(says)),
                "{broken}: expected {at:?} {says:?}, found {found:#?}"
            );
        }
    }

    #[test]
    fn a_second_cell_of_the_same_name_points_at_the_first() {
        let cell = &LESSON[LESSON.find("```run").expect("is there")..];
        let (_, diagnostics) = parse(&format!("{LESSON}\n{cell}"));
        assert!(diagnostics[0].message.contains("another cell `copy`"));
        assert_eq!(diagnostics[0].labels.len(), 2);
    }

    #[test]
    fn what_is_cut_off_anywhere_never_panics() {
        for end in (0..LESSON.len()).filter(|&end| LESSON.is_char_boundary(end)) {
            let (lesson, diagnostics) = parse(&LESSON[..end]);
            assert_eq!(lesson.is_none(), !diagnostics.is_empty(), "cut at {end}");
        }
    }
}
