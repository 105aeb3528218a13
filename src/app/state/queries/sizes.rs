//! Which sizes and GPU the cell on screen goes by.

use std::collections::BTreeSet;

use crate::app::state::{FinishedRun, Model};
use crate::device::{self, DEFAULT_GPU, Gpu, gpu_or_usual};
use crate::launch::Engine;
use crate::lesson::{Cell, NamedValue};

impl Model {
    /// The GPU that cells are simulated on, or would be: the one that was chosen, else the one whose
    /// counts are on screen, else the usual one; an id of the GPU table.
    pub fn simulated(&self) -> &str {
        let ran = self.run_cell().and_then(|(_, state)| state.ran.as_ref());
        let simulated = ran.map(|ran| ran.result.outcome.simulated.as_str());
        self.settings
            .gpu
            .as_deref()
            .or(simulated)
            .unwrap_or(DEFAULT_GPU)
    }

    /// The GPU whose figures formulas use: the one that was chosen, else the real one where cells run on
    /// it, else the usual one.
    pub fn gpu_in_use(&self) -> &'static Gpu {
        let real = self
            .settings
            .found_gpu
            .as_deref()
            .filter(|_| self.settings.engine == Engine::Gpu);
        gpu_or_usual(self.settings.gpu.as_deref().or(real).unwrap_or(DEFAULT_GPU))
    }

    /// Whether a result belongs to other sizes or another GPU than those chosen.
    pub fn is_stale(&self, ran: &FinishedRun) -> bool {
        let outcome = &ran.result.outcome;
        // One GPU goes by several names, so that rows are compared, not what was typed.
        let row = |id: &str| device::gpu(id).ok().map(|row| row.id.as_str());
        let other = |chosen: &String| row(chosen) != row(&outcome.simulated);
        ran.result.sizes != self.settings.sizes || self.settings.gpu.as_ref().is_some_and(other)
    }

    /// Its row of the GPU table.
    pub fn simulated_row(&self) -> Option<&'static Gpu> {
        device::gpu(self.simulated()).ok()
    }
}

impl Model {
    /// The sizes that the cell on screen goes by, as indices into the lesson's: those that a run, a
    /// question or a figure uses, else all.
    pub fn shown_sizes(&self) -> Vec<usize> {
        let uses = self.shown_uses();
        let sizes = self.lesson.sizes.iter().enumerate();
        let shown = sizes.filter(|(_, size)| match &uses {
            Some(uses) => uses.contains(&size.name),
            None => true,
        });
        shown.map(|(index, _)| index).collect()
    }

    /// The named values that the cell on screen uses, each with its value at the sizes chosen, if it has one.
    pub fn shown_values(&self) -> Vec<(&NamedValue, Option<u64>)> {
        let uses = self.shown_uses().unwrap_or_default();
        let (sizes, gpu) = (
            self.lesson.complete(&self.settings.sizes),
            self.gpu_in_use(),
        );
        let values = self.lesson.values.iter();
        let values = values.filter(|value| uses.contains(&value.name));
        values
            .map(|value| (&**value, value.formula.evaluate(&sizes, gpu).ok()))
            .collect()
    }

    pub(crate) fn shown_uses(&self) -> Option<BTreeSet<String>> {
        match self.lesson.cells.get(self.at)? {
            Cell::Run(cell) => Some(cell.used_sizes()),
            Cell::Exercise(cell) => Some(cell.run.used_sizes()),
            Cell::Prediction(cell) => Some(cell.uses.clone()),
            Cell::Figure(cell) => Some(cell.uses(&self.lesson)),
            _ => None,
        }
    }

    /// The size that keys change: an index into the lesson's, or their number for the GPU, which stands behind
    /// them. One that is not shown gives way to the first that is.
    pub fn chosen_size(&self) -> usize {
        let (chosen, shown) = (self.look.size, self.shown_sizes());
        let gpu = self.lesson.sizes.len();
        match chosen {
            chosen if chosen >= gpu || shown.contains(&chosen) => chosen.min(gpu),
            _ => shown.first().copied().unwrap_or(gpu),
        }
    }

    /// Whether somebody has chosen the GPU, so that keys step through GPUs.
    pub fn is_gpu_chosen(&self) -> bool {
        self.look.size >= self.lesson.sizes.len() && !self.lesson.sizes.is_empty()
    }
}
