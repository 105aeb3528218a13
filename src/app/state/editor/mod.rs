//! A text that is edited: its characters, cursor and history; and what differs from the original.

mod commands;
pub(crate) mod diff;
mod edits;
mod motion;
mod text;

pub(crate) use commands::Stroke;
pub(crate) use diff::{DiffRow, diff};
pub(crate) use edits::{Edit, EditorRow, Edits, KeptEdit, SourceView};
pub(crate) use motion::{Motion, cells};
pub(crate) use text::{Shift, Text};
