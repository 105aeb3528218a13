//! Rows of the table of keys, and the groups of places that they hold in.

use crossterm::event::KeyCode;

use crate::session::{Action, Context, Stroke};
use crate::simt::Direction;
use Context::{
    Blocks, Buffer, Calculator, Counts, Editor, Explained, Figure, Help, Home as Lessons, Palette,
    Picker, Prediction, Prompt, Prose, Ptx, Search, Sizes, Source, Table, Tour, Versus, Warp,
};

/// A row of the table: keys that mean the same, where, and what help says.
pub struct Binding {
    /// The keys.
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

pub(super) const FORWARD: Direction = Direction::Forward;
pub(super) const BACK: Direction = Direction::Back;

/// Where a kernel can be run.
pub(super) const RUNNABLE: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes];
/// Where numbers of runs are on screen, of one cell or of two.
pub(super) const NUMBERS: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes, Versus];
/// Where a cell of either kind is on screen.
pub(super) const PAGES: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prediction, Table, Calculator,
];
/// Where the sizes stand above the cell.
pub(super) const SIZED: &[Context] = &[
    Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prediction,
];
/// Where the values of a run are looked at.
pub(super) const VALUES: &[Context] = &[Buffer, Warp];
/// Where what was changed in a kernel is at hand.
pub(super) const EDITED: &[Context] = &[Source, Counts, Buffer, Warp, Ptx, Sizes, Editor];
/// Every context but the editor, which has the usual keys of editors.
pub(super) const EVERYWHERE: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prediction, Table, Calculator,
    Picker, Prompt, Help, Versus, Tour, Lessons, Search,
];
/// Where a lesson is open.
pub(super) const IN_A_LESSON: &[Context] = &[
    Prose, Source, Counts, Buffer, Warp, Ptx, Sizes, Figure, Blocks, Prompt, Help, Explained,
    Palette, Versus,
];
/// What lies over the page, and takes letters as text.
pub(super) const TYPING: &[Context] = &[Prompt, Help, Palette];
/// Where lessons are chosen.
pub(super) const LISTS: &[Context] = &[Lessons, Search];
/// Where up and down move through text.
pub(super) const SCROLLS: &[Context] =
    &[Prose, Source, Counts, Buffer, Ptx, Help, Versus, Prediction];

pub(super) const fn row(
    keys: &'static [KeyCode],
    action: Action,
    contexts: &'static [Context],
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        control: false,
        action,
        contexts,
        hint,
        help,
    }
}

pub(super) const fn control(
    key: &'static [KeyCode],
    action: Action,
    help: &'static str,
) -> Binding {
    Binding {
        keys: key,
        control: true,
        action,
        contexts: EVERYWHERE,
        hint: "",
        help,
    }
}

/// A key of the editor.
pub(super) const fn edit(
    keys: &'static [KeyCode],
    stroke: Stroke,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    row(keys, Action::Edit(stroke), &[Editor], hint, help)
}

/// A key of the editor, with control.
pub(super) const fn edit_control(
    keys: &'static [KeyCode],
    stroke: Stroke,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    with_control(keys, Action::Edit(stroke), &[Editor], hint, help)
}

pub(super) const fn with_control(
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
