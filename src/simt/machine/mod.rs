//! The machine that runs one block, as state, and who may look at it.
//!
//! What its instructions do is told in `execute`.

mod address;
mod state;
mod observer;

pub(crate) use address::{Pattern, fill, pattern};
pub(crate) use observer::{Moment, Nobody, Observer};
pub(crate) use state::{Halt, Machine};
