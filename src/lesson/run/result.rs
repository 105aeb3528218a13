//! What a run of a cell gave: all that the notebook and the reports show.

use serde::Serialize;

use crate::device::grouped;
use crate::engine::Verified;
use crate::launch::{Ending, Engine, Outcome, Recorded};
use crate::lesson::sizes::Sizes;
use crate::source::{Diagnostic, Severity};

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

/// How a run stands: the worst that is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It finished, and everything that was looked at is right.
    Right,
    /// The same, but a warning was given.
    Warned,
    /// It ran on a real GPU, and was not counted on the simulated one, which cannot run it or not to its end.
    Uncounted,
    /// Only a real GPU can run it, and there is none.
    NotRun,
    /// It was cancelled.
    Cancelled,
    /// It finished, and an output, a count or an access is wrong.
    Wrong,
    /// It did not run, or not to its end.
    Failed,
}

impl CellResult {
    /// How it stands. Of an edited kernel the formulas do not count: they are the original's.
    pub fn verdict(&self, is_edited: bool) -> Verdict {
        let is_right = if is_edited { self.result_ok } else { self.ok };
        let is_refuted = self.verified.as_ref().is_some_and(|verified| !verified.ok);
        match self.outcome.ending {
            Ending::Finished if !is_right => Verdict::Wrong,
            Ending::Finished if self.outcome.has_warnings() => Verdict::Warned,
            Ending::Finished => Verdict::Right,
            Ending::HardwareOnly if self.outcome.engine == Engine::Sim => Verdict::NotRun,
            Ending::HardwareOnly | Ending::Exhausted if !self.outcome.is_counted() => {
                match is_refuted {
                    true => Verdict::Wrong,
                    false => Verdict::Uncounted,
                }
            }
            Ending::Failed | Ending::Exhausted | Ending::HardwareOnly => Verdict::Failed,
            Ending::Cancelled => Verdict::Cancelled,
        }
    }

    /// What was found wrong at places of the source.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        let reports = self.outcome.reports.iter();
        let diagnostics = reports.map(|report| &report.diagnostic);
        // A warning, such as rounding that depends on the order of blocks, is no failure.
        diagnostics.filter(|found| found.severity == Severity::Error)
    }

    /// Whether it ran to its end with checks that found nothing.
    pub fn is_clean(&self) -> bool {
        self.checked && self.outcome.ending == Ending::Finished && !self.outcome.has_warnings()
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
    /// Whether it finished without an error, a race among them, and its output is right.
    pub result_ok: bool,
    /// Whether the formulas are right besides.
    pub ok: bool,
    /// Whether it was watched for races and for reads of what was never set.
    pub checked: bool,
    /// What is recorded of the cell; nothing where a real GPU ran, or nobody asked.
    pub recorded: Option<Recorded>,
}
