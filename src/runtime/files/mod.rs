//! Files in the user's state folder and outside: the saved state of the notebook, edited kernels, the
//! presentation under way; and a watch on those that other programs change.

mod write;
pub(crate) mod saved_state;
mod edits;
mod presentation;
mod watch;

pub(crate) use edits::{EditChange, EditFolder, EditWriter};
pub(crate) use presentation::{Presentation, presentation_file, read_presentation, seconds_since};
pub(crate) use saved_state::{StateWriter, state_folder};
pub use saved_state::{Unread, saved_in};
pub(crate) use watch::{FileChanges, FileWatcher, TypingPause};
pub use write::{replace_file, write_file};
