//! What the learner has folded away, and starting the lesson over.

use super::run;
use crate::app::state::{
    CalculatorState, CellState, Effect, Focus, Model, PredictionState, Prompt, PromptKind,
    RunState, TableState,
};
use crate::app::update::stop;
use crate::device::Gpu;
use crate::lesson::{Cell, Sizes};

/// How much of a cell is folded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// Nothing.
    #[default]
    Open,
    /// The output of a run: its source has the room.
    Output,
    /// All but its title.
    Whole,
}

impl CellState {
    /// The state of `cell`, at `sizes` on `gpu`, before anything happened to it.
    pub(crate) fn fresh(cell: &Cell, sizes: &Sizes, gpu: &Gpu) -> Self {
        match cell {
            Cell::Prose(_) => CellState::Prose { scroll: 0 },
            Cell::Run(cell) => {
                let mut state = RunState::new(run::plan(cell, sizes, gpu));
                state.inspector.start(cell);
                CellState::Run(Box::new(state))
            }
            Cell::Prediction(_) => CellState::Prediction(PredictionState::default()),
            Cell::Table(_) => CellState::Table(TableState::default()),
            Cell::Calculator(cell) => CellState::Calculator(CalculatorState::new(cell, sizes, gpu)),
            Cell::Kernel(_) => CellState::Kernel { scroll: 0 },
            Cell::Figure(_) => CellState::Figure(Box::default()),
        }
    }

    /// The first line on screen, of a cell that is a page of text.
    pub(crate) fn page_scroll(&mut self) -> Option<&mut usize> {
        match self {
            CellState::Prose { scroll } | CellState::Kernel { scroll } => Some(scroll),
            CellState::Prediction(state) => Some(&mut state.scroll),
            _ => None,
        }
    }
}

impl Model {
    /// How much of cell `at` is folded away.
    pub fn fold(&self, at: usize) -> Fold {
        self.folds.get(at).copied().unwrap_or_default()
    }

    fn set_fold(&mut self, fold: Fold) {
        let count = self.cells.len();
        self.folds.resize(count, Fold::Open);
        if let Some(slot) = self.folds.get_mut(self.at) {
            *slot = fold;
        }
    }
}

/// Folds more of the cell on screen: the output of a run, then the whole cell; then opens it.
pub(crate) fn fold(model: &mut Model) {
    let is_run = model.run_cell().is_some();
    let (fold, said) = match model.fold(model.at) {
        Fold::Open if is_run => (Fold::Output, "output folded; o folds the whole cell"),
        Fold::Open | Fold::Output => (Fold::Whole, "cell folded; Z opens it"),
        Fold::Whole => (Fold::Open, "cell opened"),
    };
    model.set_fold(fold);
    model.notice = Some(said.to_owned());
    if is_run && fold == Fold::Output {
        model.look.focus = Focus::Source;
    }
}

/// Opens the cell on screen: something in it is asked for.
pub(crate) fn unfold(model: &mut Model) {
    if model.fold(model.at) != Fold::Open {
        model.set_fold(Fold::Open);
    }
}

/// Asks whether to start the lesson over.
pub(crate) fn ask_restart(model: &mut Model) {
    model.prompt = Some(Prompt::new(PromptKind::Restart));
}

/// Forgets every result, answer and size; the place, the watched warps and the GPU stay.
pub(crate) fn restart(model: &mut Model, effects: &mut Vec<Effect>) {
    stop(model, effects);
    model.queue.clear();
    let lesson = model.lesson.clone();
    model.sizes = lesson.first_sizes();
    let gpu = model.gpu_in_use();
    for (cell, state) in lesson.cells.iter().zip(&mut model.cells) {
        let mut fresh = CellState::fresh(cell, &model.sizes, gpu);
        if let (CellState::Run(old), CellState::Run(new)) = (&*state, &mut fresh) {
            new.inspector.watch = old.inspector.watch;
        }
        *state = fresh;
    }
    model.folds.clear();
    model.notice = Some("started over: nothing has run".to_owned());
}
