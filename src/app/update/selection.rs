//! From cell to cell.

use crate::app::state::Model;
use crate::app::update::first_look;
use crate::app::update::scrolling::{page, scrolled};
use crate::lesson::is_of_file;

pub(crate) fn go_to_cell(model: &mut Model, cell: usize) {
    model.stand_at(cell.min(model.cells.len().saturating_sub(1)));
    model.popups.help = false;
    model.edits.view = None;
    model.edits.left = None;
    model.popups.evidence = None;
    model.look.comparison = None;
    first_look::arrive(model);
}

/// Goes on: through text that does not fit, then to the next step of the page, then to the next page.
pub(crate) fn advance(model: &mut Model) {
    let (text, scroll) = (model.look.seen.prose, &mut model.look.text_scroll);
    if *scroll < text.max_scroll() {
        *scroll = scrolled(*scroll, page(text.visible), text.max_scroll());
        return;
    }
    match model.next_step() {
        Some(step) => go_to_cell(model, step),
        None => {
            let of = whole(model);
            model.notice = Some(format!(
                "this is the end of the {of}; H goes to all lessons"
            ));
        }
    }
}

/// Goes back: to the beginning of the text, then to the step before.
pub(crate) fn retreat(model: &mut Model) {
    if std::mem::take(&mut model.look.text_scroll) > 0 {
        return;
    }
    match model.previous_step() {
        Some(step) => go_to_cell(model, step),
        None => model.notice = Some(format!("this is the beginning of the {}", whole(model))),
    }
}

/// What is leafed through.
fn whole(model: &Model) -> &'static str {
    match is_of_file(&model.lesson) {
        true => "file",
        false => "lesson",
    }
}

/// Goes to where the learner left the lesson before this visit.
pub(crate) fn go_on(model: &mut Model) {
    match model.visit.left_at {
        Some(cell) if cell != model.at => go_to_cell(model, cell),
        Some(_) => model.notice = Some("this is where you left the lesson".to_owned()),
        None => model.notice = Some("you begin this lesson: n goes on".to_owned()),
    }
}
