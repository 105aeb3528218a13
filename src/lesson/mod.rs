//! What a lesson is: Markdown and its cells, the catalog, formulas. Draws nothing.
//!
//! A lesson is one Markdown file with TOML front matter. Prose is split into cells at its
//! headings; a fenced block whose info string begins with a cell kind holds that cell in TOML. A
//! [`RunCell`] with sizes chosen becomes a [`crate::launch::Plan`]; what came back becomes a
//! [`CellResult`], which the notebook and the reports show.

mod catalog;
mod cell;
mod course;
mod figure;
mod formula;
mod identity;
mod judge;
mod parse;
mod plan;
mod quote;
mod recorded;
mod run_cell;
mod table;

pub use catalog::{CatalogError, lesson_ids, load, load_all, load_file};
pub use cell::{
    BaselineTemplate, BufferTemplate, Cell, CellResult, FormulaCheck, FormulaResult,
    LaunchTemplate, Lesson, Measure, ProseCell, RunCell, Size, Sizes, VerifyTemplate,
};
pub use course::{Course, OtherLessons, by_track, track_title};
pub use figure::{
    Axis, Counted, FigureCell, FigureKind, LineFigure, OccupancyFigure, Order, OrderError,
    OrderFigure, OrderInput, Plot, Point, Quantity, Replay, RooflineFigure, Sample, SampledLaunch,
    Scale, Series, Shape, Sources, TileGrid, TileState, Visit,
};
pub use formula::{EvaluateError, Formula, FormulaError};
pub use parse::KernelFiles;
pub use plan::{PlanError, SizeError};
