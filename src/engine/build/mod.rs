//! A plan becomes kernels that are compiled and checked: arguments bound to parameters, symbols looked up, and
//! what no GPU could launch refused.

mod limits;

mod arguments;

mod symbols;

mod memory;

mod tile;

mod kernels;

pub(crate) use arguments::{bits_of_bytes, parameters_of};
pub(crate) use kernels::{Built, Prepared, ReadyPlan};
pub use memory::MOST_BUFFER_BYTES;
pub(crate) use symbols::{set, values_of};
