//! A lesson shown to a room: what the second terminal is told, and the keys of a remote control.
//!
//! Invariant: what is told holds nothing of a right answer.

use serde::{Deserialize, Serialize};

use super::{Action, CellState, Context, Effect, Model, Stage};
use crate::app::update::advance;
use crate::app::update::go_to_cell;

/// What a speaker's second terminal shows: where the presentation is, and what to say there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// The lesson's title.
    pub lesson: String,
    /// The cell on screen, from 1, and how many there are.
    pub at: (usize, usize),
    /// The cell's title.
    pub title: String,
    /// What to say, in Markdown; may be empty.
    pub notes: String,
    /// The title of the next cell; nothing after the last.
    pub next: Option<String>,
    /// Whether an answer is given whose truth is not shown yet.
    pub is_held: bool,
    /// Minutes that the lesson takes, as its author says.
    pub minutes: u32,
    /// When the presentation began, in seconds since 1970.
    pub began: u64,
}

/// A presentation under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presentation {
    /// Seconds since it began.
    pub seconds: u64,
    /// What was told last.
    told: Option<Spoken>,
}

impl Model {
    /// Where the presentation is. When it began is not known here.
    fn spoken(&self) -> Spoken {
        let title = |at: usize| self.lesson.cells.get(at).map(|cell| cell.title());
        let held = self.prediction().map(|(_, state)| state.stage) == Some(Stage::Held);
        Spoken {
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

    /// Tells the second terminal where the presentation is, if that is news.
    pub(crate) fn tell(&mut self, effects: &mut Vec<Effect>) {
        let spoken = self.spoken();
        if let Some(presentation) = &mut self.presentation
            && presentation.told.as_ref() != Some(&spoken)
        {
            presentation.told = Some(spoken.clone());
            effects.push(Effect::Tell(spoken));
        }
    }
}

/// Takes the keys of a remote control, page down and page up, from screen to screen; whether that is what
/// `action` was.
pub(crate) fn turn_page(model: &mut Model, action: &Action) -> bool {
    if model.presentation.is_none() {
        return false;
    }
    let is_whole = model.look.seen.source.max_scroll() == 0;
    let turns = match model.context() {
        Context::Prose | Context::Prediction | Context::Table | Context::Calculator => true,
        Context::Source => is_whole,
        _ => false,
    };
    let cell = model.cells.get_mut(model.at);
    let below_top = cell
        .and_then(CellState::page_scroll)
        .is_some_and(|scroll| *scroll > 0);
    match action {
        Action::PageDown if turns => advance(model),
        Action::PageUp if turns && !below_top => go_to_cell(model, model.at.saturating_sub(1)),
        _ => return false,
    }
    true
}
