//! What stands on the frame of a pane that has the kernel's text.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::{Action, Model, Tab, ViewAction};
use crate::app::view::widgets::{self, Canvas, tabs};
use crate::document::Role;
use crate::lesson::RunCell;

/// The views of a run, as the title of a pane at `area`. The code's own view has the whole page.
pub(crate) fn run_tabs(canvas: &mut Canvas, area: Rect, model: &Model) -> Line<'static> {
    let all = [
        (Tab::Source, " Code "),
        (Tab::Counts, " Counts "),
        (Tab::Values, " Values "),
        (Tab::Ptx, " PTX "),
    ];
    let offered = all.iter().map(|&(tab, name)| widgets::Tab {
        name,
        is_shown: tab == model.look.tab,
        action: Action::View(ViewAction::Show(tab)),
    });
    tabs(canvas, area, offered)
}

/// The file's name, or the views where the code has the whole page; and whether it was edited.
pub(crate) fn title(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
) -> Line<'static> {
    let mut title = match model.look.tab {
        Tab::Source => run_tabs(canvas, area, model),
        _ => canvas.text(format!(" {} ", cell.source.name()), Role::Muted),
    };
    let edited = model.edit().filter(|edit| edit.is_changed());
    if let Some(edit) = edited {
        let text = match edit.of_older {
            true => "edited, older ",
            false => "edited ",
        };
        let dot = canvas.theme().dot();
        title.push_span(canvas.span(format!("{dot} {text}"), Role::Warning));
    }
    title
}
