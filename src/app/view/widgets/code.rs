//! Lines of a kernel's text in colour, whole: what is longer than its room goes on in the next row.

use std::rc::Rc;

use ratatui::text::{Line, Span};

use super::canvas::Canvas;
use crate::app::state::editor::motion::{cells, width};
use crate::app::state::editor::wrapping::{MARK, WrappedRow, code_rows};
use crate::document::{Pieces, Role, Theme, styled};
use crate::source::{self, SourceFile};

/// A text in lines, and their colours.
pub(crate) struct CodeText<'a> {
    lines: Vec<&'a str>,
    pieces: Rc<Vec<Pieces>>,
}

impl<'a> CodeText<'a> {
    /// The text of a file.
    pub fn of(canvas: &Canvas, file: &'a SourceFile) -> Self {
        CodeText::new(file.text(), canvas.painter.highlighter.file(file))
    }

    /// A text that `pieces` were made of.
    pub fn new(text: &'a str, pieces: Rc<Vec<Pieces>>) -> Self {
        CodeText {
            lines: text.lines().collect(),
            pieces,
        }
    }

    /// The lines, without colours.
    pub fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// Line `index`, counted from 0, in rows of `width` cells.
    pub fn rows(&self, index: usize, width: usize, theme: Theme) -> Vec<Line<'static>> {
        let text = self.lines.get(index).copied().unwrap_or("");
        let none = Pieces::new();
        let pieces = self.pieces.get(index).unwrap_or(&none);
        let rows = code_rows(text, width).into_iter();
        rows.map(|row| code_row(text, pieces, row, theme)).collect()
    }
}

/// Columns and rows that `lines` take behind `margin` columns and under a rule, no wider than code goes in a terminal of
/// this width. What is longer goes on in a second row.
pub(crate) fn code_size<'a>(
    canvas: &Canvas,
    lines: impl Iterator<Item = &'a str> + Clone,
    margin: usize,
) -> (u16, u16) {
    let terminal = canvas.area().width;
    let most = match terminal {
        180.. => 84,
        _ => 72,
    };
    let longest = lines.clone().map(width).max().unwrap_or(0).min(most);
    let room = usize::from(terminal).saturating_sub(margin).min(longest);
    let rows = lines.map(|line| code_rows(line, room.max(1)).len());
    // The line beside what stands there, and the cursor behind the last character.
    let columns = (margin + longest + 2) as u16;
    (columns, rows.sum::<usize>() as u16 + 1)
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

/// What stands at `place`, on one line.
pub(crate) fn quoted(file: &SourceFile, place: source::Span) -> String {
    let words: Vec<&str> = file.slice(place).split_whitespace().collect();
    words.join(" ")
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
