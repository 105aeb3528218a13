//! What is on screen: the cell, the pane, the launch, the values.

use crate::app::state::{CellState, Focus, Fold, Layout, Model, Tab};
use crate::app::update::scrolling::{page, scrolled};

pub(crate) fn go_to_cell(model: &mut Model, cell: usize) {
    let cell = cell.min(model.cells.len().saturating_sub(1));
    if cell == model.at {
        let last = cell + 1 == model.cells.len();
        model.notice = Some(
            if last {
                "this is the last cell"
            } else {
                "this is the first cell"
            }
            .to_owned(),
        );
        return;
    }
    model.at = cell;
    model.popups.help = None;
    model.edits.view = None;
    model.popups.evidence = None;
    model.look.comparison = None;
    model.look.focus = Focus::Source;
    // Values and PTX belong to the run that was looked at; counts and sources every run has.
    if matches!(model.look.tab, Tab::Values | Tab::Ptx) || model.look.seen.layout == Layout::One {
        model.look.tab = Tab::Source;
    }
}

impl Model {
    pub(crate) fn set_fold(&mut self, fold: Fold) {
        let count = self.cells.len();
        self.look.folds.resize(count, Fold::Open);
        if let Some(slot) = self.look.folds.get_mut(self.at) {
            *slot = fold;
        }
    }
}

/// Opens the cell on screen: something in it is asked for.
pub(crate) fn unfold(model: &mut Model) {
    if model.fold(model.at) != Fold::Open {
        model.set_fold(Fold::Open);
    }
}

/// Space: a page further, and the next cell after the last page.
pub(crate) fn advance(model: &mut Model) {
    let seen = model.look.seen;
    let page_of_text = model
        .cells
        .get_mut(model.at)
        .and_then(CellState::page_scroll);
    match page_of_text {
        Some(scroll) if *scroll < seen.prose.max_scroll() => {
            *scroll = scrolled(*scroll, page(seen.prose.visible), seen.prose.max_scroll());
        }
        _ => go_to_cell(model, model.at + 1),
    }
}

/// Goes to where the learner left the lesson before this visit.
pub(crate) fn go_on(model: &mut Model) {
    match model.visit.left_at {
        Some(cell) if cell != model.at => go_to_cell(model, cell),
        Some(_) => model.notice = Some("this is where you left the lesson".to_owned()),
        None => model.notice = Some("you begin this lesson: n goes to the next cell".to_owned()),
    }
}
