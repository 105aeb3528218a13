//! The typed program, which the checker makes and `compile` lowers: its types, its operations, its
//! tree, and arithmetic on the constants in it.

mod types;

mod operation;

mod math_function;

pub mod arithmetic;

mod program;

mod bits;

mod walk;

pub use bits::{BitField, Bits, Words};
pub use math_function::{MathFunction, MathOperations, MathRow};
pub use operation::*;
pub use program::*;
pub use types::*;
pub use walk::{Node, NodeMut, children, children_mut, place_children, place_children_mut};
