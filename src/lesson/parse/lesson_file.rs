//! A whole lesson: its front matter, then its cells, in the order of the file.

use std::collections::{BTreeMap, BTreeSet};

use super::front::{front_matter, read_front};
use super::kinds::{LessonText, read_cells};
use super::pieces::{Fence, Piece, pieces};
use crate::lesson::cells::{Cell, FigureName, KernelFiles, ProseCell, check_orders};
use crate::lesson::course::{OtherLessons, requires_in};
use crate::lesson::markdown::Markdown;
use crate::lesson::outline::Lesson;
use crate::lesson::reader::{CellKey, Findings};
use crate::source::{Diagnostic, SourceFile, Span};

impl Lesson {
    /// Reads a lesson. It is there only if no diagnostic is an error.
    pub fn parse(
        file: &SourceFile,
        kernels: &KernelFiles,
        others: &OtherLessons,
    ) -> (Option<Lesson>, Vec<Diagnostic>) {
        let findings = Findings::default();
        let lesson = read_lesson(file.text(), kernels, others, &findings);
        let diagnostics = findings.in_order();
        // A lesson with a mistake is read as far as it goes to find more of them; it is shown to nobody.
        (lesson.filter(|_| diagnostics.is_empty()), diagnostics)
    }

    /// The keys that readers of `file` look for, whether it has them or not.
    pub(crate) fn keys_looked_for(
        file: &SourceFile,
        kernels: &KernelFiles,
        others: &OtherLessons,
    ) -> Vec<CellKey> {
        let findings = Findings::with_keys();
        let _ = read_lesson(file.text(), kernels, others, &findings);
        findings.into_keys()
    }
}

fn read_lesson(
    text: &str,
    kernels: &KernelFiles,
    others: &OtherLessons,
    findings: &Findings,
) -> Option<Lesson> {
    let Some(front) = front_matter(text) else {
        findings.add(no_front_matter(text));
        return None;
    };
    let lesson = read_front(text, front.clone(), others, findings)?;
    let body = front.end + text[front.end..].find('\n').map_or(0, |at| at + 1);
    let mut parts = Parts::new(text, body);
    let lesson_text = LessonText {
        id: &lesson.id,
        text,
        sizes: &lesson.sizes,
        values: &lesson.values,
        kernels,
        findings,
    };
    let fenced = read_cells(&parts.fences, &mut parts.cells, &lesson_text);
    let mut cells = parts.cells;
    cells.extend(fenced);
    cells.sort_by_key(|(at, _)| *at);
    check_all_orders(&cells, text, findings);
    let lesson = Lesson {
        notes: notes_by_cell(parts.notes, &cells),
        digests: digests(&parts.fences, &cells, text),
        cells: cells.into_iter().map(|(_, cell)| cell).collect(),
        ..lesson
    };
    check_recorded_cells(&lesson, text, findings);
    Some(lesson)
}

/// Complains about cells that are to be recorded and that there are not.
fn check_recorded_cells(lesson: &Lesson, text: &str, findings: &Findings) {
    let named: BTreeSet<&String> = lesson.recordings.iter().flat_map(|of| &of.cells).collect();
    for name in named {
        if lesson.run_cell(name).is_err() {
            // The front matter comes first, so the first place with this name is there.
            let start = text.find(&format!("\"{name}\"")).unwrap_or_default();
            let place = Span::new(start, start + name.len() + 2);
            findings.error(place, format!("there is no run cell `{name}` to record"));
        }
    }
}

/// The pieces of a lesson by kind.
#[derive(Default)]
struct Parts {
    /// Prose.
    cells: Vec<PlacedCell>,
    fences: Vec<Fence>,
    notes: Vec<(usize, String)>,
}

impl Parts {
    fn new(text: &str, body: usize) -> Self {
        let mut parts = Parts::default();
        for piece in pieces(text, body) {
            match piece {
                Piece::Prose(range) => {
                    let markdown = Markdown::plain(&text[range.clone()]);
                    let prose = Cell::Prose(ProseCell { markdown });
                    parts.cells.push((range.start, prose));
                }
                Piece::Cell(fence) => parts.fences.push(fence),
                Piece::Notes(at, markdown) => parts.notes.push((at, markdown)),
            }
        }
        parts
    }
}

/// A cell behind its first byte in the file.
type PlacedCell = (usize, Cell);

fn no_front_matter(text: &str) -> Diagnostic {
    let first_line = text.lines().next().map_or(0, str::len);
    Diagnostic::error(Span::new(0, first_line), "the lesson has no front matter")
        .label("the first line should be `+++`")
        .help("begin the file with TOML between two lines of `+++`: id, title, summary, minutes and sizes")
}

/// Complains about figures that plot the tiles of orders which the lesson does not have.
fn check_all_orders(cells: &[PlacedCell], text: &str, findings: &Findings) {
    let figures = || {
        cells.iter().filter_map(|(at, cell)| match cell {
            Cell::Figure(figure) => Some((*at, figure)),
            _ => None,
        })
    };
    let orders = figures().filter(|(_, figure)| figure.kind_name() == FigureName::Order);
    let orders: Vec<&str> = orders.map(|(_, figure)| figure.id.as_str()).collect();
    for (at, figure) in figures() {
        let length = text[at..].lines().next().map_or(0, str::len);
        check_orders(figure, Span::new(at, at + length), &orders, findings);
    }
}

/// Speaker notes, each with the cell that it stands behind; those before all cells with the first.
fn notes_by_cell(notes: Vec<(usize, String)>, cells: &[(usize, Cell)]) -> BTreeMap<usize, String> {
    let mut by_cell: BTreeMap<usize, String> = BTreeMap::new();
    for (at, markdown) in notes {
        // Cells are in the order of the file, and notes are no cells.
        let cell = cells.partition_point(|&(start, _)| start < at);
        let of_cell = by_cell.entry(cell.saturating_sub(1)).or_default();
        if !of_cell.is_empty() {
            of_cell.push_str("\n\n");
        }
        of_cell.push_str(&markdown);
    }
    by_cell
}

/// The digest of each cell that has an id.
fn digests(fences: &[Fence], cells: &[(usize, Cell)], text: &str) -> BTreeMap<String, String> {
    let with_cell = fences.iter().filter_map(|fence| {
        // Cells are in the order of the file.
        let at = cells.binary_search_by_key(&fence.block.start, |(at, _)| *at);
        let (_, cell) = &cells[at.ok()?];
        Some((fence.id.clone(), cell.digest(&text[fence.body.clone()])))
    });
    with_cell.collect()
}

/// What the lesson `text` requires to come before it; nothing if its front matter does not read.
pub(crate) fn required_by(text: &str) -> Vec<String> {
    let front = front_matter(text).map(|range| &text[range]);
    front.map_or_else(Vec::new, requires_in)
}
