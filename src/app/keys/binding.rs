//! Rows of the table of keys, and the groups of places that they hold in.

use crossterm::event::KeyCode;

use crate::app::state::{Action, Context, EditCommand, EditorAction};
use crate::simt::Direction;
use Context::{
    Access, BlockMap, Blocks, Calculator, Code, Comparison, Counts, Editor, Evidence, Figure,
    Home as Lessons, Lanes, Memory, Palette, Prediction, Prompt, Prose, Ptx, Search, Table, Tiles,
    Tour, Welcome,
};

/// A row of the table: keys that mean the same, where, and what help says.
pub struct Binding {
    /// The keys; none of what only the palette has.
    pub keys: &'static [KeyCode],
    /// Whether control is held.
    pub control: bool,
    /// What they mean.
    pub action: Action,
    /// Where they mean it; everywhere but in questions and help if empty.
    pub contexts: &'static [Context],
    /// The status bar's words; none if empty.
    pub hint: &'static str,
    /// The help screen's words; a row without them goes with the row before.
    pub help: &'static str,
}

pub(crate) const FORWARD: Direction = Direction::Forward;
pub(crate) const BACK: Direction = Direction::Back;

/// Where a kernel can be run.
pub(crate) const RUNNABLE: &[Context] = &[Code, Lanes, Access, Memory, Counts, Tiles, Ptx];
/// Where numbers of runs are on screen, of one cell or of two.
pub(crate) const NUMBERS: &[Context] =
    &[Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Comparison];
/// Where runs can be compared: cells, or rows of a table.
pub(crate) const COMPARED: &[Context] = &[
    Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Comparison, Table,
];
/// Where there are several views of what is on screen.
pub(crate) const VIEWS: &[Context] = &[
    Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Comparison,
];
/// Where a cell of either kind is on screen.
pub(crate) const PAGES: &[Context] = &[
    Prose, Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction, Table,
    Calculator,
];
/// Where the sizes stand above the cell.
pub(crate) const SIZED: &[Context] = &[
    Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction,
];
/// The same, and the map of blocks, which they zoom.
pub(crate) const ADJUSTED: &[Context] = &[
    Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction, BlockMap,
];
/// Where a moment of a run is looked at.
pub(crate) const VALUES: &[Context] = &[Lanes, Access, Memory, Tiles];
/// Where what was changed in a kernel is at hand.
pub(crate) const EDITED: &[Context] = &[Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Editor];
/// Every context but the editor, which has the usual keys of editors.
pub(crate) const EVERYWHERE: &[Context] = &[
    Prose, Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction, Table,
    Calculator, BlockMap, Prompt, Evidence, Palette, Comparison, Tour, Lessons, Welcome, Search,
];
/// Where a lesson is open.
pub(crate) const IN_A_LESSON: &[Context] = &[
    Prose, Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction, Table,
    Calculator, Prompt, Evidence, Palette, Comparison,
];
/// What lies over the page, and takes letters as text.
pub(crate) const TYPING: &[Context] = &[Prompt, Palette];
/// Where lessons are chosen.
pub(crate) const LISTS: &[Context] = &[Lessons, Search];
/// Where arrows move something.
pub(crate) const MOVES: &[Context] = &[
    Prose, Code, Lanes, Access, Memory, Counts, Tiles, Ptx, Figure, Blocks, Prediction, Table,
    Calculator, BlockMap, Evidence, Comparison,
];

pub(crate) const fn row(
    keys: &'static [KeyCode],
    action: Action,
    contexts: &'static [Context],
    hint: &'static str,
    help: &'static str,
) -> Binding {
    let mut row = with_control(keys, action, contexts, hint, help);
    row.control = false;
    row
}

pub(crate) const fn control(
    keys: &'static [KeyCode],
    action: Action,
    help: &'static str,
) -> Binding {
    with_control(keys, action, EVERYWHERE, "", help)
}

/// What the palette alone has.
pub(crate) const fn command(
    action: Action,
    contexts: &'static [Context],
    help: &'static str,
) -> Binding {
    row(&[], action, contexts, "", help)
}

/// A key of the editor.
pub(crate) const fn edit(
    keys: &'static [KeyCode],
    command: EditCommand,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    let action = Action::Editor(EditorAction::Edit(command));
    row(keys, action, &[Editor], hint, help)
}

/// A key of the editor, with control.
pub(crate) const fn edit_control(
    keys: &'static [KeyCode],
    command: EditCommand,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    let action = Action::Editor(EditorAction::Edit(command));
    with_control(keys, action, &[Editor], hint, help)
}

pub(crate) const fn with_control(
    keys: &'static [KeyCode],
    action: Action,
    contexts: &'static [Context],
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        control: true,
        action,
        contexts,
        hint,
        help,
    }
}
