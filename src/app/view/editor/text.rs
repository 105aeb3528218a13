//! The kernel's text while it is changed: cursor, selection, and what is wrong under its line.

use std::ops::Range;

use ratatui::layout::Rect;

use super::gutter::{Gutter, Visit};
use super::title::title;
use crate::app::state::editor::edits::HOOK;
use crate::app::state::editor::motion::{cells as columns_of, width as width_of};
use crate::app::state::editor::wrapping::{WrappedRow, code_rows};
use crate::app::state::{
    Action, Context, Edit, EditCommand, EditorAction, EditorRow, Model, RunState, SourceExtent,
};
use crate::app::view::widgets::{Canvas, Pane, code_row, severity_role};
use crate::device::counted;
use crate::document::{Pieces, Role};
use crate::lesson::RunCell;
use crate::source::{Diagnostic, Severity};

/// Draws the editor in the place of the source of `cell`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let Some(edit) = model.edit() else { return };
    let inner = draw_frame(canvas, area, model, cell, state, edit);
    let gutter = Gutter::new(canvas, state, model, edit.text.line_count());
    let margin = (gutter.width() as u16).min(inner.width);
    let code = Rect {
        x: inner.x + margin,
        width: inner.width - margin,
        ..inner
    };
    let lines = Lines {
        edit,
        pieces: &canvas.painter.highlighter.file(&cell.source),
        // The cursor of the terminal is one, and shown where keys go.
        cursor: (model.context() == Context::Editor).then(|| edit.text.place()),
    };
    // A column is the cursor's, behind the last character of a line that fills its row.
    let width = usize::from(code.width.saturating_sub(1)).max(1);
    let rows = usize::from(inner.height);
    // What has room is on screen, however far the text was scrolled before.
    let scroll = state.scroll.source.min(edit.furthest_scroll(rows, width));
    let shown = edit.rows(scroll, rows, width);
    note_extents(canvas, code, edit, width, &shown);
    for ((row, code), shown) in inner.rows().zip(code.rows()).zip(shown) {
        // Rows that a long line goes on in have no number.
        if let EditorRow::Line(line, WrappedRow { start: 0, .. }) = shown {
            let numbers = gutter.line(canvas, line as u32 + 1, Visit::None);
            canvas.line(row, numbers);
            lines.mark(canvas, row, line);
        }
        lines.row(canvas, code, shown);
    }
}

/// How much of the text is on screen, for what scrolls it; and a click sets the cursor.
fn note_extents(canvas: &mut Canvas, code: Rect, edit: &Edit, width: usize, shown: &[EditorRow]) {
    let is_line = |row: &&EditorRow| matches!(row, EditorRow::Line(_, part) if part.start == 0);
    canvas.drawn.seen.source = SourceExtent {
        first: None,
        lines: edit.text.line_count(),
        visible: shown.iter().filter(is_line).count(),
        last: edit.furthest_scroll(code.height.into(), width),
        rows: code.height.into(),
        width,
    };
    canvas.click_at(code, |row, column| {
        Action::Editor(EditorAction::Edit(EditCommand::PointAt(row, column)))
    });
}

/// The frame with the place of the cursor, and what is inside.
fn draw_frame(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
    edit: &Edit,
) -> Rect {
    let (line, column) = edit.text.place();
    let foot = format!(
        " {}:{} of {} lines ",
        line + 1,
        column + 1,
        edit.text.line_count()
    );
    let pane = Pane {
        title: title(canvas, area, model, cell),
        note: canvas.text(note(edit, state), Role::Muted),
        foot: canvas.text(foot, Role::Muted),
        focused: model.context() == Context::Editor,
    };
    canvas.region(area, pane)
}

/// How the text stands.
fn note(edit: &Edit, state: &RunState) -> String {
    let count = |severity| {
        let findings = edit.findings.iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let text = match (errors, warnings, &state.job) {
        (_, _, Some(_)) => "counting".to_owned(),
        (0, 0, None) => return String::new(),
        (0, warnings, None) => counted(warnings as u64, "warning"),
        (errors, 0, None) => counted(errors as u64, "error"),
        (errors, warnings, None) => {
            format!(
                "{}, {}",
                counted(errors as u64, "error"),
                counted(warnings as u64, "warning")
            )
        }
    };
    format!(" {text} ")
}

/// What the lines of the text are drawn from.
struct Lines<'a> {
    edit: &'a Edit,
    pieces: &'a [Pieces],
    /// Line and column of the cursor, where keys go to it.
    cursor: Option<(usize, usize)>,
}

impl Lines<'_> {
    /// A row of the text, or of what is wrong in it.
    fn row(&self, canvas: &mut Canvas, row: Rect, shown: EditorRow) {
        match shown {
            EditorRow::Line(line, part) => self.draw(canvas, row, line, part),
            EditorRow::Message(index, part) => self.message(canvas, row, index, part),
            EditorRow::Detail(index, part) => self.detail(canvas, row, index, part),
        }
    }

    /// A row of line `line` of the text, selected and mistaken parts marked.
    fn draw(&self, canvas: &mut Canvas, row: Rect, line: usize, part: WrappedRow) {
        let text = &self.edit.text;
        let range = text.line(line);
        let inside = &text.as_str()[range.clone()];
        let none = Pieces::new();
        let pieces = self.pieces.get(line).unwrap_or(&none);
        canvas.line(row, code_row(inside, pieces, part, canvas.theme()));
        // What lies behind the text belongs to its last row.
        // As far as the row reaches: a finding or a selection may end behind the last character.
        let end = match part.end == width_of(inside) {
            true => usize::MAX,
            false => part.end,
        };
        let part = WrappedRow { end, ..part };
        self.mark_findings(canvas, row, range.clone(), part);
        if let Some(selection) = text.selection()
            // A selection that ends where the line begins holds none of it.
            && selection.start <= range.end
            && selection.end > range.start
        {
            let from = selection.start.max(range.start) - range.start;
            let to = selection.end.min(range.end) - range.start;
            let mut columns = columns(inside, from..to);
            // The newline is selected too.
            columns.end += usize::from(selection.end > range.end);
            restyle(canvas, row, part, columns, Role::Selection);
        }
        if let Some((at, column)) = self.cursor
            && at == line
            && (part.start..part.end).contains(&column)
        {
            let shown = part.shown_at(column).min(usize::from(row.width));
            canvas.cursor(row.x + shown as u16, row.y);
        }
    }

    /// Marks what is wrong in a row of the line whose bytes are `line`.
    fn mark_findings(&self, canvas: &mut Canvas, row: Rect, line: Range<usize>, part: WrappedRow) {
        let inside = &self.edit.text.as_str()[line.clone()];
        for finding in &self.edit.findings[self.edit.findings_in(&line)] {
            let span = finding.span().range();
            // A finding may go on in later lines; it is marked in the one where it begins.
            let to = span.end.clamp(span.start, line.end.max(span.start));
            let columns = columns(inside, span.start - line.start..to - line.start);
            // An empty span, as of a missing semicolon, is marked on one cell: it could not be seen otherwise.
            let end = columns.end.max(columns.start + 1);
            restyle(canvas, row, part, columns.start..end, role(finding));
        }
    }

    /// A mark before a line with something wrong in it.
    fn mark(&self, canvas: &mut Canvas, row: Rect, line: usize) {
        let range = self.edit.text.line(line);
        let mut findings = self.edit.findings[self.edit.findings_in(&range)].iter();
        // One cell has room for one mark: an error hides the warnings of its line.
        let worst = findings
            .clone()
            .find(|finding| finding.severity == Severity::Error);
        if let Some(finding) = worst.or_else(|| findings.next()) {
            let theme = canvas.theme();
            let mark = match finding.severity {
                Severity::Error => theme.cross(),
                Severity::Warning => theme.warn(),
                Severity::Remark => theme.dot(),
            };
            let mark = canvas.text(mark, severity_role(finding.severity));
            canvas.line(Rect { width: 1, ..row }, mark);
        }
    }

    /// A row of what is wrong, behind a hook to the place that it is about.
    fn message(&self, canvas: &mut Canvas, row: Rect, index: usize, part: WrappedRow) {
        let theme = canvas.theme();
        let hook = match part.start {
            0 => theme.glyph("\u{2570}\u{2500} ", "^- "),
            _ => "   ",
        };
        let text = hook.to_owned() + taken(&self.edit.message(index), part);
        let finding = self.edit.findings.get(index);
        let role = finding.map_or(Role::Muted, |finding| severity_role(finding.severity));
        let text = canvas.text(text, role);
        canvas.line(self.under(row, index), text);
    }

    /// A row of what explains it, and of what to try.
    fn detail(&self, canvas: &mut Canvas, row: Rect, index: usize, part: WrappedRow) {
        let text = self.edit.detail(index).unwrap_or_default();
        let text = " ".repeat(HOOK) + taken(&text, part);
        canvas.line(self.under(row, index), canvas.text(text, Role::Muted));
    }

    /// The part of `row` under the place of finding `index`, so far to the left that all that is said of it has room.
    fn under(&self, row: Rect, index: usize) -> Rect {
        let Some(finding) = self.edit.findings.get(index) else {
            return row;
        };
        let line = self.edit.text.line(self.edit.finding_line(index));
        let start = (finding.span().start as usize).clamp(line.start, line.end) - line.start;
        let inside = &self.edit.text.as_str()[line];
        let column = columns(inside, start..start).start;
        // As the text itself is folded: the row in which the place lies decides how far to the right it is.
        let width = usize::from(row.width.saturating_sub(1)).max(1);
        let parts = code_rows(inside, width);
        let part = parts.iter().rev().find(|part| part.start <= column);
        let wanted = part.map_or(0, |part| part.shown_at(column)) as u16;
        let texts = [Some(self.edit.message(index)), self.edit.detail(index)];
        let widths = texts.iter().flatten().map(|text| width_of(text) + HOOK);
        let widest = widths.max().unwrap_or(0).min(row.width.into()) as u16;
        // Never so far that its own end is cut off.
        let x = row.x + wanted.min(row.width - widest);
        Rect {
            x,
            width: row.right() - x,
            ..row
        }
    }
}

/// The part of `text` that stands in a row.
fn taken(text: &str, part: WrappedRow) -> &str {
    let byte = |column| {
        let mut cells = columns_of(text);
        let found = cells.find(|(_, cell)| cell.start >= column);
        found.map_or(text.len(), |(byte, _)| byte)
    };
    &text[byte(part.start)..byte(part.end)]
}

/// The columns of these bytes of a line.
fn columns(line: &str, bytes: Range<usize>) -> Range<usize> {
    // A missing brace at the end is behind the last character.
    let column = |at: usize| {
        let mut cells = columns_of(line);
        let found = cells
            .find(|(byte, _)| *byte >= at)
            .map(|(_, cell)| cell.start);
        found.unwrap_or_else(|| width_of(line))
    };
    column(bytes.start)..column(bytes.end)
}

/// Gives these columns of a line another style, as far as `part` of it has them.
fn restyle(canvas: &mut Canvas, row: Rect, part: WrappedRow, columns: Range<usize>, role: Role) {
    let width = usize::from(row.width);
    let shown = |column: usize| part.shown_at(column.clamp(part.start, part.end)).min(width);
    let (from, to) = (shown(columns.start), shown(columns.end));
    let part = Rect {
        x: row.x + from as u16,
        width: (to - from) as u16,
        ..row
    };
    canvas.restyle(part, role);
}

fn role(finding: &Diagnostic) -> Role {
    match finding.severity {
        Severity::Error => Role::Mistaken,
        Severity::Warning | Severity::Remark => Role::Doubtful,
    }
}
