//! The typed program as the compiler looks at it: walks over expressions and statements, how values
//! lie in memory and in registers, and where each variable can be named.
//!
//! Nothing here knows of bytecode.

mod walk;
mod layout;
mod scopes;

pub(crate) use layout::{ValuePart, field, holds_union, leaves, members, part_count, parts, words};
pub(crate) use scopes::scopes;
pub use walk::{Part, bodies, everything, expressions};
pub(crate) use walk::{
    PartMut, bodies_mut, expressions_mut, inside, inside_mut, inside_place, inside_place_mut,
};
