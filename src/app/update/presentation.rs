//! A lesson shown to a room: what the speaker's terminal is told, and the keys of a remote control.

use crate::app::state::{Action, Model, Movement};
use crate::app::update::message::Effect;
use crate::app::update::selection::{advance, retreat};

impl Model {
    /// Tells the second terminal where the presentation is, if that is news.
    pub(crate) fn send_to_speaker(&mut self, effects: &mut Vec<Effect>) {
        let spoken = self.spoken();
        if let Some(presentation) = &mut self.presentation
            && presentation.last_sent.as_ref() != Some(&spoken)
        {
            presentation.last_sent = Some(spoken.clone());
            effects.push(Effect::SendToSpeaker(spoken));
        }
    }
}

/// Takes the keys of a remote control, page down and page up, from screen to screen; whether that is what
/// `action` was.
pub(crate) fn turn_page(model: &mut Model, action: &Action) -> bool {
    if model.presentation.is_none() {
        return false;
    }
    let turns = !model.context().is_over_the_page();
    match action {
        Action::Move(Movement::PageDown) if turns => advance(model),
        Action::Move(Movement::PageUp) if turns => retreat(model),
        _ => return false,
    }
    true
}
