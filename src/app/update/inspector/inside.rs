//! Asks for the history of the block that is looked into.

use crate::app::state::Model;
use crate::app::update::message::Effect;

/// Asks for the history of the block that is looked at, once.
pub(crate) fn ask_for_inside(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.shows_values() {
        return;
    }
    let Some(state) = model.run_state() else {
        return;
    };
    let Some((ran, launch, watch)) = state.wanted() else {
        return;
    };
    let key = (ran.job, launch, watch);
    if state.looked.asked != Some(key) {
        state.looked.asked = Some(key);
        state.looked.error = None;
        effects.push(Effect::Look { ran, launch, watch });
    }
}
