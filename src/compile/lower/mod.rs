//! Lowering: the typed program of one kernel to bytecode, statement by statement.

mod access;
mod assign;
mod branching_math;
mod call;
mod convert;
mod expression;
pub(crate) mod file_scope;
pub(crate) mod kernel;
mod operator;
mod parameters;
mod place;
mod special;
mod statement;

pub use access::access_widths;
pub(crate) use branching_math::has_branches;
pub(crate) use kernel::{Home, Lower, words};
pub(crate) use place::{Address, Located};
