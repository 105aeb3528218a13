//! The notebook without a terminal: a [`Model`], messages, and [`update`] from one to the other.
//!
//! [`update`] is pure: no file, clock, thread or terminal. What has to happen outside comes back
//! as a list of [`Effect`]s, and what happened outside comes in as a [`Msg`]. Invariants:
//! a run's messages carry its job's number, and those of any but the latest job of their cell are
//! dropped; results stay on screen, marked with the sizes they belong to, until newer ones come;
//! nothing here computes a count: numbers come from results and progress alone.

mod action;
mod calculator;
#[cfg(test)]
mod cells_tests;
mod fold;
mod grid;
mod inspect;
mod kept;
mod model;
mod prediction;
mod prompt;
mod real;
#[cfg(test)]
mod real_tests;
mod run;
mod runs;
mod select;
mod sizes;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod travel;
mod update;

pub use crate::device::grouped;
pub use action::{Action, Context, Effect, Msg};
pub use calculator::CalculatorState;
pub use fold::Fold;
pub use grid::TableState;
pub use inspect::{Inspector, Item, Matrix};
pub use kept::{Change, Kept, LessonKept};
pub use model::{CellState, Extent, Focus, Layout, Look, Margin, Model, Seen, Tab};
pub use prediction::{PredictionState, Reveal, Stage};
pub use prompt::{Prompt, PromptKind};
pub use run::{Job, LaunchState, Ran, RunState, Summary};
#[cfg(test)]
pub use testing::{
    compile, measure, sample_lesson, sample_lesson_of_all, sample_progress, sample_ran,
    sample_recording, sample_values,
};
pub use update::update;
