//! The typed program as the compiler looks at it: walks over expressions and statements, how values
//! lie in memory and in registers, and where each variable can be named.
//!
//! Nothing here knows of bytecode.

mod layout;
mod walk;
mod equality;
mod variables;

pub(crate) use equality::{hash_of_value, same_place, same_value};
pub(crate) use layout::{ValuePart, field, holds_union, leaves, members, part_count, parts, words};
pub(crate) use variables::{VariableId, scopes};
pub use walk::{Node, bodies, expressions, own_expressions, walk};
pub(crate) use walk::{
    any_expr, any_place, any_stmt, bodies_mut, children, expressions_mut, names, place_children,
    rewrite, walk_expressions,
};
