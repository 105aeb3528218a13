//! What follows from the whole of a [`Model`](super::Model): read by `update` and by the views.

pub(crate) mod on_screen;
pub(crate) mod page;
pub(crate) mod cells;
pub(crate) mod sizes;
pub(crate) mod figure;
pub(crate) mod prediction;
pub(crate) mod edits;
pub(crate) mod context;
pub(crate) mod link;
pub(crate) mod choices;
pub(crate) mod prompt;
pub(crate) mod palette;
pub(crate) mod tour;
pub(crate) mod presentation;
