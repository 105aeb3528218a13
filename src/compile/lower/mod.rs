//! Lowering: the typed program of one kernel to instructions, statement by statement.
//!
//! Variables get their locations first (`variables`), then what the kernel is given (`parameters`), then
//! its body is walked, and those of functions that are not inlined: `statement` and `loops` call `expression`, which calls the rest. At each point
//! `optimise` is asked what `nvcc` would do. Accesses are joined in a second walk, planned from what the
//! first one observed (`lowering`).

mod operator;
mod variables;
mod lowering;
mod place;
mod parameters;
mod arithmetic;
mod math;
mod memory;
mod assign;
mod builtins;
mod call;
mod expression;
mod loops;
mod statement;

pub(crate) use lowering::{Request, lower};
pub(crate) use parameters::{spelt_as_bits, symbols};
