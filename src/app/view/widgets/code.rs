//! Lines of a kernel's text in colour, whole: what is longer than its room goes on in the next row.

use ratatui::text::{Line, Span};

use super::canvas::Canvas;
use crate::app::state::editor::motion::cells;
use crate::app::state::editor::wrapping::{MARK, WrappedRow, code_rows};
use crate::document::{Pieces, Role, Theme, styled};
use crate::source::SourceFile;

/// Line `index` of `file`, counted from 0, in rows of `width` cells.
pub(crate) fn code_lines(
    canvas: &Canvas,
    file: &SourceFile,
    index: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let text = file.text().lines().nth(index).unwrap_or("");
    let pieces = canvas.painter.highlighter.file(file);
    let none = Pieces::new();
    let pieces = pieces.get(index).unwrap_or(&none);
    let rows = code_rows(text, width).into_iter();
    rows.map(|row| code_row(text, pieces, row, canvas.theme()))
        .collect()
}

/// A row of a line, in the styles of its pieces, tabs as blanks; a mark says that it goes on from the row above.
pub(crate) fn code_row(
    text: &str,
    pieces: &Pieces,
    row: WrappedRow,
    theme: Theme,
) -> Line<'static> {
    let mut line = Line::default();
    if row.start > 0 {
        let mark = theme.glyph("\u{21aa} ", "> ");
        let blanks = " ".repeat(row.indent.saturating_sub(MARK));
        line.push_span(Span::styled(blanks + mark, theme.style(Role::Muted)));
    }
    let mut piece = pieces.iter().peekable();
    let mut run = String::new();
    let mut current = Role::Text;
    for (at, cell) in cells(text).filter(|(_, cell)| cell.start >= row.start && cell.end <= row.end)
    {
        while piece.peek().is_some_and(|(range, _)| range.end <= at) {
            piece.next();
        }
        let role = piece.peek().map_or(Role::Text, |(_, role)| *role);
        if role != current && !run.is_empty() {
            line.push_span(Span::styled(std::mem::take(&mut run), theme.style(current)));
        }
        current = role;
        match text[at..].chars().next() {
            Some('\t') | None => run.push_str(&" ".repeat(cell.len())),
            Some(c) => run.push_str(&theme.text(c.encode_utf8(&mut [0; 4]))),
        }
    }
    line.push_span(Span::styled(run, theme.style(current)));
    line
}

/// Line `number`, without its indentation.
pub(crate) fn quoted_line(canvas: &Canvas, file: &SourceFile, number: u32) -> Line<'static> {
    let index = number.saturating_sub(1) as usize;
    let text = file.text().lines().nth(index).unwrap_or("");
    // A line that stands alone has nothing to be indented against.
    let indent = text.len() - text.trim_start().len();
    let pieces = canvas.painter.highlighter.file(file);
    let mut line = canvas.text(format!("line {number}  "), Role::Muted);
    if let Some(pieces) = pieces.get(index) {
        let pieces = pieces.iter().filter(|(range, _)| range.end > indent);
        let pieces = pieces
            .map(|(range, role)| (range.start.max(indent)..range.end, *role))
            .collect();
        line.spans
            .extend(styled(text, &pieces, canvas.theme()).spans);
    }
    line
}
