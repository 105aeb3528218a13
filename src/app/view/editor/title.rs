//! What stands on the frame of a pane that has the kernel's text.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::state::{Action, Model, Tab, ViewAction};
use crate::app::view::widgets::{self, Canvas, tabs};
use crate::document::Role;
use crate::lesson::RunCell;

/// Width from which the names of views have blanks around them, if they then still stand on one line.
const ROOMY: u16 = 48;

/// The views of a run, as the title of a pane at `area`.
pub(crate) fn run_tabs(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
) -> Line<'static> {
    let current = model.look.tab;
    let all = Tab::of(cell.source.name());
    let last = all.len() - 1;
    // The title begins one cell in from the corner, and ends before the other.
    let with_blanks: usize = all.iter().map(|(_, name)| name.len() + 2).sum::<usize>() + 2;
    let is_roomy = area.width >= ROOMY && usize::from(area.width) >= with_blanks;
    let mut offered = Vec::new();
    for (at, &(tab, name)) in all.iter().enumerate() {
        offered.push(widgets::Tab {
            // Blanks around each name where there is room; between two names one at least.
            name: match (!is_roomy, at == last) {
                (true, true) => name.to_owned(),
                (true, false) => format!("{name} "),
                (false, _) => format!(" {name} "),
            },
            is_shown: tab == current,
            action: Action::View(ViewAction::Show(tab)),
        });
    }
    tabs(canvas, area, offered)
}

/// The tabs where the code has the page, else the file's name; and whether it was edited.
pub(crate) fn title(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
) -> Line<'static> {
    let mut title = match model.look.tab {
        Tab::Code => run_tabs(canvas, area, model, cell),
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
