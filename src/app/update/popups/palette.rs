//! The command palette: opened, moved through, and the marked entry picked.

use crate::app::state::queries::palette::RECENT;
use crate::app::state::{Action, LessonAction, Model, Movement, PaletteSearch, PaletteTarget};

/// Entries that a page is.
pub(crate) const PAGE: isize = 10;

/// Opens the palette, or closes it.
pub(crate) fn toggle(model: &mut Model) {
    let palette = &mut model.popups.palette;
    palette.open = match palette.open {
        Some(_) => None,
        None => Some(PaletteSearch::default()),
    };
}

/// Arrows, pages, home and end: which entry is marked. From the last, down leads to the first.
pub(crate) fn navigate(model: &mut Model, movement: Movement) {
    let count = model.palette_entries().len();
    let Some(search) = &mut model.popups.palette.open else {
        return;
    };
    let last = count.saturating_sub(1);
    let at = search.chosen.min(last);
    search.chosen = match movement {
        // Round both ends: what is sought may be nearer from below.
        Movement::Up if at == 0 => last,
        Movement::Up => at - 1,
        Movement::Down if at == last => 0,
        Movement::Down => at + 1,
        Movement::PageUp => at.saturating_add_signed(-PAGE),
        Movement::PageDown => at.saturating_add_signed(PAGE).min(last),
        Movement::Home => 0,
        Movement::End => last,
        _ => at,
    };
}

/// Closes the palette on entry `chosen`, and what else lies over the page. What it asks for comes back, to
/// be done on the page; of a command that means nothing there, only where it would is said.
pub(crate) fn pick(model: &mut Model, chosen: usize) -> Option<Action> {
    let entry = model.palette_entries().into_iter().nth(chosen)?;
    model.popups.palette.open = None;
    // What is picked is done on the page; a question left open would take the next keys.
    model.popups.prompt = None;
    model.popups.help = false;
    let command = match entry.target {
        PaletteTarget::Command(index) => model.popups.palette.commands.get(index).cloned(),
        PaletteTarget::Cell(_) => None,
    };
    if let Some(command) = command.as_ref().filter(|_| !entry.holds) {
        let place = command.contexts.first().map_or("elsewhere", |c| c.place());
        model.notice = Some(format!("`{}` is for {place}", command.words));
        return None;
    }
    let recent = &mut model.popups.palette.recent;
    // Moved to the front, not listed twice.
    recent.retain(|target| *target != entry.target);
    recent.insert(0, entry.target);
    recent.truncate(RECENT);
    match entry.target {
        PaletteTarget::Command(_) => command.map(|command| command.action),
        PaletteTarget::Cell(index) => Some(Action::Lesson(LessonAction::GoToCell(index))),
    }
}
