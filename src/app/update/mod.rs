//! What happens, and what comes of it: messages in, a new state and effects out.
//!
//! [`App::update`] is pure: no file, clock, thread or terminal. What has to happen outside comes back
//! as a list of [`Effect`]s, and what happened outside comes in as a [`Msg`]. Invariants:
//! a run's messages carry its job's number, and those of any but the latest job of their cell are
//! dropped; results stay on screen, marked with the sizes they belong to, until newer ones come;
//! nothing here computes a count: numbers come from results and progress alone.

pub(crate) mod message;
pub(crate) mod saving;
pub(crate) mod scrolling;
pub(crate) mod first_look;
pub(crate) mod runs;
pub(crate) mod selection;
pub(crate) mod cells;
pub(crate) mod inspector;
pub(crate) mod panes;
pub(crate) mod editor;
pub(crate) mod popups;
pub(crate) mod presentation;
pub(crate) mod link;
pub(crate) mod navigation;
pub(crate) mod reload;
pub(crate) mod home;
pub(crate) mod finished;
pub(crate) mod notebook;
pub(crate) mod app;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use notebook::update;
