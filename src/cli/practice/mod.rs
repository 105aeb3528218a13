//! `tutor practice`: exercises in the learner's own editor.
//!
//! `workbook` has the learner's file and what is kept of it, `report`
//! says how things stand, `watch` checks the file whenever it is saved, `command` reads the command line;
//! `standing` is `tutor progress`.

mod workbook;
mod report;
mod watch;
mod command;
mod standing;

pub(super) use command::{PracticeArguments, practice};
pub(super) use standing::{ProgressArguments, progress};
