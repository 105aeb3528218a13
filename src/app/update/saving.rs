//! What a learner does in a lesson becomes part of what is kept.

use crate::app::state::{Model, StateChange};
use crate::app::update::message::Effect;

impl Model {
    /// Keeps the cell on screen as the learner's place, if it is another than before.
    pub(crate) fn save_place(&mut self, effects: &mut Vec<Effect>) {
        if self.visit.saved_cell == Some(self.at) || self.popups.tour.is_some() {
            return;
        }
        self.visit.saved_cell = Some(self.at);
        let name = self.lesson.cell_names().into_iter().nth(self.at);
        if let Some(cell) = name {
            let lesson = self.lesson.id.clone();
            self.keep(StateChange::Place { lesson, cell }, effects);
        }
    }

    /// Keeps that cell `index` ran and was right.
    pub(crate) fn save_run(&mut self, index: usize, effects: &mut Vec<Effect>) {
        let Some(cell) = self.lesson.cells.get(index).and_then(|cell| cell.id()) else {
            return;
        };
        // Kept with the text that ran: once the lesson has another, the page is to be done again.
        let Some(digest) = self.lesson.digests.get(cell) else {
            return;
        };
        let known = self.visit.saved.lessons.get(&self.lesson.id);
        // The file is written once for each page, not after each run.
        if known.and_then(|progress| progress.ran.get(cell)) == Some(digest) {
            return;
        }
        let change = StateChange::Ran {
            lesson: self.lesson.id.clone(),
            cell: cell.to_owned(),
            digest: digest.clone(),
        };
        self.keep(change, effects);
    }
}

impl Model {
    /// Keeps a value by key over the end of the program; none removes it.
    pub fn save_value(&mut self, key: &str, value: Option<String>, effects: &mut Vec<Effect>) {
        let key = key.to_owned();
        self.keep(StateChange::Value { key, value }, effects);
    }

    pub(crate) fn keep(&mut self, change: StateChange, effects: &mut Vec<Effect>) {
        // Here at once: what is saved is shown before the disk has it.
        self.visit.saved.take(change.clone());
        effects.push(Effect::Save(change));
    }
}
