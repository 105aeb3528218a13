//! What a speaker's second terminal is told.

use crate::app::state::{Model, SpeakerState, Stage};
use crate::lesson::LessonPage;

impl Model {
    /// Where the presentation is. When it began is not known here.
    pub(crate) fn spoken(&self) -> SpeakerState {
        let page = self.page();
        let title = page.as_ref().map(|(_, page)| self.lesson.page_title(page));
        let notes = page.as_ref().map(|(_, page)| self.notes_of(page));
        let at = page.map_or(0, |(number, _)| number + 1);
        let held = self.prediction().map(|(_, state)| state.stage) == Some(Stage::Held);
        SpeakerState {
            lesson: self.lesson.title.clone(),
            at: (at, self.lesson.pages().len()),
            title: title.unwrap_or_default(),
            notes: notes.unwrap_or_default(),
            next: self.next_page(),
            is_held: held,
            minutes: self.lesson.minutes,
            began: 0,
        }
    }

    /// What the lesson has to say of any cell of `page`.
    fn notes_of(&self, page: &LessonPage) -> String {
        let notes = self.lesson.notes.range(page.cells.clone());
        let notes: Vec<&str> = notes.map(|(_, notes)| notes.as_str()).collect();
        notes.join("\n\n")
    }
}
