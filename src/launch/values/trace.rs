//! Values inside a kernel: what the variables of one warp held after each statement.

use std::sync::Arc;

use crate::launch::{Dim3, ValueType, WARP_LANES};
use crate::source::Span;

/// The warp whose values are kept while a plan runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Index of its block. A launch whose grid is smaller keeps nothing.
    pub block: Dim3,
    /// Index of the warp in its block.
    pub warp: u32,
}

/// The bits of one variable in all lanes, in the low bits of each word.
pub type LaneValues = [u64; WARP_LANES];

/// A variable the source names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedVariable {
    /// Its name; elements and members as `sum[2]` and `v.x`.
    pub name: String,
    /// Its type as the source has it, as in `const float*`.
    pub type_name: String,
    /// How to read its bits.
    pub value_type: ValueType,
    /// Line that declares it, from 1.
    pub line: u32,
    /// Its name in the declaration.
    pub declared: Span,
}

/// One statement that the warp executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Line of the statement, from 1.
    pub line: u32,
    /// The statement; of `if` and `switch` the head, of a loop's test and step the expression.
    pub span: Span,
    /// The statements that called the functions it stands in, the kernel's own first; none in the
    /// kernel itself.
    pub callers: Arc<[Span]>,
    /// Whether it is the rest of a statement that called a function or stood at a barrier.
    pub resumes: bool,
    /// Lanes that executed it: bit `i` is lane `i`.
    pub active: u32,
    /// Variables that it changed (indices into [`Trace::variables`]) and what they hold since.
    pub changes: Vec<(u32, LaneValues)>,
}

/// What one warp did in one launch, statement by statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The warp.
    pub watch: Watch,
    /// Variables in order of declaration.
    pub variables: Vec<TracedVariable>,
    /// Statements in order of execution.
    pub steps: Vec<TraceStep>,
    /// Whether the warp went on after the last step kept here.
    pub truncated: bool,
}

impl Trace {
    /// What `variable` held in each lane after `step`, or nothing if it had no value yet.
    pub fn value(&self, variable: usize, step: usize) -> Option<&LaneValues> {
        let steps = self.steps.get(..=step)?;
        // A step keeps only what it changed: the latest change before it is the value.
        let changes = steps.iter().rev().flat_map(|step| &step.changes);
        let mut of_variable = changes.filter(|change| change.0 as usize == variable);
        of_variable.next().map(|change| &change.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_that_of_the_latest_change() {
        let step = |changes| TraceStep {
            line: 1,
            span: Span::default(),
            callers: Arc::default(),
            resumes: false,
            active: u32::MAX,
            changes,
        };
        let steps = vec![
            step(vec![(0, [7; 32])]),
            step(vec![]),
            step(vec![(0, [8; 32])]),
        ];
        let trace = Trace {
            watch: Watch::default(),
            variables: vec![],
            steps,
            truncated: false,
        };
        assert_eq!(trace.value(0, 1), Some(&[7; 32]));
        assert_eq!(trace.value(0, 2), Some(&[8; 32]));
        assert_eq!(trace.value(1, 2), None);
        assert_eq!(trace.value(0, 9), None);
    }
}
