//! What opens over a cell: questions, lists, help, and the notes of the tour.

pub(crate) mod broken;
pub(crate) mod chooser;
pub(crate) mod help;
pub(crate) mod explain;
pub(crate) mod palette;
pub(crate) mod picker;
pub(crate) mod tour;
