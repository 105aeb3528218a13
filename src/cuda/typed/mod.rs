//! The typed program, which the checker makes and `compile` lowers: its types, its operations, its
//! tree, and arithmetic on the constants in it.

mod types;

mod operation;

pub mod arithmetic;

mod program;

pub use operation::*;
pub use program::*;
pub use types::*;
