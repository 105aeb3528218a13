//! Keys of predictions, tables, calculators and figures.

use crossterm::event::KeyCode;

use super::binding::{Binding, RUNNABLE, command, row};
use crate::app::state::{Action, CalculatorAction, Context, PredictionAction, TableAction};
use Context::{Blocks, Calculator, Figure, Prediction, Table};
use KeyCode::{Char, Enter};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Enter, &[Prediction], "answer", "answer the question, then go on"),
    row(&[Char('=')], Action::Prediction(PredictionAction::Skip), &[Prediction], "show it", "show the answer without guessing"),
    row(&[Char('t')], Action::Hint, RUNNABLE, "", "of an exercise, a hint: one more each time"),
    row(&[Char('=')], Action::Prediction(PredictionAction::Skip), RUNNABLE, "", "of an exercise, the solution: once it is solved, or when asked twice"),
    row(&[Enter], Action::Enter, &[Table], "run", "run the cells of the table that have no counts"),
    row(&[Enter], Action::Enter, &[Figure], "run", "run the cells that the figure shows"),
    row(&[Enter], Action::Enter, &[Blocks], "play", "play the blocks one after another, or stop"),
    row(&[Enter], Action::Enter, &[Calculator], "", "go on"),
    row(&[Char('o')], Action::Table(TableAction::Sort), &[Table], "order", "sort rows by this column: largest first, smallest first, unsorted"),
    command(Action::Calculator(CalculatorAction::Original), &[Calculator], "back to the numbers of the lesson"),
];
