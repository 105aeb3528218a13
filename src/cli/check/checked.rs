//! What a check of a lesson found.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::cli::output::Stop;
use crate::document::faults;
use crate::lesson::{CellResult, RunCell, Sizes, sizes_named};

/// What was done with a lesson, and what was found.
#[derive(Debug, Default, Serialize)]
pub(super) struct Checked {
    pub lesson: String,
    /// Its run cells.
    pub cells: usize,
    /// Sets of sizes that they ran at.
    pub trials: usize,
    /// Runs of cells.
    pub runs: usize,
    /// Formulas held against a count.
    pub formulas: usize,
    /// Outputs held against a reference.
    pub outputs: usize,
    /// Predictions whose right answer was held against their choices.
    pub answers: usize,
    /// Exercises whose starting point and solution were checked.
    pub exercises: usize,
    /// Kernel files that it shows or runs, as `softmax/fused.cu`.
    pub files: BTreeSet<String>,
    /// Kernels that it launched, each behind its file and a colon.
    pub kernels: BTreeSet<String>,
    /// What is wrong, a sentence each, with the cell and the sizes.
    pub problems: Vec<String>,
    /// What may be wrong: comparisons without a number, with their line, and pages whose text does not fit; a sentence each.
    pub warnings: Vec<String>,
}

impl Checked {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.problems.is_empty()
    }

    pub fn unread(id: &str) -> Self {
        Checked {
            lesson: id.to_owned(),
            problems: vec!["it cannot be read".to_owned()],
            ..Checked::default()
        }
    }

    pub fn wrong(&mut self, cell: &str, what: impl std::fmt::Display) {
        self.problems.push(format!("`{cell}`: {what}"));
    }

    /// What `tried` gave; why there is nothing goes to what is wrong.
    pub fn tried<T>(
        &mut self,
        cell: &str,
        sizes: &Sizes,
        tried: Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        match tried {
            Ok(made) => Ok(Some(made)),
            Err(Stop::Failed(why)) => {
                self.wrong(cell, format!("at {}: {why}", sizes_named(sizes)));
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Takes what `cell` gave at `sizes`.
    pub fn take(&mut self, cell: &RunCell, sizes: &Sizes, result: &CellResult) {
        self.runs += 1;
        self.formulas += result.formulas.len();
        self.outputs += usize::from(result.verified.is_some());
        for fault in faults(result) {
            self.wrong(&cell.id, format!("at {}: {fault}", sizes_named(sizes)));
        }
    }
}
