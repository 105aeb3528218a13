//! Predictions: an answer is given, then the run shows what is right.
//!
//! Invariants: nothing of the right answer is known to the views before [`Stage::Revealed`]; an answer
//! that was given stays, whatever runs later.

use crate::device::Gpu;
use crate::lesson::{Guess, RightAnswer, Sizes};

/// A prediction as the notebook holds it.
#[derive(Clone, Debug, Default)]
pub struct PredictionState {
    /// The choice pointed at; nothing until the learner points at one.
    pub choice: Option<usize>,
    /// What the learner answered; nothing where the question was skipped, or is open.
    pub given: Option<Guess>,
    /// The sizes and the GPU that it was asked of; nothing where that was in an earlier session.
    pub(crate) asked: Option<(Sizes, &'static Gpu)>,
    /// How far it is.
    pub stage: Stage,
}

/// How far a prediction is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// No answer yet.
    #[default]
    Open,
    /// Answered, and held until somebody asks to see.
    Held,
    /// What is right may be seen.
    Revealed,
}

/// What is known of the right answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Reveal {
    /// Its cell runs: blocks done, of all.
    Running(u64, u64),
    /// There is none, and why.
    Missing(String),
    /// It is known.
    Known(RightAnswer),
}
