//! What a speaker's second terminal is told.

use crate::app::state::{Model, SpeakerState, Stage};

impl Model {
    /// Where the presentation is. When it began is not known here.
    pub(crate) fn spoken(&self) -> SpeakerState {
        let title = |at: usize| self.lesson.cells.get(at).map(|cell| cell.title());
        let held = self.prediction().map(|(_, state)| state.stage) == Some(Stage::Held);
        SpeakerState {
            lesson: self.lesson.title.clone(),
            at: (self.at + 1, self.cells.len()),
            title: title(self.at).unwrap_or_default(),
            notes: self.lesson.notes.get(&self.at).cloned().unwrap_or_default(),
            next: title(self.at + 1),
            is_held: held,
            minutes: self.lesson.minutes,
            began: 0,
        }
    }
}
