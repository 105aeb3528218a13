//! The state of one cell of a lesson, by its kind.

use crate::app::state::cells::run::state;
use crate::app::state::{
    CalculatorState, ExerciseState, FigureState, PredictionState, RunState, TableState,
};
use crate::device::Gpu;
use crate::lesson::{Cell, RunCell, Sizes};

/// The state of one cell.
#[derive(Clone, Debug)]
pub enum CellState {
    /// What is only read: text, or a kernel.
    Page,
    /// Kernels.
    Run(Box<RunState>),
    /// A question.
    Prediction(PredictionState),
    /// Rows and columns.
    Table(TableState),
    /// An occupancy calculator.
    Calculator(CalculatorState),
    /// A figure.
    Figure(Box<FigureState>),
    /// A kernel that the learner works on.
    Exercise(Box<ExerciseState>),
}

impl CellState {
    /// The state of `cell`, at `sizes` on `gpu`, before anything happened to it.
    pub(crate) fn fresh(cell: &Cell, sizes: &Sizes, gpu: &Gpu) -> Self {
        match cell {
            Cell::Prose(_) | Cell::Kernel(_) => CellState::Page,
            Cell::Run(cell) => CellState::Run(Box::new(run(cell, sizes, gpu))),
            Cell::Exercise(cell) => {
                CellState::Exercise(Box::new(ExerciseState::new(run(&cell.run, sizes, gpu))))
            }
            Cell::Prediction(_) => CellState::Prediction(PredictionState::default()),
            Cell::Table(_) => CellState::Table(TableState::default()),
            Cell::Calculator(cell) => CellState::Calculator(CalculatorState::new(cell, sizes, gpu)),
            Cell::Figure(_) => CellState::Figure(Box::default()),
        }
    }

    /// What its run is at, if it runs something.
    pub fn as_run(&self) -> Option<&RunState> {
        match self {
            CellState::Run(state) => Some(state),
            CellState::Exercise(state) => Some(&state.run),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn as_run_mut(&mut self) -> Option<&mut RunState> {
        match self {
            CellState::Run(state) => Some(state),
            CellState::Exercise(state) => Some(&mut state.run),
            _ => None,
        }
    }
}

fn run(cell: &RunCell, sizes: &Sizes, gpu: &Gpu) -> RunState {
    let mut state = RunState::new(state::plan(cell, sizes, gpu));
    state.inspector.start(cell);
    state
}
