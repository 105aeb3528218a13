//! A lesson shown to a room: what the speaker's terminal is told, and the keys of a remote control.

use crate::app::state::{Action, Context, Model, Movement, PopupAction};
use crate::app::update::message::Effect;
use crate::app::update::selection::{advance, retreat};

impl Model {
    /// Tells the second terminal where the presentation is, if that is news.
    pub(crate) fn send_to_speaker(&mut self, effects: &mut Vec<Effect>) {
        // What to say of a page takes longer to find out than most messages take.
        if self.presentation.is_none() {
            return;
        }
        let spoken = self.spoken();
        if let Some(presentation) = &mut self.presentation
            && presentation.last_sent.as_ref() != Some(&spoken)
        {
            presentation.last_sent = Some(spoken.clone());
            effects.push(Effect::SendToSpeaker(spoken));
        }
    }
}

/// Takes the keys of a remote control, which go on and back wherever the presentation is, and digits, which change nothing
/// there; whether `action` was one of them. Enter answers a question first.
pub(crate) fn turn_page(model: &mut Model, action: &Action) -> bool {
    if model.presentation.is_none() || model.context().is_over_the_page() {
        return false;
    }
    use Movement::{Down, Left, PageDown, PageUp, Right, Up};
    // A remote control has one key that both answers and goes on: first the one, then the other.
    let asks = model.prediction().is_some() && !model.is_answer_shown();
    let plays = model.context() == Context::Blocks;
    match action {
        Action::Enter if asks || plays => return false,
        Action::Enter | Action::Move(PageDown | Down | Right) => advance(model),
        Action::Move(PageUp | Up | Left) => retreat(model),
        // A stray digit would change a size by accident.
        Action::Popup(PopupAction::Type(_)) => {}
        _ => return false,
    }
    true
}
