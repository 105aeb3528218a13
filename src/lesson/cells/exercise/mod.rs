//! Exercises: what a lesson asks of the learner, and how its TOML is read.

mod cell;
mod read;

pub use cell::{
    Asked, Bound, BoundSide, Bounded, CaseTemplate, Concept, ExerciseCell, ExerciseHelp,
    ExerciseKind, FindingKind, Trials,
};
pub(crate) use read::read_exercise;
