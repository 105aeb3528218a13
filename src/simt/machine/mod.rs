//! The machine that runs one block, as state, and who may look at it. What its instructions do is
//! told in `execute`.

mod address;
mod budget;
mod printed;
mod state;
mod observer;

pub(crate) use address::{
    AddressSpace, Addresses, WarpPattern, address_space, fill, indexed_offsets, pattern,
};
pub(crate) use budget::Budget;
pub(crate) use observer::{Moment, Nobody, Observer};
pub(crate) use printed::{BlockText, MOST_PRINTED_BYTES, Printed};
pub(crate) use state::{Halt, Machine, NUMBERED_BARRIERS};
pub use state::{MOST_MACHINE_BYTES, machine_bytes};
