//! The program without a terminal: an [`App`] with its home screen and the notebook of a lesson, a
//! [`Model`]; messages, and [`update`] from one state to the next.
//!
//! [`update`] is pure: no file, clock, thread or terminal. What has to happen outside comes back
//! as a list of [`Effect`]s, and what happened outside comes in as a [`Msg`]. Invariants:
//! a run's messages carry its job's number, and those of any but the latest job of their cell are
//! dropped; results stay on screen, marked with the sizes they belong to, until newer ones come;
//! nothing here computes a count: numbers come from results and progress alone.

mod action;
mod app;
#[cfg(test)]
mod app_tests;
mod choose;
mod diff;
mod edit;
mod edit_actions;
mod edit_motion;
mod edit_runs;
mod edit_strokes;
mod edit_text;
mod explain;
mod figure;
#[cfg(test)]
mod follow_tests;
mod fuzzy;
mod gpu;
mod home;
mod inspect;
mod kept;
mod levels;
mod margin;
mod model;
mod place;
mod progress;
mod prompt;
mod real;
#[cfg(test)]
mod real_tests;
mod reload;
mod run;
mod runs;
mod search;
mod select;
mod sizes;
mod standing;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tour;
mod travel;
mod update;
mod versus;

pub use action::{Action, Context, Effect, Msg};
pub use app::{App, Begin, Opening};
pub use choose::Choice;
pub use diff::{DiffRow, diff};
pub use edit::{Edit, EditRow, Edits, KeptEdit, SourceView};
pub use edit_motion::{Motion, cells as columns_of};
pub use edit_runs::EditedRuns;
pub use edit_strokes::Stroke;
pub use edit_text::Text;
pub use explain::{Distance, distances, filled_in};
pub use figure::{FigureState, FigureView, Samples};
pub use home::{Done, Home, Listed, Row};
pub use inspect::{Inspector, Item, Matrix};
pub use kept::{Change, Kept, LessonKept};
pub use levels::{Level, levels};
pub use margin::{Amount, Margin};
pub use model::{CellState, Extent, Focus, Layout, Look, Model, Seen, Tab};
pub use place::Place;
pub use prompt::{Prompt, PromptKind};
pub use reload::Broken;
pub use run::{Job, LaunchState, Ran, RunState, Summary};
pub use sizes::{grouped, places, size_range};
pub use standing::{CellStanding, Standing};
#[cfg(test)]
pub use testing::{
    compile, measure, sample_lesson, sample_lesson_twice, sample_lessons, sample_progress,
    sample_ran, sample_recording, sample_values,
};
pub use tour::{Tour, TourStep};
pub use update::update;
pub use versus::{Side, Total, Versus, totals};
