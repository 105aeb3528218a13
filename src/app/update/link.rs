//! Following a link: to a cell at once, to a line or a step as soon as there are lines and steps.

use crate::app::state::{LessonLink, Model, RunState, Tab};
use crate::app::update::message::Effect;
use crate::app::update::runs::start;
use crate::app::update::scrolling::{go_to_source_line, show_step_line};
use crate::app::update::selection::go_to_cell;

impl Model {
    /// Goes to a place whose cell is number `cell`, from 0, and runs that cell if the place is inside of a
    /// warp.
    pub(crate) fn go_to_place(
        &mut self,
        cell: usize,
        place: LessonLink,
        effects: &mut Vec<Effect>,
    ) {
        go_to_cell(self, cell);
        let Some(state) = self.run_state() else {
            return;
        };
        // Links count from 1, as everything on screen does.
        state.launch = place.launch.map(|launch| launch - 1);
        let watch = &mut state.inspector.watch;
        watch.block = place.block.unwrap_or(watch.block);
        watch.warp = place.warp.unwrap_or(watch.warp);
        let is_in_warp = place.step.is_some() || place.block.is_some() || place.warp.is_some();
        self.visit.pending_link = Some(place);
        if is_in_warp {
            self.look.tab = Tab::Lanes;
            // The link has chosen the view: the first result must not change it.
            self.look.is_tab_chosen = true;
            start(self, cell, effects);
        }
    }

    /// Takes up what of the place could not be taken up before: a line once there is a screen, a step once
    /// there are values.
    pub(crate) fn resume_link(&mut self) {
        // Taken out and put back: what of it can be done now is done once.
        let Some(mut place) = self.visit.pending_link.take() else {
            return;
        };
        // Before the first frame nobody knows how many lines fit: a line cannot be put in the middle.
        if self.look.seen.source.visible > 0
            && let Some(line) = place.line.take()
        {
            go_to_source_line(self, line);
        }
        let (notice, is_waiting) = match self.run_state() {
            // Its steps come with the result of the run that goes on.
            Some(state) if state.job.is_some() => (None, true),
            Some(state) => (
                place.step.take().and_then(|step| state.stand_at(step)),
                false,
            ),
            None => (None, false),
        };
        if !is_waiting && place.step.is_none() {
            show_step_line(self);
        }
        self.notice = notice.or(self.notice.take());
        if place.line.is_some() || is_waiting && place.step.is_some() {
            self.visit.pending_link = Some(place);
        }
    }
}

impl RunState {
    /// Stands at a step, from 1, or at the last; says so if there is none with that number.
    pub(crate) fn stand_at(&mut self, step: usize) -> Option<String> {
        let steps = self.trace().map(|(_, trace)| trace.steps.len())?;
        self.inspector.step = step.min(steps).saturating_sub(1);
        (step > steps).then(|| format!("there is no step {step}: this warp takes {steps}"))
    }
}
