//! What is open over a cell: questions, lists, help, the tour.

pub(crate) mod palette;
pub(crate) mod block_map;
pub(crate) mod prompt;
pub(crate) mod tour;
