//! The notebook without a terminal: a [`Model`], messages, and [`update`] from one to the other.
//!
//! [`update`] is pure: no file, clock, thread or terminal. What has to happen outside comes back
//! as a list of [`Effect`]s, and what happened outside comes in as a [`Msg`]. Invariants:
//! a run's messages carry its job's number, and those of any but the latest job of their cell are
//! dropped; results stay on screen, marked with the sizes they belong to, until newer ones come;
//! nothing here computes a count: numbers come from results and progress alone.

mod action;
mod held;
mod inside;
mod inspect;
mod jump;
mod kept;
mod model;
mod picker;
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

pub use action::{Action, Context, Effect, Msg};
pub use held::{Held, Touch};
pub use inside::{Inside, Looked, Mark, Named, Walk};
pub use inspect::{Facet, Inspector, Item, Matrix};
pub use jump::Jump;
pub use kept::{Change, Kept, LessonKept};
pub use model::{CellState, Extent, Focus, Layout, Look, Margin, Model, Seen, Tab};
pub use picker::Picker;
pub use prompt::{Prompt, PromptKind};
pub use run::{Job, LaunchState, Ran, RunState, Summary, Tile};
pub use sizes::grouped;
#[cfg(test)]
pub use testing::{
    compile, measure, sample_lesson, sample_progress, sample_ran, sample_recording, sample_values,
    tour_inside, tour_lesson, tour_ran,
};
pub use update::update;
