//! A row of a page's text.

use ratatui::text::Line;

use crate::app::state::Action;
use crate::app::view::widgets::{Canvas, markdown};

/// A row of text, and what a click on it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRow {
    pub line: Line<'static>,
    pub action: Option<Action>,
}

impl TextRow {
    /// Markdown in lines of `width` cells.
    pub fn rendered(canvas: &Canvas, text: &str, width: usize) -> Vec<Self> {
        let highlighter = &canvas.painter.highlighter;
        let lines = markdown::render(text, width, canvas.theme(), highlighter);
        lines.into_iter().map(TextRow::from).collect()
    }
}

impl From<Line<'static>> for TextRow {
    fn from(line: Line<'static>) -> Self {
        TextRow { line, action: None }
    }
}
