//! What opens over a cell: questions, lists, help, and the notes of the tour.

pub(crate) mod lesson_errors;
pub(crate) mod chooser;
pub(crate) mod help;
pub(crate) mod evidence;
pub(crate) mod palette;
pub(crate) mod block_map;
pub(crate) mod tour;
