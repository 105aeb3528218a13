//! The note of the tour that is on screen.

use crate::app::state::{Model, TourStep};
use crate::lesson::Cell;

impl Model {
    /// The notes of the tour: those about kernels only where the lesson runs one.
    pub(crate) fn tour_steps(&self) -> &'static [TourStep] {
        use TourStep::*;
        match (self.first_run(), self.first_question()) {
            (Some(_), _) => &[Welcome, Next, Run, Inside, Help],
            (None, Some(_)) => &[Welcome, Next, Ask, Help],
            (None, None) => &[Welcome, Next, Help],
        }
    }

    /// The first question.
    pub(crate) fn first_question(&self) -> Option<usize> {
        let mut cells = self.lesson.cells.iter();
        cells.position(|cell| matches!(cell, Cell::Prediction(_)))
    }

    /// The first run that gives away no answer: of no question is it the answer, and none is asked before it on its page.
    pub(crate) fn first_run(&self) -> Option<usize> {
        let cells = &self.lesson.cells;
        let is_question = |at: usize| matches!(cells[at], Cell::Prediction(_));
        let is_asked_of = |id: &str| {
            cells.iter().any(|cell| match cell {
                Cell::Prediction(asked) => asked.runs() == Some(id),
                _ => false,
            })
        };
        let spoils = |at: usize, id: &str| {
            let page = self.lesson.page_of(at).map(|(_, page)| page.cells);
            let before = page.map_or(at..at, |cells| cells.start..at);
            is_asked_of(id) || before.into_iter().any(is_question)
        };
        let mut runs = cells.iter().enumerate();
        runs.position(|(at, cell)| match cell {
            Cell::Run(run) => !spoils(at, &run.id),
            _ => false,
        })
    }

    /// The note on screen, its number from 1, and how many there are; nothing if no tour goes.
    pub fn tour_step(&self) -> Option<(TourStep, usize, usize)> {
        let steps = self.tour_steps();
        let at = self.popups.tour?.at;
        Some((*steps.get(at)?, at + 1, steps.len()))
    }
}
