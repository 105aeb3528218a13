//! The command palette: everything that can be asked for, found by a few letters of its words.

use std::sync::Arc;

use crate::app::state::{Action, Context};

/// Something that a key does. The views' table of keys gives them; see [`Palette::commands`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it does, in the words of the help.
    pub words: &'static str,
    /// What is asked for.
    pub action: Action,
    /// Where it can be asked for; everywhere but in questions, help and palette if empty.
    pub contexts: &'static [Context],
    /// Whether its key is among those that the bottom line tells.
    pub is_hinted: bool,
    /// Its row in the table of keys, from 0.
    pub row: usize,
}

impl Command {
    /// Whether it can be asked for in `context`.
    pub fn holds_in(&self, context: Context) -> bool {
        if self.contexts.is_empty() {
            return !context.is_over_the_page();
        }
        self.contexts.contains(&context)
    }
}

/// What an entry of the palette leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaletteTarget {
    /// A command, by its index.
    Command(usize),
    /// A cell of the lesson, by its index.
    Cell(usize),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    /// What it says.
    pub words: String,
    /// What it leads to.
    pub target: PaletteTarget,
    /// Whether it does something where the palette was opened.
    pub holds: bool,
    /// The characters of the words that were typed, from 0, in order.
    pub letters: Vec<usize>,
}

/// The palette, open or not.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// All commands, in the order of the table of keys.
    pub commands: Arc<[Command]>,
    /// What is typed, and which entry is marked, while it is open.
    pub open: Option<PaletteSearch>,
    /// What was performed from here, the latest first.
    pub(crate) recent: Vec<PaletteTarget>,
}

/// A search under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaletteSearch {
    /// What is typed.
    pub input: String,
    /// The entry that is marked, from 0.
    pub chosen: usize,
}
