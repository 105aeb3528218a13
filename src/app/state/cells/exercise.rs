//! An exercise as the notebook holds it: the run of the learner's text, and what the last check of it found.

use std::sync::Arc;

use crate::app::state::RunState;
use crate::lesson::Feedback;
use crate::source::SourceFile;

/// An exercise.
#[derive(Clone, Debug)]
pub struct ExerciseState {
    /// The learner's text as a run.
    pub run: RunState,
    /// What the last check found; nothing before the first.
    pub checked: Option<CheckedAnswer>,
    /// Whether the solution is on screen.
    pub shows_solution: bool,
}

/// An answer that was checked.
#[derive(Clone, Debug)]
pub struct CheckedAnswer {
    /// The text.
    pub text: SourceFile,
    /// What was found, or why it could not be checked.
    pub found: Result<Arc<Feedback>, String>,
}

impl ExerciseState {
    /// One of which nothing was checked.
    pub(crate) fn new(run: RunState) -> Self {
        ExerciseState {
            run,
            checked: None,
            shows_solution: false,
        }
    }
}
