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
mod calculator;
#[cfg(test)]
mod cells_tests;
mod choose;
mod context;
mod diff;
mod edit;
mod edit_actions;
mod edit_motion;
mod edit_runs;
mod edit_strokes;
mod edit_text;
mod explain;
mod figure;
mod fold;
#[cfg(test)]
mod follow_tests;
mod fuzzy;
mod gpu;
mod grid;
mod hand_out;
mod held;
mod help;
mod home;
mod inside;
mod inspect;
mod jump;
mod kept;
mod levels;
mod margin;
mod message;
mod model;
mod palette;
mod picker;
mod place;
mod prediction;
mod present;
mod progress;
mod prompt;
mod real;
#[cfg(test)]
mod real_tests;
mod reload;
mod run;
mod runs;
mod scheme;
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
mod typing;
mod update;
mod versus;

pub use crate::device::grouped;
pub use crate::document::Scheme;
pub use action::{Action, Context};
pub use app::{App, Begin, Opening};
pub use calculator::CalculatorState;
pub use choose::Choice;
pub use diff::{DiffRow, diff};
pub use edit::{Edit, EditorRow, Edits, KeptEdit, SourceView};
pub use edit_motion::{Motion, cells as columns_of};
pub use edit_runs::EditedRuns;
pub use edit_strokes::Stroke;
pub use edit_text::Text;
pub use explain::{Distance, distances, filled_in};
pub use figure::{FigureState, FigureView, Samples};
pub use fold::Fold;
pub use fuzzy::{Fit, Fuzzy};
pub use grid::TableState;
pub use hand_out::{Copied, Copy, NotWritten, Written};
pub use held::{Held, Touch};
pub use help::HelpPage;
pub use home::{Done, Home, Listed, Row};
pub use inside::{Inside, Looked, Mark, Named, Walk};
pub use inspect::{Facet, Inspector, Item, Matrix};
pub use jump::Jump;
pub use kept::{Change, Kept, LessonKept};
pub use levels::{Level, levels};
pub use margin::{Amount, Margin};
pub use message::{Effect, Msg};
pub use model::{CellState, Extent, Focus, Layout, Look, Model, Seen, Tab};
pub use palette::{Command, Entry, Palette, Search, Target};
pub use picker::Picker;
pub use place::Place;
pub use prediction::{PredictionState, Reveal, Stage};
pub use present::{Presentation, Spoken};
pub use prompt::{Prompt, PromptKind};
pub use reload::Broken;
pub use run::{Job, LaunchState, Ran, RunState, Summary, Tile};
pub use sizes::places;
pub use standing::{CellStanding, Standing};
#[cfg(test)]
pub use testing::{
    compile, measure, sample_lesson, sample_lesson_of_all, sample_lesson_twice, sample_lessons,
    sample_progress, sample_ran, sample_recording, sample_values, tour_inside, tour_lesson,
    tour_ran,
};
pub use tour::{Tour, TourStep};
pub use update::update;
pub use versus::{Side, Total, Versus, totals};
