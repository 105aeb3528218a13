//! What a learner does in a lesson becomes part of what is kept.

use super::selection::go_to_cell;
use crate::app::state::{Change, Effect, Model};

impl Model {
    /// Keeps the cell on screen as the learner's place, if it is another than before.
    pub(crate) fn keep_place(&mut self, effects: &mut Vec<Effect>) {
        if self.told == Some(self.at) || self.tour.is_some() {
            return;
        }
        self.told = Some(self.at);
        let name = self.lesson.cell_names().into_iter().nth(self.at);
        if let Some(cell) = name {
            let lesson = self.lesson.id.clone();
            self.keep(Change::Place { lesson, cell }, effects);
        }
    }

    /// Keeps that cell `index` ran and was right.
    pub(crate) fn keep_ran(&mut self, index: usize, effects: &mut Vec<Effect>) {
        let Some(cell) = self.lesson.cells.get(index).and_then(|cell| cell.id()) else {
            return;
        };
        let Some(digest) = self.lesson.digests.get(cell) else {
            return;
        };
        let known = self.kept.lessons.get(&self.lesson.id);
        if known.and_then(|kept| kept.ran.get(cell)) == Some(digest) {
            return;
        }
        let change = Change::Ran {
            lesson: self.lesson.id.clone(),
            cell: cell.to_owned(),
            digest: digest.clone(),
        };
        self.keep(change, effects);
    }
}

/// Goes to where the learner left the lesson before this visit.
pub(crate) fn go_on(model: &mut Model) {
    match model.left {
        Some(cell) if cell != model.at => go_to_cell(model, cell),
        Some(_) => model.notice = Some("this is where you left the lesson".to_owned()),
        None => model.notice = Some("you begin this lesson: n goes to the next cell".to_owned()),
    }
}
