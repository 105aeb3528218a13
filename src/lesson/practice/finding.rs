//! What a check of an answer finds, as data.

use super::case::Case;
use crate::engine::{StoredBy, WrongElement};
use crate::lesson::cells::{BoundSide, FindingKind};
use crate::source::{Diagnostic, Span};

/// What is known of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// The first thing that is wrong, or that nothing is.
    pub finding: Finding,
    /// The sizes and inputs at which it was found; nothing where they do not matter.
    pub case: Option<Case>,
    /// Cases that were right before it.
    pub right: usize,
    /// What the answer costs at the exercise's own sizes, one for each bound; empty unless its results are right.
    pub costs: Vec<Cost>,
    /// The first lines that the kernel printed in the last case that ran.
    pub printed: Vec<String>,
}

/// What a check finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The compiler or the machine has found something, and says where.
    Reported(FindingKind, Vec<Diagnostic>),
    /// An element is not what it should be.
    Wrong(WrongOutput),
    /// It is right and costs too much.
    Over(Cost),
    /// All is right.
    Passed,
}

/// An output with a wrong element.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongOutput {
    /// The first wrong element as C writes it, such as `y[3][7]`.
    pub element: String,
    /// What it is, and what it should be.
    pub wrong: WrongElement,
    /// Elements of the output.
    pub length: usize,
    /// Who stored it last; nothing where nobody did.
    pub by: Option<StoredBy>,
    /// Whether it is as it was before the first launch. What nobody stored and is not, atomic operations have changed.
    pub is_unchanged: bool,
    /// Where the launched kernel is defined.
    pub kernel: Span,
}

/// What an answer costs, beside what it may.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// What is limited.
    pub name: String,
    /// From which side.
    pub side: BoundSide,
    /// The limit as a formula, as a textbook writes it.
    pub formula: String,
    /// The limit here.
    pub limit: u64,
    /// What the answer costs.
    pub counted: u64,
    /// What the solution costs, once that may be told.
    pub solution: Option<u64>,
    /// Where the text causes most of it.
    pub place: Span,
    /// The lines that cost most, the dearest first; empty where lines are not counted.
    pub lines: Vec<LineCost>,
}

/// What a line costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The line, from 1.
    pub line: u32,
    /// Its part.
    pub counted: u64,
}

impl Cost {
    /// Whether the bound holds.
    pub fn holds(&self) -> bool {
        self.side.holds(self.counted, self.limit)
    }

    /// Whether the answer is better than the solution.
    pub fn is_better(&self) -> bool {
        let solution = self.solution;
        solution.is_some_and(|solution| self.side.is_better(self.counted, solution))
    }
}

impl Feedback {
    /// Of what was found before anything ran.
    pub(super) fn at_once(finding: Finding) -> Self {
        Feedback {
            finding,
            case: None,
            right: 0,
            costs: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// What kind of thing was found.
    pub fn kind(&self) -> FindingKind {
        match &self.finding {
            Finding::Reported(kind, _) => *kind,
            Finding::Wrong(wrong) if wrong.by.is_none() && wrong.is_unchanged => {
                FindingKind::Unwritten
            }
            Finding::Wrong(_) => FindingKind::WrongResult,
            Finding::Over(_) => FindingKind::OverBound,
            Finding::Passed => FindingKind::Passed,
        }
    }

    /// Whether the exercise is solved.
    pub fn is_passed(&self) -> bool {
        self.finding == Finding::Passed
    }
}
