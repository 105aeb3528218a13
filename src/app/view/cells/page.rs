//! A page of text: lines of a width that reads well, scrolled, and what comes next under them.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::{Extent, Model};
use crate::app::view::widgets::{Canvas, below, inset};
use crate::document::Role;

/// Widest line of text that reads well.
const TEXT_WIDTH: u16 = 84;

/// The part of `area` that has text.
pub(crate) fn text_area(area: Rect) -> Rect {
    let spare = area.width.saturating_sub(TEXT_WIDTH + 4);
    Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(2),
        ..inset(area, 2 + spare / 2)
    }
}

/// Width of the text in `area`.
pub(crate) fn text_width(area: Rect) -> usize {
    text_area(area).width.into()
}

/// Draws a page of `lines` from line `scroll`, and what comes next under it. The part that has text,
/// and its first line on screen.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    mut lines: Vec<Line<'static>>,
    scroll: usize,
) -> (Rect, usize) {
    let mut page = text_area(area);
    if model.presentation.is_some() {
        (page, lines) = spaced(page, lines);
    } else if let Some(next) = model.lesson.cells.get(model.at + 1) {
        lines.push(Line::default());
        lines.push(Line::from(vec![
            canvas.span("n", Role::Key),
            canvas.span(format!("  next: {}", next.title()), Role::Muted),
        ]));
    }
    let extent = Extent {
        content: lines.len(),
        visible: page.height.into(),
    };
    canvas.drawn.seen.prose = extent;
    // The text may be shorter than when it was scrolled, or the terminal larger.
    let scroll = scroll.min(extent.max_scroll());
    canvas.lines(page, lines.into_iter().skip(scroll));
    let hidden = extent.max_scroll() - scroll;
    if hidden > 0 {
        let foot = Rect {
            y: page.bottom(),
            height: 1,
            ..page
        };
        let arrow = canvas.theme().glyph("\u{2193}", "v");
        let more = format!("{arrow} {hidden} more lines");
        let line = canvas.text(more, Role::Muted).right_aligned();
        canvas.line(foot, line);
    }
    (page, scroll)
}

/// Text for a room: more space between paragraphs, and above them, as far as there is any.
fn spaced(page: Rect, lines: Vec<Line<'static>>) -> (Rect, Vec<Line<'static>>) {
    let gaps = lines.iter().filter(|line| line.width() == 0).count();
    let height = usize::from(page.height);
    let wide = lines.len() + gaps <= height;
    let spaced = lines.into_iter().flat_map(|line| {
        let again = wide && line.width() == 0;
        std::iter::once(line).chain(again.then(Line::default))
    });
    let lines: Vec<Line<'static>> = spaced.collect();
    // A third, not half: text that stands in the middle looks as if it sank.
    let above = height.saturating_sub(lines.len()) / 3;
    (below(page, above as u16), lines)
}
