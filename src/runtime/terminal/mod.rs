//! The user's terminal: taken over and given back (`screen`), its clipboard, and the editor of the
//! user's that runs in it.

mod clipboard;
pub(crate) mod editor;
mod screen;

pub(crate) use clipboard::{Multiplexer, copy_sequence};
pub use screen::{Screen, within_terminal};
