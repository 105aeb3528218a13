//! What a lesson is: Markdown and its cells, the catalog, formulas. Draws nothing.
//!
//! A lesson is one Markdown file with TOML front matter. Prose is split into cells at its
//! headings; a fenced block whose info string begins with a cell kind holds that cell in TOML. A
//! [`RunCell`] with sizes chosen becomes a [`crate::launch::Plan`]; what came back becomes a
//! [`CellResult`], which the notebook and the reports show. Other cells ask before a run
//! ([`PredictionCell`]), compare after it ([`TableCell`]), calculate or are only read.

mod sizes;

mod formula;

mod markdown;

mod reader;

mod course;

mod cells;

mod cell;

mod identity;

mod parse;

mod catalog;

mod run;

mod tables;

mod figure;

mod predict;

pub use crate::launch::Measure;
pub use catalog::{
    CatalogError, kernel_files, lesson_files, lesson_ids, load, load_all, load_file,
};
pub use cell::{
    ArgumentTemplate, BaselineTemplate, BufferTemplate, CLEAN, Cell, CellResult, FormulaCheck,
    FormulaResult, InitTemplate, LaunchTemplate, Lesson, ProseCell, RunCell, VerifyTemplate, taps,
};
use cells::Subjects;
pub use cells::{
    CalculatorCell, Input, Inputs, KernelCell, KernelFacts, Known, PredictionCell, TableCell,
    TableOf,
};
pub use course::{Course, OtherLessons, by_track, track_title};
pub use figure::{
    At, Axis, Counted, FigureCell, FigureKind, LineFigure, OccupancyFigure, Order, OrderError,
    OrderFigure, OrderInput, Part, Plot, Point, Quantity, Replay, Replayed, RooflineFigure, Sample,
    SampledLaunch, Scale, Series, Shape, Sources, TileGrid, TileState, Visit,
};
pub use formula::{EvaluateError, Formula, FormulaError, NamedValue};
pub use markdown::Markdown;
pub use parse::KernelFiles;
pub use predict::{Answer, Gap, Guess, RunCounts, Truth};
pub use run::{Difference, PlanError, SizeError, Tally, difference, small_sizes};
pub use sizes::{Size, Sizes, equation, equations, sizes_named};
pub use tables::{Column, Field, Grid, Row, times};
