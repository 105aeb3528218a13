//! The state of one cell of a lesson, by its kind, and how much of it is folded away.

use crate::app::state::cells::run::state;
use crate::app::state::{CalculatorState, FigureState, PredictionState, RunState, TableState};
use crate::device::Gpu;
use crate::lesson::{Cell, Sizes};

/// The state of one cell.
#[derive(Clone, Debug)]
pub enum CellState {
    /// A page to be read: text, or a kernel.
    Page {
        /// First line on screen, from 0.
        scroll: usize,
    },
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
            Cell::Prose(_) | Cell::Kernel(_) => CellState::Page { scroll: 0 },
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

    /// The first line on screen, of a cell that is a page of text.
    pub(crate) fn page_scroll(&mut self) -> Option<&mut usize> {
        match self {
            CellState::Page { scroll } => Some(scroll),
            CellState::Prediction(state) => Some(&mut state.scroll),
            CellState::Run(_)
            | CellState::Table(_)
            | CellState::Calculator(_)
            | CellState::Figure(_) => None,
        }
    }
}
