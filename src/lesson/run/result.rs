//! What a run of a cell gave: all that the notebook and the reports show.

use serde::Serialize;

use crate::device::grouped;
use crate::engine::Verified;
use crate::launch::{Ending, Outcome, Recorded};
use crate::lesson::sizes::Sizes;

/// A formula held against its count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormulaResult {
    /// What is counted.
    pub name: String,
    /// The formula as written.
    pub formula: String,
    /// What the formula gives at these sizes; nothing where it has no value there, which counts as wrong.
    pub expected: Option<u64>,
    /// What the run counted.
    pub counted: u64,
    /// Whether they are equal.
    pub ok: bool,
}

impl FormulaResult {
    /// What the formula gives, as text.
    pub fn expected_text(&self) -> String {
        self.expected.map_or_else(|| "no value".to_owned(), grouped)
    }
}

/// What is said of a run with checks that found nothing.
pub const CLEAN: &str = "no races, and nothing was read before it was set (counted)";

impl CellResult {
    /// Whether it ran to its end with checks that found nothing.
    pub fn is_clean(&self) -> bool {
        self.checked && self.outcome.ending == Ending::Finished && self.outcome.reports.is_empty()
    }
}

/// What a run of a cell gave: all that the notebook and the reports show.
#[derive(Clone, Debug, PartialEq)]
pub struct CellResult {
    /// The sizes it ran at.
    pub sizes: Sizes,
    /// What came back.
    pub outcome: Outcome,
    /// Formulas against counts; empty unless the run finished.
    pub formulas: Vec<FormulaResult>,
    /// The output against its reference; nothing unless the run finished.
    pub verified: Option<Verified>,
    /// Whether it finished, and every formula and output is right.
    pub ok: bool,
    /// Whether it was watched for races and for reads of what was never set.
    pub checked: bool,
    /// What is recorded of the cell; nothing where a real GPU ran, or nobody asked.
    pub recorded: Option<Recorded>,
}
