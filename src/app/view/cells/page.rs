//! A row of a page's text, and text for a room.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::Action;
use crate::app::view::widgets::below;

/// A row of text, and what a click on it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRow {
    pub line: Line<'static>,
    pub action: Option<Action>,
}

impl From<Line<'static>> for TextRow {
    fn from(line: Line<'static>) -> Self {
        TextRow { line, action: None }
    }
}

/// Text for a room: more space between paragraphs, and above them, as far as there is any.
pub(crate) fn spaced(page: Rect, rows: Vec<TextRow>) -> (Rect, Vec<TextRow>) {
    let is_blank = |row: &TextRow| row.line.width() == 0;
    let gaps = rows.iter().filter(|row| is_blank(row)).count();
    let height = usize::from(page.height);
    let wide = rows.len() + gaps <= height;
    let spaced = rows.into_iter().flat_map(|row| {
        let again = wide && is_blank(&row);
        std::iter::once(row).chain(again.then(TextRow::default))
    });
    let rows: Vec<TextRow> = spaced.collect();
    // A third, not half: text that stands in the middle looks as if it sank.
    let above = height.saturating_sub(rows.len()) / 3;
    (below(page, above as u16), rows)
}
