//! The tour: its notes one after the other, each doing what it speaks of.

use crate::app::state::{Action, LessonAction, Model, Movement, Tab, Tour, TourStep, ViewAction};
use crate::app::update::cells::run::run_this;
use crate::app::update::message::Effect;
use crate::app::update::panes;
use crate::app::update::selection::go_to_cell;

/// Goes on with the tour where `action` is one that goes on, or ends it; whether it was one of them.
pub(crate) fn take(model: &mut Model, action: &Action, effects: &mut Vec<Effect>) -> bool {
    match action {
        Action::Enter
        | Action::Lesson(LessonAction::Advance)
        | Action::View(ViewAction::NextView)
        | Action::Move(Movement::Right | Movement::Down) => model.next_of_tour(effects),
        Action::Back => model.end_tour(effects),
        _ => return false,
    }
    true
}

impl Model {
    /// Begins the tour, unless it was seen.
    pub(crate) fn offer_tour(&mut self) {
        // A lesson without cells has nothing that the notes could point at.
        if self.visit.saved.value(KEY).is_none() && !self.cells.is_empty() {
            self.begin_tour();
        }
    }

    /// Begins the tour.
    pub(crate) fn begin_tour(&mut self) {
        self.popups.help = false;
        self.popups.tour = Some(Tour {
            at: 0,
            began: self.at,
        });
    }

    /// The next note, and on screen what it speaks of.
    pub(crate) fn next_of_tour(&mut self, effects: &mut Vec<Effect>) {
        if let Some(tour) = &mut self.popups.tour {
            tour.at += 1;
        }
        let step = self.tour_step().map(|(step, ..)| step);
        let speaks_of = match step {
            // On the page where they are: a note about a question has to stand beside one.
            Some(TourStep::Ask) => self.first_question(),
            Some(TourStep::Run) => self.first_run(),
            _ => None,
        };
        match (step, speaks_of) {
            (None, _) => self.end_tour(effects),
            (_, Some(cell)) if cell != self.at => go_to_cell(self, cell),
            (Some(TourStep::Inside), _) => {
                run_this(self, effects);
                panes::show(self, Tab::Lanes);
            }
            _ => {}
        }
    }

    /// Ends the tour where it began, for good.
    pub(crate) fn end_tour(&mut self, effects: &mut Vec<Effect>) {
        let Some(tour) = self.popups.tour.take() else {
            return;
        };
        // The tour leafed to pages that it speaks of; the lesson is read from where it was opened.
        if tour.began != self.at {
            go_to_cell(self, tour.began);
        }
        self.save_value(KEY, Some("seen".to_owned()), effects);
    }
}

/// Under this key is kept that the tour was seen.
pub(crate) const KEY: &str = "tour";
