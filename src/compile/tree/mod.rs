//! The typed program as the compiler looks at it: walks over expressions and statements, how values
//! lie in memory and in registers, and where each variable can be named.
//!
//! Nothing here knows of bytecode.

mod layout;
mod chunks;
mod walk;
mod equality;
mod variables;

pub use chunks::access_widths;
pub(crate) use chunks::{Chunk, chunks};
pub(crate) use equality::{hash_of_value, is_negation, same_place, same_value};
pub(crate) use layout::{field, holds_union, leaves, members, part_count, parts, words};
pub(crate) use variables::{VariableId, scopes};
pub(crate) use walk::{
    any_expr, any_expr_of, any_place, any_stmt, bodies_mut, expressions_mut, is_arithmetic_of,
    names, rewrite, walk_expressions,
};
pub use walk::{bodies, expressions, own_expressions, walk};
