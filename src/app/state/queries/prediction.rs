//! What is known of a prediction, and of the runs that it asks about.

use crate::app::state::{CellState, FinishedRun, Model, PredictionState, Reveal, Stage};
use crate::device::Gpu;
use crate::launch::Engine;
use crate::lesson::{Cell, CellResult, PredictionCell, Sizes};

impl Model {
    /// The index of the run cell called `id`.
    pub(crate) fn run_index(&self, id: &str) -> Option<usize> {
        let is = |cell: &Cell| matches!(cell, Cell::Run(run) if run.id == id);
        self.lesson.cells.iter().position(is)
    }

    /// The last run of the cell called `id`.
    pub(crate) fn ran_of(&self, id: &str) -> Option<&FinishedRun> {
        match self.cells.get(self.run_index(id)?)? {
            CellState::Run(state) => state.ran.as_deref(),
            _ => None,
        }
    }

    /// The last result of the run cell called `id`.
    pub fn result_of(&self, id: &str) -> Option<&CellResult> {
        Some(&self.ran_of(id)?.result)
    }

    /// Whether the prediction on screen shows what is right: from there on it is text to be read.
    pub(crate) fn is_answer_shown(&self) -> bool {
        self.prediction().is_some_and(|(cell, state)| {
            state.stage == Stage::Revealed && matches!(self.reveal(cell), Reveal::Known(_))
        })
    }

    /// Whether `cell` can be asked.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn is_asked(&self, cell: &PredictionCell) -> Result<(), String> {
        let (real, samples) = (self.settings.engine == Engine::Gpu, self.runs.samples.all());
        cell.is_asked(&self.lesson, &self.settings.sizes, real, samples)
    }

    /// The question on screen and its state, while an answer to it can be given.
    pub(crate) fn open_question(&self) -> Option<(&PredictionCell, &PredictionState)> {
        let open = self.prediction()?;
        (open.1.stage == Stage::Open && self.is_asked(open.0).is_ok()).then_some(open)
    }

    /// Whether an answer to the question on screen is typed: digits go there then, not to the sizes.
    pub(crate) fn is_answer_typed(&self) -> bool {
        self.open_question()
            .is_some_and(|(cell, _)| cell.choices.is_empty())
    }

    /// The sizes and the GPU that `cell` was asked of: an answer that was given is not held against others.
    pub(crate) fn asked_of(&self, cell: &PredictionCell) -> (&Sizes, &'static Gpu) {
        let at = |of: &Cell| matches!(of, Cell::Prediction(other) if other.id == cell.id);
        let at = self.lesson.cells.iter().position(at);
        match at.and_then(|at| self.cells.get(at)) {
            Some(CellState::Prediction(PredictionState {
                // An answer belongs to the question as it was asked: sizes may have been changed since.
                asked: Some((sizes, gpu)),
                ..
            })) => (sizes, gpu),
            _ => (&self.settings.sizes, self.gpu_in_use()),
        }
    }

    /// What is known of the right answer to `cell`.
    pub fn reveal(&self, cell: &PredictionCell) -> Reveal {
        let run = cell.runs().and_then(|id| self.run_index(id));
        if let Some(CellState::Run(state)) = run.and_then(|at| self.cells.get(at)) {
            // A result that is there is of the run before: while another runs it is no answer.
            if let Some((done, blocks)) = state.blocks_done() {
                return Reveal::Running(done, blocks);
            }
            if let Some(error) = &state.error {
                return Reveal::Missing(error.clone());
            }
            if let Err(error) = &state.plan {
                return Reveal::Missing(error.clone());
            }
        }
        let result = cell.runs().and_then(|id| self.result_of(id));
        let (sizes, gpu) = self.asked_of(cell);
        match cell.truth(sizes, gpu, result) {
            Ok(truth) => Reveal::Known(truth),
            Err(why) => Reveal::Missing(why),
        }
    }
}
