//! The note of the tour that is on screen.

use crate::app::state::{Model, TourStep};
use crate::lesson::Cell;

impl Model {
    /// The notes of the tour: those about kernels only where the lesson runs one.
    pub(crate) fn tour_steps(&self) -> &'static [TourStep] {
        use TourStep::*;
        match self.first_run() {
            Some(_) => &[Welcome, Next, Run, Inside, Help],
            None => &[Welcome, Next, Help],
        }
    }

    pub(crate) fn first_run(&self) -> Option<usize> {
        let mut cells = self.lesson.cells.iter();
        cells.position(|cell| matches!(cell, Cell::Run(_)))
    }

    /// The note on screen, its number from 1, and how many there are; nothing if no tour goes.
    pub fn tour_step(&self) -> Option<(TourStep, usize, usize)> {
        let steps = self.tour_steps();
        let at = self.popups.tour?.at;
        Some((*steps.get(at)?, at + 1, steps.len()))
    }
}
