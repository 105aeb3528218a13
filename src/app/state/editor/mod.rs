//! A text that is edited: its characters, cursor and history; and what differs from the original.

pub(crate) mod text;
pub(crate) mod motion;
pub(crate) mod wrapping;
pub(crate) mod commands;
pub(crate) mod diff;
pub(crate) mod edits;
