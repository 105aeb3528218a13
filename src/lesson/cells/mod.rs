//! The kinds of cells: what each holds, as plain data, and how its TOML is read.
//!
//! A reader takes a [`super::reader::Table`] and answers with its cell, or nothing and diagnostics. Cells other
//! than runs speak of runs: [`Scope`] says what their names may mean.

mod gutter_metric;

mod first_look;

mod run;

mod scope;

mod read_run;

mod quote;

mod exercise;

mod calculator;

mod kernel;

mod prediction;

mod table;

mod figure;

mod kind;

pub use calculator::{CalculatorCell, Input, InputRange, Inputs};
pub use exercise::{
    Asked, Bound, BoundSide, Bounded, CaseTemplate, Concept, ExerciseCell, ExerciseHelp,
    ExerciseKind, FindingKind, Trials,
};
pub(crate) use figure::check_orders;
pub use figure::{
    At, FigureCell, FigureKind, FigureName, LaunchReference, LineFigure, OccupancyFigure,
    OrderFigure, OrderInput, PictureFigure, Quantity, RooflineFigure, Scale, WavesFigure,
};
pub use first_look::{FirstLook, FirstView, POOR_EFFICIENCY};
pub use gutter_metric::GutterMetric;
pub use kernel::{KernelCell, KernelFacts};
pub use kind::{Cell, CellKind, ProseCell};
pub use prediction::{Answer, PredictionCell, RunCounts};
pub(crate) use quote::filled;
pub(crate) use read_run::read_run_cell;
pub use run::{
    ArgumentTemplate, BaselineTemplate, BoxTemplate, BufferTemplate, FormulaCheck, InitTemplate,
    LaunchTemplate, RunCell, VerifyTemplate, taps,
};
pub use scope::KernelFiles;
pub(crate) use scope::{Scope, check_names};
pub use table::{TableCell, TableOf};
