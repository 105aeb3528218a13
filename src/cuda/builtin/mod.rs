//! CUDA's own functions and constants, and the names of hers that are not supported.

mod table;

pub mod unsupported;

pub use table::*;
