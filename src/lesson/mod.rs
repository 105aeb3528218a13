//! What a lesson is: Markdown and its cells, the catalog, formulas. Draws nothing.
//!
//! A lesson is one Markdown file with TOML front matter. Prose is split into cells at its
//! headings; a fenced block whose info string begins with a cell kind holds that cell in TOML. A
//! [`RunCell`] with sizes chosen becomes a [`crate::launch::Plan`]; what came back becomes a
//! [`CellResult`], which the notebook and the reports show. Other cells ask before a run
//! ([`PredictionCell`]), compare after it ([`TableCell`]), calculate or are only read.

mod answer;
mod argument;
mod calculator;
mod catalog;
mod cell;
mod course;
mod difference;
mod figure;
mod formula;
mod grid;
mod guess;
mod identity;
mod judge;
mod kernel_cell;
mod markdown;
mod measure;
mod parse;
mod plan;
mod prediction;
mod published;
mod quote;
mod recorded;
mod run_cell;
mod sizes;
mod subjects;
mod table;
mod table_cell;
mod trial;
mod used;
mod values;

pub use answer::{Answer, Gap, RunCounts, Truth};
pub use calculator::{CalculatorCell, Input, Inputs};
pub use catalog::{
    CatalogError, kernel_files, lesson_files, lesson_ids, load, load_all, load_file,
};
pub use cell::{
    ArgumentTemplate, BaselineTemplate, BufferTemplate, CLEAN, Cell, CellResult, FormulaCheck,
    FormulaResult, InitTemplate, LaunchTemplate, Lesson, ProseCell, RunCell, VerifyTemplate, taps,
};
pub use course::{Course, OtherLessons, by_track, track_title};
pub use difference::{Difference, Tally, difference, small_sizes};
pub use figure::{
    At, Axis, Counted, FigureCell, FigureKind, LineFigure, OccupancyFigure, Order, OrderError,
    OrderFigure, OrderInput, Part, Plot, Point, Quantity, Replay, Replayed, RooflineFigure, Sample,
    SampledLaunch, Scale, Series, Shape, Sources, TileGrid, TileState, Visit,
};
pub use formula::{EvaluateError, Formula, FormulaError, NamedValue};
pub use grid::{Column, Field, Grid, Row, times};
pub use guess::Guess;
pub use kernel_cell::{KernelCell, KernelFacts};
pub use markdown::Markdown;
pub use measure::Measure;
pub use parse::KernelFiles;
pub use plan::{PlanError, SizeError};
pub use prediction::PredictionCell;
pub use sizes::{Size, Sizes, equation, equations, sizes_named};
pub use table_cell::{Known, TableCell, TableOf};

use subjects::Subjects;
