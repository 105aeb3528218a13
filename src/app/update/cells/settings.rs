//! What runs are made for: sizes, the simulated GPU, the engine. Counts on screen follow each change.

use crate::app::state::Model;
use crate::app::state::cells::sizes;
use crate::app::update::message::Effect;
use crate::app::update::runs::{follow, replan};
use crate::device::{gpu_ids, grouped};
use crate::launch::Engine;

/// Takes the GPU at `index` of the table, and runs the cell again if it ran before.
pub(crate) fn set_gpu(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    let Some(id) = gpu_ids().nth(index) else {
        return;
    };
    // Picking what is there already would throw its results away.
    let in_use = model.simulated_row().is_some_and(|row| row.id == id);
    if in_use && model.gpu_in_use().id == id {
        return;
    }
    model.settings.gpu = Some(id.to_owned());
    replan(model);
    follow(model, effects);
}

/// Takes the row of the table `by` places on.
pub(crate) fn step_gpu(model: &mut Model, by: isize, effects: &mut Vec<Effect>) {
    let now = model.simulated_row().map(|row| row.id.as_str());
    let at = gpu_ids().position(|id| Some(id) == now).unwrap_or(0);
    let to = at.saturating_add_signed(by);
    if to == at || to >= gpu_ids().count() {
        let end = if by < 0 { "first" } else { "last" };
        model.notice = Some(format!("this is the {end} GPU of the table; U lists them"));
        return;
    }
    set_gpu(model, to, effects);
}

impl Model {
    /// Chooses the next size of those that are shown; behind the last stands the GPU, and behind that the first.
    pub(crate) fn choose_next_size(&mut self) {
        let mut shown = self.shown_sizes();
        // One behind the last size stands for the GPU, so that one key reaches all that can be changed.
        shown.push(self.lesson.sizes.len());
        let chosen = self.chosen_size();
        let at = shown.iter().position(|&index| index == chosen);
        self.look.size = shown[(at.unwrap_or(0) + 1) % shown.len()];
    }
}

/// A number that every change makes larger or smaller.
pub(crate) const SAMPLE: u64 = 100;

/// Changes the chosen size, or the GPU, which stands behind the sizes.
pub(crate) fn change_size(
    model: &mut Model,
    change: impl Fn(u64) -> u64,
    effects: &mut Vec<Effect>,
) {
    let index = model.chosen_size();
    let Some(size) = model.lesson.sizes.get(index) else {
        if !model.is_gpu_chosen() {
            model.notice = Some("this page has no size to change; U chooses the GPU".to_owned());
            return;
        }
        // The same keys change a size and step through GPUs: only the direction is left to take over.
        let by = if change(SAMPLE) > SAMPLE { 1 } else { -1 };
        return step_gpu(model, by, effects);
    };
    let old = size.of(&model.settings.sizes);
    let new = sizes::changed(size, old, change);
    if new == old {
        // A key that does nothing says why.
        let (end, limit) = if old == size.max {
            ("most", size.max)
        } else {
            ("least", size.min)
        };
        let limit = grouped(limit);
        model.notice = Some(format!("{} is at its {end}, {limit}", size.name));
        return;
    }
    set_size(model, index, new, effects);
}

pub(crate) fn set_size(model: &mut Model, index: usize, value: u64, effects: &mut Vec<Effect>) {
    let lesson = model.lesson.clone();
    let Some(size) = lesson.sizes.get(index) else {
        return;
    };
    if size.of(&model.settings.sizes) == value {
        return;
    }
    size.set(&mut model.settings.sizes, value);
    replan(model);
    follow(model, effects);
}

/// Takes the other engine, and runs the cell again on it if it ran before.
pub(crate) fn switch_engine(model: &mut Model, effects: &mut Vec<Effect>) {
    model.settings.engine = match model.settings.engine {
        Engine::Sim => Engine::Gpu,
        Engine::Gpu => Engine::Sim,
    };
    replan(model);
    follow(model, effects);
}
