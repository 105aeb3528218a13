//! The editor: what keys do to the text of a kernel, and runs of what was typed.

mod commands;
mod runs;

pub(crate) use commands::{
    ask_for_reset, find, go_to_line, open, open_editor, replace_text, reset, show_changes,
    take_stroke,
};
pub(crate) use runs::{EditedRuns, ask_for_tallies, findings_only, keep, rested, take_tallies};
