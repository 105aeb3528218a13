//! What cells show, as JSON: the same facts that the blocks show, whole. Fields may be added; those that are there keep
//! their names and meanings, which tools rely on.

mod recorded;
mod run;
mod program;
mod cells;

pub(crate) use cells::{
    calculator, exercise, figure, kernel_cell, order, picture, plots, prediction, table, unasked,
};
pub use cells::{feedback as feedback_json, occupancy_json};
pub use program::{ProgramShown, program_json};
pub use run::kernel_run_json;
pub(crate) use run::run_cell;
