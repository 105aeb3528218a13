//! The state of each kind of cell.

pub(crate) mod calculator;
pub(crate) mod comparison;
mod explain;
pub(crate) mod figure;
pub(crate) mod fold;
mod gpu;
mod gutter_metric;
pub(crate) mod levels;
pub(crate) mod prediction;
mod real;
pub(crate) mod run;
pub(crate) mod sizes;
pub(crate) mod table;

pub(crate) use calculator::CalculatorState;
pub(crate) use comparison::{Side, Total, Versus, totals};
pub(crate) use explain::{Distance, distances, filled_in};
pub(crate) use figure::{
    FigureState, FigureView, Samples, ask_for_figure, shown_cells, travel_figure,
};
pub(crate) use fold::{Fold, unfold};
pub(crate) use gpu::{set_gpu, step_gpu};
pub(crate) use gutter_metric::Margin;
pub(crate) use levels::{Level, levels};
pub(crate) use prediction::{PredictionState, Reveal, Stage};
pub(crate) use real::{go_to_difference, show_ptx_of, travel_ptx};
pub(crate) use run::{Job, LaunchState, Ran, RunState, Summary, Tile};
pub(crate) use sizes::places;
pub(crate) use table::TableState;
