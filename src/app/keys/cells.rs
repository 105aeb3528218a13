//! Keys of predictions, tables, calculators and figures.

use crossterm::event::KeyCode;

use super::binding::{Binding, row};
use crate::app::state::{
    Action, CalculatorAction, Context, FigureAction, Movement, PredictionAction, RunAction,
    TableAction, ViewAction,
};
use Context::{Blocks, Calculator, Figure, Prediction, Table};
use KeyCode::{Char, Down, End, Enter, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Prediction(PredictionAction::Answer), &[Prediction], "answer", "a prediction: answer it, see what is right, go on"),
    row(&[Char('s')], Action::Prediction(PredictionAction::Skip), &[Prediction], "show it", "see what is right without an answer"),
    row(&[TabKey], Action::View(ViewAction::NextFocus), &[Prediction], "", "the next size that it goes by"),
    row(&[KeyCode::BackTab], Action::View(ViewAction::PreviousFocus), &[Prediction], "", "the size before"),
    row(&[Enter, Char('r')], Action::Run(RunAction::Run), &[Table], "run", "a table: run the cells in it that have no counts"),
    row(&[Char('s')], Action::Table(TableAction::Sort), &[Table], "sort", "sort by this column: largest, smallest, as it was"),
    row(&[Char('c')], Action::Table(TableAction::CompareRow), &[Table], "compare", "compare other rows with this one"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Table], "", "the column before"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Table], "", "the next column"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), &[Table, Calculator], "", "the row, or the number above"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Table, Calculator], "", "the row, or the number below"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Table], "", ""),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Table], "", ""),
    row(&[Home], Action::Move(Movement::Home), &[Table], "", ""),
    row(&[End, Char('G')], Action::Move(Movement::End), &[Table], "", ""),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Calculator], "less", "a calculator: a step down"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Calculator], "more", "a step up"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Calculator], "", "eight steps up"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Calculator], "", "eight steps down"),
    row(&[Home], Action::Move(Movement::Home), &[Calculator], "", "the least"),
    row(&[End, Char('G')], Action::Move(Movement::End), &[Calculator], "", "the most"),
    row(&[Char('u')], Action::Calculator(CalculatorAction::Original), &[Calculator], "as it was", "the numbers of the lesson again"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Figure], "back", "the point before"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Figure], "on", "the next point"),
    row(&[Up, Char('k')], Action::Move(Movement::Up), &[Figure], "", "the series above"),
    row(&[Down, Char('j')], Action::Move(Movement::Down), &[Figure], "series", "the series below"),
    row(&[PageUp], Action::Move(Movement::PageUp), &[Figure], "", "ten points back"),
    row(&[PageDown], Action::Move(Movement::PageDown), &[Figure], "", "ten points on"),
    row(&[TabKey], Action::View(ViewAction::NextFocus), &[Figure], "", "the next plot of the figure"),
    row(&[KeyCode::BackTab], Action::View(ViewAction::PreviousFocus), &[Figure], "", "the plot before"),
    row(&[Left, Char('h')], Action::Move(Movement::Left), &[Blocks], "back", "one block back"),
    row(&[Right, Char('l')], Action::Move(Movement::Right), &[Blocks], "on", "one block on"),
    row(&[Enter], Action::Figure(FigureAction::Play), &[Blocks], "play", "let the blocks come by themselves, or stop"),
    row(&[PageUp, Up, Char('k')], Action::Move(Movement::PageUp), &[Blocks], "", "ten blocks back"),
    row(&[PageDown, Down, Char('j')], Action::Move(Movement::PageDown), &[Blocks], "ten on", "ten blocks on"),
    row(&[Home], Action::Move(Movement::Home), &[Figure, Blocks], "", "to the first point, or before the first block"),
    row(&[End, Char('G')], Action::Move(Movement::End), &[Figure, Blocks], "", "to the last point or block"),
    row(&[Enter], Action::Run(RunAction::Run), &[Figure], "run", "run the cells that the figure shows"),
    row(&[Char('r')], Action::Run(RunAction::Run), &[Figure, Blocks], "", ""),
];
