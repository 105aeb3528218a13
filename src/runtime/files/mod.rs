//! Files in the user's state folder and outside: the saved state of the notebook, edited kernels, the
//! presentation under way; and a watch on those that other programs change.

mod write;
pub(crate) mod saved_state;
mod edits;
mod presentation;
mod watch;

pub(crate) use edits::{EditFolder, Keeper, Write, read_text};
pub(crate) use presentation::{Speaker, presentation_file, read_presentation, seconds_since};
pub(crate) use saved_state::{Storage, state_folder};
pub(crate) use watch::{Rest, Watcher};
pub use write::write_file;
