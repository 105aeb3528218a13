//! The kinds of cells: what each holds, as plain data, and how its TOML is read.
//!
//! A reader takes a [`super::reader::Table`] and answers with its cell, or nothing and diagnostics. Cells other
//! than runs speak of runs: [`Subjects`] says what their names may mean.

mod argument;

mod used;

mod scope;

mod quote;

mod read_run;

mod calculator;

mod kernel;

mod prediction;

mod table;

mod figure;

mod read_figure;

pub(crate) use calculator::read_calculator;
pub use calculator::{CalculatorCell, Input, Inputs};
pub use figure::{
    At, FigureCell, FigureKind, LineFigure, OccupancyFigure, OrderFigure, OrderInput, Part,
    Quantity, RooflineFigure,
};
pub(crate) use kernel::read_kernel_cell;
pub use kernel::{KernelCell, KernelFacts};
pub use prediction::PredictionCell;
pub(crate) use prediction::read_prediction;
pub(crate) use quote::{fill_quotes, one_of};
pub(crate) use read_figure::{check_figures, read_figure_cell};
pub(crate) use read_run::read_run_cell;
pub(crate) use scope::{Subjects, check_sizes};
pub(crate) use table::read_table_cell;
pub use table::{Known, TableCell, TableOf};
