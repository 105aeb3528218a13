//! What a speaker's second terminal is told.

use crate::app::state::{Model, SpeakerState, Stage};
use crate::device::grouped;
use crate::lesson::{Answer, LessonPage, PredictionCell};

impl Model {
    /// Where the presentation is. When it began is not known here.
    pub(crate) fn spoken(&self) -> SpeakerState {
        let page = self.page();
        let title = page.as_ref().map(|(_, page)| self.lesson.page_title(page));
        let notes = page.as_ref().map(|(_, page)| self.notes_of(page));
        let at = page.map_or(0, |(number, _)| number + 1);
        let is_held = self.prediction().map(|(_, state)| state.stage) == Some(Stage::Held);
        SpeakerState {
            lesson: self.lesson.title.clone(),
            at: (at, self.lesson.pages().len()),
            title: title.unwrap_or_default(),
            notes: notes.unwrap_or_default(),
            answer: self
                .prediction()
                .map_or_else(String::new, |(cell, _)| self.answer_to(cell)),
            next: self.next_page(),
            is_held,
            minutes: self.lesson.minutes,
            // The state knows no clock; who publishes it puts the time in.
            began: 0,
        }
    }

    /// What is right, and why: of a count that is not known yet the formula that it has to equal.
    fn answer_to(&self, cell: &PredictionCell) -> String {
        let (sizes, gpu) = self.asked_of(cell);
        let result = cell.runs().and_then(|id| self.result_of(id));
        let formula = match &cell.answer {
            Answer::Formula(formula) => Some(formula),
            Answer::Counted(counts) => counts.formula.as_ref(),
            Answer::Timed(_) => None,
        };
        let value = match cell.truth(sizes, gpu, result) {
            Ok(truth) => Some(truth.value),
            // The speaker is told what is expected before the kernel has run.
            Err(_) => formula.and_then(|formula| formula.evaluate(&cell.complete(sizes), gpu).ok()),
        };
        let right = match (formula, value) {
            (Some(formula), Some(value)) => format!("{} = {}", formula.textbook(), grouped(value)),
            (None, Some(value)) => format!("{}{}", grouped(value), cell.unit()),
            (_, None) => "known once it has run".to_owned(),
        };
        let why = cell.explain.at(&cell.complete(sizes), gpu);
        format!("**Right:** {right}\n\n{why}")
    }

    /// What the lesson has to say of any cell of `page`.
    fn notes_of(&self, page: &LessonPage) -> String {
        let notes = self.lesson.notes.range(page.cells.clone());
        let notes: Vec<&str> = notes.map(|(_, notes)| notes.as_str()).collect();
        notes.join("\n\n")
    }
}
