//! The page on screen: its steps, what its text says at each, and the code beside it.

use crate::app::state::{CellState, Model, Stage};
use crate::lesson::{Cell, LessonPage, ShownCode};

/// The cells whose text stands on a page at a step, as indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTexts {
    /// Of the steps before: shown while there is room.
    pub earlier: Vec<usize>,
    /// What leads to the step.
    pub before: Vec<usize>,
    /// What is said of it, once it may be read.
    pub after: Vec<usize>,
}

impl Model {
    /// The page on screen, and its number from 0.
    pub fn page(&self) -> Option<(usize, LessonPage)> {
        self.lesson.page_of(self.at)
    }

    /// What goes on: the next step of the page, else the first of the next page.
    pub fn next_step(&self) -> Option<usize> {
        let mut steps = self.lesson.pages().into_iter().flat_map(|page| page.steps);
        steps.find(|&step| step > self.at)
    }

    /// Whether there is more: of the text on screen, or a step after it.
    pub fn can_advance(&self) -> bool {
        self.look.text_scroll < self.look.seen.prose.max_scroll() || self.next_step().is_some()
    }

    /// What goes back: the step before, of this page or of the one before.
    pub fn previous_step(&self) -> Option<usize> {
        let steps = self.lesson.pages().into_iter().flat_map(|page| page.steps);
        // A paragraph may be on screen by a link, between two steps: the nearest before it is meant.
        steps.filter(|&step| step < self.at).max()
    }

    /// The title of the page that comes next.
    pub fn next_page(&self) -> Option<String> {
        let (number, _) = self.page()?;
        let pages = self.lesson.pages();
        Some(self.lesson.page_title(pages.get(number + 1)?))
    }

    /// The code that the page shows now.
    pub fn shown_code(&self) -> Option<ShownCode<'_>> {
        let (_, page) = self.page()?;
        self.lesson.code_of(&page, self.at)
    }

    /// The text that the page shows now.
    pub fn shown_texts(&self) -> PageTexts {
        let Some((_, page)) = self.page() else {
            return PageTexts::default();
        };
        let before = page.before(self.at);
        let is_text =
            |at: &usize| matches!(self.lesson.cells[*at], Cell::Prose(_) | Cell::Kernel(_));
        let is_known = |at: &usize| match &self.cells[*at] {
            CellState::Prediction(state) => state.stage == Stage::Revealed,
            _ => is_text(at),
        };
        // What follows a question may answer it.
        let asks = self.prediction().is_some() && !self.is_answer_shown();
        let after = if asks { 0..0 } else { page.after(self.at) };
        // Once an answer is known what led to its question has been read.
        let split = if self.is_answer_shown() {
            before.end
        } else {
            before.start
        };
        PageTexts {
            earlier: (page.cells.start..split).filter(is_known).collect(),
            before: (split..before.end).filter(is_text).collect(),
            after: after.filter(is_text).collect(),
        }
    }
}
