//! Which GPU is simulated. Its counts follow when another is chosen, as they follow the sizes.

use crate::app::state::{Effect, Model, Ran};
use crate::app::update::{follow, replan};
use crate::device::{self, DEFAULT_GPU, Gpu, gpu_ids, gpu_or_usual};
use crate::launch::Engine;

impl Model {
    /// The GPU that cells are simulated on, or would be: the one that was chosen, else the one whose
    /// counts are on screen, else the usual one; an id of the GPU table.
    pub fn simulated(&self) -> &str {
        let ran = self.run_cell().and_then(|(_, state)| state.ran.as_ref());
        let simulated = ran.map(|ran| ran.result.outcome.simulated.as_str());
        self.gpu.as_deref().or(simulated).unwrap_or(DEFAULT_GPU)
    }

    /// The GPU whose figures formulas use: the one that was chosen, else the real one where cells run on
    /// it, else the usual one.
    pub fn gpu_in_use(&self) -> &'static Gpu {
        let real = self.found.as_deref().filter(|_| self.engine == Engine::Gpu);
        gpu_or_usual(self.gpu.as_deref().or(real).unwrap_or(DEFAULT_GPU))
    }

    /// Whether a result belongs to other sizes or another GPU than those chosen.
    pub fn is_stale(&self, ran: &Ran) -> bool {
        let outcome = &ran.result.outcome;
        let row = |id: &str| device::gpu(id).ok().map(|row| row.id.as_str());
        let other = |chosen: &String| row(chosen) != row(&outcome.simulated);
        ran.result.sizes != self.sizes || self.gpu.as_ref().is_some_and(other)
    }

    /// Its row of the GPU table.
    pub fn simulated_row(&self) -> Option<&'static Gpu> {
        device::gpu(self.simulated()).ok()
    }
}

/// Takes the GPU at `index` of the table, and runs the cell again if it ran before.
pub(crate) fn set_gpu(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    let Some(id) = gpu_ids().nth(index) else {
        return;
    };
    let in_use = model.simulated_row().is_some_and(|row| row.id == id);
    if in_use && model.gpu_in_use().id == id {
        return;
    }
    model.gpu = Some(id.to_owned());
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
