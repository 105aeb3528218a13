//! Names side by side of which one is chosen, each with what a click on it does.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::canvas::Canvas;
use crate::app::state::Action;
use crate::document::Role;

/// One of the names.
pub(crate) struct Tab<T> {
    pub name: T,
    pub is_shown: bool,
    pub action: Action,
}

/// The names as the title of a pane at `area`. The pane puts its title one cell in from its corner.
pub(crate) fn tabs<T: AsRef<str>>(
    canvas: &mut Canvas,
    area: Rect,
    tabs: impl IntoIterator<Item = Tab<T>>,
) -> Line<'static> {
    let mut line = Line::default();
    for tab in tabs {
        let role = if tab.is_shown {
            Role::Selection
        } else {
            Role::Muted
        };
        let span = canvas.span(tab.name, role);
        canvas.click_at_column(area, 1 + line.width(), span.width(), tab.action);
        line.push_span(span);
    }
    line
}
