//! What was changed in a kernel, as a unified difference in the source's place.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Role;
use super::canvas::{Canvas, Pane};
use super::source::title;
use super::syntax::{Pieces, styled};
use crate::lesson::RunCell;
use crate::session::{self, Context, Extent, Model, RunState, diff};

/// Lines that are the same, shown around each change.
const AROUND: usize = 3;

/// A row of the difference.
enum Row {
    Line(session::Line),
    /// So many lines are the same, and left out.
    Same(usize),
}

/// Draws the difference between the lesson's text and the edited one.
pub(super) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let Some(edit) = model.edit() else { return };
    let old: Vec<&str> = edit.original.text().lines().collect();
    let new: Vec<&str> = edit.text.as_str().lines().collect();
    let lines = diff(&old, &new);
    let count =
        |wanted: fn(&session::Line) -> bool| lines.iter().filter(|line| wanted(line)).count();
    let added = count(|line| matches!(line, session::Line::Added(_)));
    let removed = count(|line| matches!(line, session::Line::Removed(_)));
    let rows = rows(&lines);
    let extent = Extent {
        content: rows.len(),
        visible: usize::from(area.height.saturating_sub(2)),
    };
    canvas.drawn.seen.source = extent;
    let scroll = state.source_scroll.min(extent.max_scroll());
    let note = format!(" lines: {added} added, {removed} removed ");
    let pane = Pane {
        title: title(canvas, area, model, cell),
        note: Line::from(canvas.span(note, Role::Muted)),
        foot: canvas.position(scroll, extent),
        focused: model.context() == Context::Source,
    };
    let inner = canvas.pane(area, pane);
    let highlighter = &canvas.painter.highlighter;
    let of_old = highlighter.text(edit.original.text());
    let of_new = highlighter.file(&cell.source);
    let texts = Texts {
        old: (&old, &of_old),
        new: (&new, &of_new),
    };
    let rows = rows.iter().skip(scroll);
    let lines: Vec<Line> = rows.map(|row| texts.line(canvas, row)).collect();
    canvas.lines(inner, lines);
}

/// The lines that changed and some around them; the rest as how many there are.
fn rows(lines: &[session::Line]) -> Vec<Row> {
    let is_same = |line: &session::Line| matches!(line, session::Line::Same(..));
    let mut rows = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let run = lines[at..].iter().take_while(|line| is_same(line)).count();
        let (first, last) = (at == 0, at + run == lines.len());
        let before = if first { 0 } else { AROUND };
        let after = if last { 0 } else { AROUND };
        let mut keep =
            |range: Range<usize>| rows.extend(lines[range].iter().copied().map(Row::Line));
        if run > before + after + 1 {
            keep(at..at + before);
            rows.push(Row::Same(run - before - after));
            let mut keep =
                |range: Range<usize>| rows.extend(lines[range].iter().copied().map(Row::Line));
            keep(at + run - after..at + run);
        } else {
            keep(at..at + run);
        }
        at += run;
        let changed = lines[at..].iter().take_while(|line| !is_same(line)).count();
        rows.extend(lines[at..at + changed].iter().copied().map(Row::Line));
        at += changed;
    }
    rows
}

/// Both texts, and their colours.
struct Texts<'a> {
    old: (&'a [&'a str], &'a [Pieces]),
    new: (&'a [&'a str], &'a [Pieces]),
}

impl Texts<'_> {
    fn line(&self, canvas: &Canvas, row: &Row) -> Line<'static> {
        let (numbers, sign, role, (text, pieces), line) = match *row {
            Row::Same(count) => {
                let dots = canvas.theme().ellipsis();
                let text = format!("          {dots} {count} lines are the same");
                return Line::from(canvas.span(text, Role::Muted));
            }
            Row::Line(session::Line::Same(a, b)) => {
                ((Some(a), Some(b)), ' ', Role::Muted, self.new, b)
            }
            Row::Line(session::Line::Removed(a)) => ((Some(a), None), '-', Role::Bad, self.old, a),
            Row::Line(session::Line::Added(b)) => ((None, Some(b)), '+', Role::Good, self.new, b),
        };
        let number =
            |line: Option<usize>| line.map_or_else(String::new, |line| (line + 1).to_string());
        let (old, new) = (number(numbers.0), number(numbers.1));
        let mut shown = Line::from(vec![
            canvas.span(format!("{old:>4} {new:>4} "), Role::Muted),
            canvas.span(format!("{sign} "), role),
        ]);
        let text = text.get(line).copied().unwrap_or("");
        let code = pieces
            .get(line)
            .map(|pieces| styled(text, pieces, canvas.theme()));
        let code = code.unwrap_or_else(|| Line::from(Span::raw(text.to_owned())));
        shown.spans.extend(code.spans);
        shown
    }
}
