//! A lesson shown to a room: what the speaker's terminal is told, and the keys of a remote control.

use crate::app::state::{Action, Context, Model, Movement};
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
    let is_whole = model.look.seen.source.max_scroll() == 0;
    let turns = match model.context() {
        Context::Prose | Context::Prediction | Context::Table | Context::Calculator => true,
        Context::Source => is_whole,
        _ => false,
    };
    match action {
        Action::Move(Movement::PageDown) if turns => advance(model),
        Action::Move(Movement::PageUp) if turns => retreat(model),
        _ => return false,
    }
    true
}
