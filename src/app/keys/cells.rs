//! Keys of predictions, tables, calculators and figures.

use crossterm::event::KeyCode;

use super::binding::{Binding, row};
use crate::app::state::{Action, Context};
use Context::{Blocks, Calculator, Figure, Prediction, Table};
use KeyCode::{Char, Down, End, Enter, Home, Left, PageDown, PageUp, Right, Tab as TabKey, Up};

/// The rows; see [`bindings`](super::bindings).
#[rustfmt::skip]
pub(crate) static ROWS: &[Binding] = &[
    row(&[Enter], Action::Answer, &[Prediction], "answer", "a prediction: answer it, see what is right, go on"),
    row(&[Char('s')], Action::Skip, &[Prediction], "show it", "see what is right without an answer"),
    row(&[Char(' ')], Action::Advance, &[Prediction, Table, Calculator], "continue", ""),
    row(&[TabKey], Action::NextFocus, &[Prediction], "", "the next size that it goes by"),
    row(&[KeyCode::BackTab], Action::PreviousFocus, &[Prediction], "", "the size before"),
    row(&[Enter, Char('r')], Action::Run, &[Table], "run", "a table: run the cells in it that have no counts"),
    row(&[Char('s')], Action::Sort, &[Table], "sort", "sort by this column: largest, smallest, as it was"),
    row(&[Char('c')], Action::CompareRow, &[Table], "compare", "compare other rows with this one"),
    row(&[Left, Char('h')], Action::Left, &[Table], "", "the column before"),
    row(&[Right, Char('l')], Action::Right, &[Table], "", "the next column"),
    row(&[Up, Char('k')], Action::Up, &[Table, Calculator], "", "the row, or the number above"),
    row(&[Down, Char('j')], Action::Down, &[Table, Calculator], "", "the row, or the number below"),
    row(&[PageUp], Action::PageUp, &[Table], "", ""),
    row(&[PageDown], Action::PageDown, &[Table], "", ""),
    row(&[Home], Action::Home, &[Table], "", ""),
    row(&[End, Char('G')], Action::End, &[Table], "", ""),
    row(&[Left, Char('h')], Action::Left, &[Calculator], "less", "a calculator: a step down"),
    row(&[Right, Char('l')], Action::Right, &[Calculator], "more", "a step up"),
    row(&[PageUp], Action::PageUp, &[Calculator], "", "eight steps up"),
    row(&[PageDown], Action::PageDown, &[Calculator], "", "eight steps down"),
    row(&[Home], Action::Home, &[Calculator], "", "the least"),
    row(&[End, Char('G')], Action::End, &[Calculator], "", "the most"),
    row(&[Char('u')], Action::Original, &[Calculator], "as it was", "the numbers of the lesson again"),
    row(&[Left, Char('h')], Action::Left, &[Figure], "back", "the point before"),
    row(&[Right, Char('l')], Action::Right, &[Figure], "on", "the next point"),
    row(&[Up, Char('k')], Action::Up, &[Figure], "", "the series above"),
    row(&[Down, Char('j')], Action::Down, &[Figure], "series", "the series below"),
    row(&[PageUp], Action::PageUp, &[Figure], "", "ten points back"),
    row(&[PageDown], Action::PageDown, &[Figure], "", "ten points on"),
    row(&[TabKey], Action::NextFocus, &[Figure], "", "the next plot of the figure"),
    row(&[KeyCode::BackTab], Action::PreviousFocus, &[Figure], "", "the plot before"),
    row(&[Left, Char('h')], Action::Left, &[Blocks], "back", "one block back"),
    row(&[Right, Char('l')], Action::Right, &[Blocks], "on", "one block on"),
    row(&[Char(' ')], Action::Play, &[Blocks], "play", "let the blocks come by themselves, or stop"),
    row(&[PageUp, Up, Char('k')], Action::PageUp, &[Blocks], "", "ten blocks back"),
    row(&[PageDown, Down, Char('j')], Action::PageDown, &[Blocks], "ten on", "ten blocks on"),
    row(&[Home], Action::Home, &[Figure, Blocks], "", "to the first point, or before the first block"),
    row(&[End, Char('G')], Action::End, &[Figure, Blocks], "", "to the last point or block"),
    row(&[Enter, Char('r')], Action::Run, &[Figure, Blocks], "run", "run the cells that the figure shows"),
];
