//! The user's terminal: what it is asked for and given back (`modes`), the signals about it, what comes from it
//! (`input`), frames (`screen`), its clipboard, and the editor of the user's that runs in it.

mod clipboard;
pub(crate) mod editor;
mod modes;
mod fatal;
mod input;
mod signals;
mod screen;

pub(crate) use clipboard::{Multiplexer, copy_sequence};
pub use input::Sequences;
pub(crate) use input::{InputGate, send_input};
pub use screen::{Screen, within_terminal};
pub use signals::exit_code;
pub(crate) use signals::send_signals;
