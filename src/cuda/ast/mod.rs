//! The tree as written: names unresolved, types unchecked.
//!
//! Invariants: no tree is higher than the parser's limit, so walking it by recursion is safe. What
//! the parser refused stands in it as `Refused`, already reported: whoever meets it stays silent.

mod leaves;

mod tree;

pub use leaves::*;
pub use tree::*;
