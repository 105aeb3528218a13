//! What was changed in a kernel, as a unified difference in the source's place.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::title::title;
use crate::app::state::editor::diff::diff;
use crate::app::state::{Context, Extent, Model, RunState, SourceExtent};
use crate::app::view::widgets::{Canvas, CodeText, Pane};
use crate::document::Role;
use crate::lesson::RunCell;

/// Lines that are the same, shown around each change.
const AROUND: usize = 3;

/// A row of the difference; lines count from 0.
#[derive(Clone, Copy)]
enum DiffRow {
    /// A line of both texts.
    Same(usize, usize),
    Removed(usize),
    Added(usize),
    /// So many lines are the same, and left out.
    Skipped(usize),
}

/// Draws the difference between the lesson's text and the edited one.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let Some(edit) = model.edit() else { return };
    let (old, new) = (edit.original.text(), edit.text.as_str());
    let rows = rows(old, new);
    let width = usize::from(area.width.saturating_sub(1));
    let highlighter = &canvas.painter.highlighter;
    let texts = Texts {
        old: CodeText::new(old, highlighter.text(old)),
        new: CodeText::new(new, highlighter.file(&cell.source)),
    };
    let lines = rows.iter().map(|row| texts.lines(canvas, *row, width));
    let lines: Vec<Line> = lines.flatten().collect();
    let extent = Extent {
        content: lines.len(),
        visible: usize::from(area.height.saturating_sub(1)),
    };
    canvas.drawn.seen.source = SourceExtent {
        first: None,
        lines: extent.content,
        visible: extent.visible,
        last: extent.max_scroll(),
        rows: extent.visible,
        width,
    };
    let scroll = state.scroll.source.min(extent.max_scroll());
    let pane = Pane {
        title: title(canvas, area, model, cell),
        note: canvas.text(note(&rows), Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: model.context() == Context::Code,
    };
    let inner = canvas.region(area, pane);
    canvas.lines(inner, lines.into_iter().skip(scroll));
}

/// How many lines are new, and how many are gone.
fn note(rows: &[DiffRow]) -> String {
    let count = |wanted: fn(&DiffRow) -> bool| rows.iter().filter(|row| wanted(row)).count();
    let added = count(|row| matches!(row, DiffRow::Added(_)));
    let removed = count(|row| matches!(row, DiffRow::Removed(_)));
    format!(" lines: {added} added, {removed} removed ")
}

/// The lines that changed and some around them, what was removed before what was added in its place;
/// the rest as how many there are.
fn rows(old: &str, new: &str) -> Vec<DiffRow> {
    let lines = diff(old, new);
    let mut rows = Vec::new();
    for part in lines.chunk_by(|a, b| a.same == b.same) {
        // All of a change's old lines before its new ones, as `diff -u` has them, and not in pairs.
        if part.first().is_some_and(|row| !row.same) {
            rows.extend(
                part.iter()
                    .filter_map(|row| row.lines[0])
                    .map(DiffRow::Removed),
            );
            rows.extend(
                part.iter()
                    .filter_map(|row| row.lines[1])
                    .map(DiffRow::Added),
            );
            continue;
        }
        let same = part.iter().filter_map(|row| match row.lines {
            [Some(old), Some(new)] => Some(DiffRow::Same(old, new)),
            _ => None,
        });
        let same: Vec<DiffRow> = same.collect();
        let is_first = rows.is_empty();
        let is_last = part.last() == lines.last();
        // Lines around a change: none at the start and the end of the text, where there is no change to be around.
        let before = if is_first { 0 } else { AROUND };
        let after = if is_last { 0 } else { AROUND };
        // Leaving out one line saves no row: the note that it is left out takes one.
        if same.len() > before + after + 1 {
            rows.extend(&same[..before]);
            rows.push(DiffRow::Skipped(same.len() - before - after));
            rows.extend(&same[same.len() - after..]);
        } else {
            rows.extend(same);
        }
    }
    rows
}

/// Both texts, in lines and their colours.
struct Texts<'a> {
    old: CodeText<'a>,
    new: CodeText<'a>,
}

/// Cells before the text: a number in each text, and the sign.
const MARGIN: usize = 12;

impl Texts<'_> {
    /// The rows of `width` cells of a row of the difference.
    fn lines(&self, canvas: &Canvas, row: DiffRow, width: usize) -> Vec<Line<'static>> {
        let (numbers, sign, role, text, line) = match row {
            DiffRow::Skipped(count) => {
                let dots = canvas.theme().ellipsis();
                let text = format!("          {dots} {count} lines are the same");
                return vec![canvas.text(text, Role::Muted)];
            }
            DiffRow::Same(a, b) => ((Some(a), Some(b)), ' ', Role::Muted, &self.new, b),
            DiffRow::Removed(a) => ((Some(a), None), '-', Role::Bad, &self.old, a),
            DiffRow::Added(b) => ((None, Some(b)), '+', Role::Good, &self.new, b),
        };
        let number =
            |line: Option<usize>| line.map_or_else(String::new, |line| (line + 1).to_string());
        let (old, new) = (number(numbers.0), number(numbers.1));
        let code = text.rows(line, width.saturating_sub(MARGIN).max(1), canvas.theme());
        let rows = code.into_iter().enumerate().map(|(part, code)| {
            let numbers = match part {
                0 => format!("{old:>4} {new:>4} "),
                // A line that goes on in a second row has its number once.
                _ => " ".repeat(MARGIN - 2),
            };
            let mut shown = Line::from(vec![
                canvas.span(numbers, Role::Muted),
                canvas.span(format!("{sign} "), role),
            ]);
            shown.spans.extend(code.spans);
            shown
        });
        rows.collect()
    }
}
