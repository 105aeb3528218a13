//! Whole-number formulas over the sizes of a lesson and the figures of a GPU.
//!
//! A formula is read once, with the lesson; a formula that reads is evaluated without panics: a
//! missing size, a figure that is not known, a division by zero and a result that does not fit are
//! errors. Values between are 128-bit and may be negative; the result may not.

mod fact;

mod tree;

mod constant;

mod parse;

mod evaluate;

mod textbook;

#[cfg(test)]
mod tests;

pub use constant::ConstantTemplate;
pub use evaluate::EvaluateError;
pub use parse::FormulaError;
pub use tree::{Formula, NamedValue};
