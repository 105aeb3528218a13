//! Starting the lesson over.

use crate::app::state::{CellState, Model, Prompt, PromptKind};
use crate::app::update::message::Effect;
use crate::app::update::runs::stop;

/// Asks whether to start the lesson over.
pub(crate) fn ask_restart(model: &mut Model) {
    model.popups.prompt = Some(Prompt::new(PromptKind::Restart));
}

/// Forgets every result, answer and size; the place, the watched warps and the GPU stay.
pub(crate) fn restart(model: &mut Model, effects: &mut Vec<Effect>) {
    stop(model, effects);
    model.runs.queue.clear();
    let lesson = model.lesson.clone();
    model.settings.sizes = lesson.first_sizes();
    let gpu = model.gpu_in_use();
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        let mut fresh = CellState::fresh(cell, &model.settings.sizes, gpu);
        if let (Some(old), Some(new)) = (state.as_run(), fresh.as_run_mut()) {
            new.inspector.watch = old.inspector.watch;
        }
        *state = fresh;
    }
    model.notice = Some("started over: nothing has run".to_owned());
}
