//! The state of one cell of a lesson, by its kind.

use crate::app::state::cells::run::state;
use crate::app::state::{CalculatorState, FigureState, PredictionState, RunState, TableState};
use crate::device::Gpu;
use crate::lesson::{Cell, Sizes};

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
}

impl CellState {
    /// The state of `cell`, at `sizes` on `gpu`, before anything happened to it.
    pub(crate) fn fresh(cell: &Cell, sizes: &Sizes, gpu: &Gpu) -> Self {
        match cell {
            Cell::Prose(_) | Cell::Kernel(_) | Cell::Exercise(_) => CellState::Page,
            Cell::Run(cell) => {
                let mut state = RunState::new(state::plan(cell, sizes, gpu));
                state.inspector.start(cell);
                CellState::Run(Box::new(state))
            }
            Cell::Prediction(_) => CellState::Prediction(PredictionState::default()),
            Cell::Table(_) => CellState::Table(TableState::default()),
            Cell::Calculator(cell) => CellState::Calculator(CalculatorState::new(cell, sizes, gpu)),
            Cell::Figure(_) => CellState::Figure(Box::default()),
        }
    }
}
