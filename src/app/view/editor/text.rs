//! The kernel's text while it is changed: cursor, selection, and what is wrong under its line.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::gutter::{Gutter, Visit};
use super::title::title;
use crate::app::state::editor::motion::cells as columns_of;
use crate::app::state::{
    Action, Context, Edit, EditCommand, EditorAction, EditorRow, Extent, Model, RunState,
};
use crate::app::view::widgets::{Canvas, Pane, below, counted, top};
use crate::document::{Pieces, Role, Theme, fit};
use crate::lesson::RunCell;
use crate::source::{Diagnostic, Severity};

/// Columns of the lines' numbers, which messages leave free.
const NUMBERS: usize = 5;

/// Draws the editor in the place of the source of `cell`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let Some(edit) = model.edit() else { return };
    let focused = model.context() == Context::Editor;
    let inner = draw_frame(canvas, area, model, cell, state, edit);
    let gutter = Gutter::new(state, model, area.width);
    let heading = gutter.heading(canvas);
    canvas.line(top(inner, 1), heading);
    let rows = below(inner, 1);
    let margin = gutter.line(canvas, 1, Visit::None).width() as u16;
    let code = Rect {
        x: rows.x + margin.min(rows.width),
        width: rows.width.saturating_sub(margin),
        ..rows
    };
    note_extents(canvas, code, edit);
    let lines = Lines {
        edit,
        pieces: &canvas.painter.highlighter.file(&cell.source),
        first: state.scroll.column,
        cursor: focused.then(|| edit.text.place()),
    };
    let shown = edit.rows(state.scroll.source, rows.height.into());
    for ((row, code), shown) in rows.rows().zip(code.rows()).zip(shown) {
        match shown {
            EditorRow::Line(line) => {
                canvas.line(row, gutter.line(canvas, line as u32 + 1, Visit::None));
                lines.mark(canvas, row, line);
                lines.draw(canvas, code, line);
            }
            EditorRow::Message(index) => lines.message(canvas, row, code, index, false),
            EditorRow::Detail(index) => lines.message(canvas, row, code, index, true),
        }
    }
}

/// How much of the text is on screen, for what scrolls it; and a click sets the cursor.
fn note_extents(canvas: &mut Canvas, code: Rect, edit: &Edit) {
    canvas.drawn.seen.source = Extent {
        content: edit.text.line_count(),
        visible: code.height.into(),
    };
    canvas.drawn.seen.source_width = code.width.into();
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
    /// The first column on screen.
    first: usize,
    /// Line and column of the cursor, where keys go to it.
    cursor: Option<(usize, usize)>,
}

impl Lines<'_> {
    /// Line `line` of the text, selected and mistaken parts marked.
    fn draw(&self, canvas: &mut Canvas, row: Rect, line: usize) {
        let text = &self.edit.text;
        let range = text.line(line);
        let inside = &text.as_str()[range.clone()];
        let none = Pieces::new();
        let pieces = self.pieces.get(line).unwrap_or(&none);
        let spans = code(inside, pieces, self.first, canvas.theme());
        // A line that is too long shows as much as there is room for: the cursor goes there.
        canvas.line(row, cut(spans, row.width.into()));
        for finding in &self.edit.findings[self.edit.findings_in(&range)] {
            let span = finding.span().range();
            // A finding may go on in later lines; it is marked in the one where it begins.
            let to = span.end.clamp(span.start, range.end.max(span.start));
            let columns = self.columns(inside, span.start - range.start..to - range.start);
            // An empty span, as of a missing semicolon, is marked on one cell: it could not be seen otherwise.
            let end = columns.end.max(columns.start + 1);
            self.restyle(canvas, row, columns.start..end, role(finding));
        }
        if let Some(selection) = text.selection()
            && selection.start <= range.end
            && selection.end > range.start
        {
            let from = selection.start.max(range.start) - range.start;
            let to = selection.end.min(range.end) - range.start;
            let mut columns = self.columns(inside, from..to);
            // The newline is selected too.
            columns.end += usize::from(selection.end > range.end);
            self.restyle(canvas, row, columns, Role::Selection);
        }
        if let Some((at, column)) = self.cursor
            && at == line
            && (self.first..self.first + usize::from(row.width)).contains(&column)
        {
            canvas.cursor(row.x + (column - self.first) as u16, row.y);
        }
    }

    /// The columns of these bytes of a line.
    fn columns(&self, line: &str, bytes: Range<usize>) -> Range<usize> {
        let column = |at: usize| {
            let mut cells = columns_of(line);
            let found = cells
                .find(|(byte, _)| *byte >= at)
                .map(|(_, cell)| cell.start);
            found.unwrap_or_else(|| columns_of(line).last().map_or(0, |(_, cell)| cell.end))
        };
        column(bytes.start)..column(bytes.end)
    }

    fn restyle(&self, canvas: &mut Canvas, row: Rect, columns: Range<usize>, role: Role) {
        let width = usize::from(row.width);
        let from = columns.start.saturating_sub(self.first).min(width);
        let to = columns.end.saturating_sub(self.first).min(width);
        let part = Rect {
            x: row.x + from as u16,
            width: to.saturating_sub(from) as u16,
            ..row
        };
        canvas.restyle(part, role);
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
                Severity::Error => theme.glyph("\u{2717}", "X"),
                Severity::Warning => "!",
            };
            let mark = canvas.text(mark, role_of_words(finding));
            canvas.line(Rect { width: 1, ..row }, mark);
        }
    }

    /// What is wrong, or the detail of it, under the place that it is about; both further left where
    /// one of them would not fit there.
    fn message(&self, canvas: &mut Canvas, row: Rect, code: Rect, index: usize, detail: bool) {
        let Some(finding) = self.edit.findings.get(index) else {
            return;
        };
        let theme = canvas.theme();
        let hook = theme.glyph("\u{2570}\u{2500} ", "^-- ");
        let blank = " ".repeat(hook.width());
        let texts = [
            Some(format!("{hook}{}: {}", severity(finding), finding.message)),
            self.edit
                .detail(index)
                .map(|detail| format!("{blank}{detail}")),
        ];
        let room = usize::from(row.width).saturating_sub(NUMBERS);
        let texts = texts.map(|text| fit(&theme.text(&text.unwrap_or_default()), room, theme));
        let widest = texts.iter().map(|text| text.width()).max().unwrap_or(0) as u16;
        let line = self.edit.text.line(self.edit.finding_line(index));
        let start = (finding.span().start as usize).clamp(line.start, line.end) - line.start;
        let inside = &self.edit.text.as_str()[line];
        let column = self.columns(inside, start..start).start;
        let wanted = code.x + column.saturating_sub(self.first).min(code.width.into()) as u16;
        // Message and detail move together, so that the detail stays under the words it explains.
        let x = wanted.min(row.right().saturating_sub(widest)).max(row.x);
        let area = Rect {
            x,
            width: row.right() - x,
            ..row
        };
        let [message, explained] = texts;
        let shown = match detail {
            true => canvas.span(explained, Role::Muted),
            false => canvas.span(message, role_of_words(finding)),
        };
        canvas.line(area, Line::from(shown));
    }
}

fn severity(finding: &Diagnostic) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn role(finding: &Diagnostic) -> Role {
    match finding.severity {
        Severity::Error => Role::Mistaken,
        Severity::Warning => Role::Doubtful,
    }
}

fn role_of_words(finding: &Diagnostic) -> Role {
    match finding.severity {
        Severity::Error => Role::Bad,
        Severity::Warning => Role::Warning,
    }
}

/// A line from column `first` on, in the styles of its pieces, tabs as blanks.
fn code(text: &str, pieces: &Pieces, first: usize, theme: Theme) -> Line<'static> {
    let mut line = Line::default();
    let mut piece = pieces.iter().peekable();
    let mut run = String::new();
    let mut current = Role::Text;
    for (at, cell) in columns_of(text) {
        while piece.peek().is_some_and(|(range, _)| range.end <= at) {
            piece.next();
        }
        let role = piece.peek().map_or(Role::Text, |(_, role)| *role);
        if role != current && !run.is_empty() {
            line.push_span(Span::styled(std::mem::take(&mut run), theme.style(current)));
        }
        current = role;
        let c = text[at..].chars().next().unwrap_or(' ');
        if cell.start >= first && c != '\t' {
            run.push_str(&theme.text(c.encode_utf8(&mut [0; 4])));
        } else {
            // Of a tab, or a wide character, that begins further left.
            run.push_str(&" ".repeat(cell.end.saturating_sub(cell.start.max(first))));
        }
    }
    line.push_span(Span::styled(run, theme.style(current)));
    line
}

/// The line without what does not fit; nothing marks the cut.
fn cut(line: Line<'static>, width: usize) -> Line<'static> {
    let mut room = width;
    let spans = line.spans.into_iter().map_while(|span| {
        if room == 0 {
            return None;
        }
        let mut text = String::new();
        for c in span.content.chars() {
            let cell = UnicodeWidthStr::width(c.encode_utf8(&mut [0; 4]) as &str);
            if cell > room {
                room = 0;
                break;
            }
            room -= cell;
            text.push(c);
        }
        Some(Span::styled(text, span.style))
    });
    Line::from(spans.collect::<Vec<_>>())
}
