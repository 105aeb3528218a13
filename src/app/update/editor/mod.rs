//! The editor: what keys do to the text of a kernel, and runs of what was typed.

pub(crate) mod texts;
pub(crate) mod commands;
pub(crate) mod runs;

use crate::app::state::{EditorAction, Model};
use crate::app::update::message::Effect;

/// Does what is asked of the text of a kernel.
pub(crate) fn act(model: &mut Model, action: EditorAction, effects: &mut Vec<Effect>) {
    match action {
        EditorAction::EditKernel => commands::open(model),
        EditorAction::Edit(command) => commands::take_command(model, command, effects),
        EditorAction::OpenEditor => commands::open_editor(model, effects),
        EditorAction::ShowChanges => commands::show_changes(model),
        EditorAction::ResetKernel => commands::ask_for_reset(model),
    }
}
