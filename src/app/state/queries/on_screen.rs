//! The cell on screen with its state, by its kind. Those that run something are found by `run_cell`.

use crate::app::state::{
    CalculatorState, CellState, ExerciseState, FigureState, Model, PredictionState, TableState,
};
use crate::lesson::{CalculatorCell, Cell, ExerciseCell, FigureCell, PredictionCell, TableCell};

macro_rules! on_screen {
    ($($Kind:ident($Cell:ident, $State:ident) $cell:ident $state:ident;)*) => {
        impl Model {
            $(
                /// The cell on screen and its state, if it is of this kind.
                pub fn $cell(&self) -> Option<(&$Cell, &$State)> {
                    match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
                        (Cell::$Kind(cell), CellState::$Kind(state)) => Some((cell, state)),
                        _ => None,
                    }
                }

                /// Its state alone, to be changed.
                pub(crate) fn $state(&mut self) -> Option<&mut $State> {
                    match self.cells.get_mut(self.at)? {
                        CellState::$Kind(state) => Some(state),
                        _ => None,
                    }
                }
            )*
        }
    };
}

on_screen! {
    Prediction(PredictionCell, PredictionState) prediction prediction_state;
    Table(TableCell, TableState) table table_state;
    Calculator(CalculatorCell, CalculatorState) calculator calculator_state;
    Figure(FigureCell, FigureState) figure figure_state;
    Exercise(ExerciseCell, ExerciseState) exercise exercise_state;
}
