//! Lines of a kernel's text in colour.

use ratatui::text::Line;

use super::canvas::Canvas;
use crate::document::{Role, styled};
use crate::lesson::RunCell;
use crate::source::SourceFile;

/// Line `index` of `file`, counted from 0, with its indentation; plain where the file has no colours there.
pub(crate) fn code_line(canvas: &Canvas, file: &SourceFile, index: usize) -> Line<'static> {
    let text = file.text().lines().nth(index).unwrap_or("");
    let pieces = canvas.painter.highlighter.file(file);
    match pieces.get(index) {
        Some(pieces) => styled(text, pieces, canvas.theme()),
        None => Line::raw(text.to_owned()),
    }
}

/// Line `number`, without its indentation.
pub(crate) fn quoted_line(canvas: &Canvas, cell: &RunCell, number: u32) -> Line<'static> {
    let index = number.saturating_sub(1) as usize;
    let text = cell.source.text().lines().nth(index).unwrap_or("");
    // A line that stands alone has nothing to be indented against.
    let indent = text.len() - text.trim_start().len();
    let pieces = canvas.painter.highlighter.file(&cell.source);
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
