//! The tour of a first visit: a few notes that point at the screen, and do what they speak of.

use crate::app::state::{Effect, Model, Tab};
use crate::app::update::run_this;
use crate::app::update::{go_to_cell, show};
use crate::lesson::Cell;

/// Under this key is kept that the tour was seen.
const KEY: &str = "tour";

/// A note of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourStep {
    /// What this is.
    Welcome,
    /// How to get on.
    Next,
    /// How to run a kernel.
    Run,
    /// How to look inside of it.
    Inside,
    /// Where all keys are.
    Help,
}

/// The tour where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tour {
    /// Number of the note, from 0.
    at: usize,
    /// The cell it began in, to which it returns.
    began: usize,
}

impl Model {
    /// The notes of the tour: those about kernels only where the lesson runs one.
    fn tour_steps(&self) -> &'static [TourStep] {
        use TourStep::*;
        match self.first_run() {
            Some(_) => &[Welcome, Next, Run, Inside, Help],
            None => &[Welcome, Next, Help],
        }
    }

    fn first_run(&self) -> Option<usize> {
        let mut cells = self.lesson.cells.iter();
        cells.position(|cell| matches!(cell, Cell::Run(_)))
    }

    /// The note on screen, its number from 1, and how many there are; nothing if no tour goes.
    pub fn tour_step(&self) -> Option<(TourStep, usize, usize)> {
        let steps = self.tour_steps();
        let at = self.tour?.at;
        Some((*steps.get(at)?, at + 1, steps.len()))
    }

    /// Begins the tour, unless it was seen.
    pub(crate) fn offer_tour(&mut self) {
        if self.kept.value(KEY).is_none() && !self.cells.is_empty() {
            self.begin_tour();
        }
    }

    /// Begins the tour.
    pub(crate) fn begin_tour(&mut self) {
        self.help = None;
        self.tour = Some(Tour {
            at: 0,
            began: self.at,
        });
    }

    /// The next note, and on screen what it speaks of.
    pub(crate) fn next_of_tour(&mut self, effects: &mut Vec<Effect>) {
        if let Some(tour) = &mut self.tour {
            tour.at += 1;
        }
        match (self.tour_step(), self.first_run()) {
            (None, _) => self.end_tour(effects),
            (Some((TourStep::Run, ..)), Some(cell)) if cell != self.at => go_to_cell(self, cell),
            (Some((TourStep::Inside, ..)), _) => {
                run_this(self, effects);
                if self.look.tab != Tab::Values {
                    show(self, Tab::Values);
                }
            }
            _ => {}
        }
    }

    /// Ends the tour where it began, for good.
    pub(crate) fn end_tour(&mut self, effects: &mut Vec<Effect>) {
        let Some(tour) = self.tour.take() else { return };
        if tour.began != self.at {
            go_to_cell(self, tour.began);
        }
        self.keep_value(KEY, Some("seen".to_owned()), effects);
    }
}
