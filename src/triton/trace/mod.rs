//! The text of a kernel becomes operations on tiles.
//!
//! Expressions and statements are walked once, as Triton's code generator walks them: numbers that are known are
//! computed, loops and conditions over what is not become blocks, functions are read where they are called.

mod value;

mod builder;

mod batched;

mod operators;

mod arguments;

mod limits;

mod tracer;

mod expression;

mod library;

mod call;

mod statement;

mod control;

mod mapped;

mod kernel;

pub use kernel::{ArgumentFact, Launched, is_constexpr, trace, unknown_kernel};
