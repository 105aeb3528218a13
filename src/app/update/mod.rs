//! What happens, and what comes of it: messages in, a new state and effects out.
//!
//! [`App::update`] is pure: no file, clock, thread or terminal. What has to happen outside comes back
//! as a list of [`Effect`]s, and what happened outside comes in as a [`Msg`]. Invariants:
//! a run's messages carry its job's number, and those of any but the latest job of their cell are
//! dropped; results stay on screen, marked with the sizes they belong to, until newer ones come;
//! nothing here computes a count: numbers come from results and progress alone.

mod app;
mod editor;
mod export;
mod inspector;
mod message;
mod navigation;
pub(crate) mod notebook;
mod reload;
mod runs;
mod saving;
pub(crate) mod selection;
#[cfg(test)]
mod tests;
mod typing;

pub(crate) use app::{App, Begin, Opening};
pub(crate) use editor::EditedRuns;
pub(crate) use export::{Copied, Copy, NotWritten, Written};
pub(crate) use inspector::Jump;
pub(crate) use message::{EditComparison, Effect, Msg, RunTask};
pub(crate) use navigation::{advance, scroll_by, show_source_line, show_step_line};
#[cfg(test)]
pub(crate) use notebook::update;
pub(crate) use reload::Broken;
pub(crate) use runs::{follow, replan, run_cells, run_this, start, stop};
pub(crate) use selection::{go_to_cell, show};
