//! What is looked at inside a kernel: the steps of a block, variables, memory.

mod inside;
mod memory;
mod selection;

pub(crate) use inside::{Inside, Looked, Mark, Named, Walk, ask_for_inside};
pub(crate) use memory::{Held, Touch};
pub(crate) use selection::{Facet, Inspector, Item, Matrix};
