//! What keys do in questions, lists, the map of blocks and the tour.

pub(crate) mod palette;
pub(crate) mod picker;
pub(crate) mod tour;
pub(crate) mod export;
pub(crate) mod answers;
pub(crate) mod typing;
