//! CUDA's own functions and constants, and the names of hers that are not supported.

mod table;

mod help;

pub mod unsupported;

pub use help::{FunctionHelp, function_help, signature};
pub use table::*;
