//! What a lesson is: Markdown and its cells, the catalog, formulas. Draws nothing.
//!
//! A lesson is one Markdown file with TOML front matter. Prose is split into cells at its
//! headings; a fenced block whose info string begins with a cell kind holds that cell in TOML. A
//! [`RunCell`] with sizes chosen becomes a [`crate::launch::Plan`]; what came back becomes a
//! [`CellResult`], which the notebook and the reports show.

mod cell;
mod formula;

pub use cell::{
    BufferTemplate, Cell, CellResult, FormulaCheck, FormulaResult, LaunchTemplate, Lesson, Measure,
    ProseCell, RunCell, Size, Sizes, VerifyTemplate,
};
pub use formula::Formula;
