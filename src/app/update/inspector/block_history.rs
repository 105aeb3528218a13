//! Asks for the history of the block that is looked into.

use crate::app::state::{HistoryKey, Model};
use crate::app::update::message::Effect;

/// Asks for the history of the block that is looked at, once.
pub(crate) fn ask_for_history(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.shows_values() {
        return;
    }
    let Some(state) = model.run_state() else {
        return;
    };
    let Some((ran, launch, watch)) = state.wanted() else {
        return;
    };
    let key = HistoryKey {
        job: ran.job,
        launch,
        watch,
    };
    // Asked for once, whether or not anything came: a block that cannot be stepped through would be asked
    // for with every message.
    if state.history.asked != Some(key) {
        state.history.asked = Some(key);
        state.history.error = None;
        effects.push(Effect::LoadHistory { ran, launch, watch });
    }
}
