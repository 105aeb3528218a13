//! Expressions: their operands as places and values, the operators between them, conversions.

mod convert;

mod operators;

mod assign;

mod member;

mod initializer;

mod text;

mod type_info;

mod runtime_arrays;

mod expression;

pub use initializer::scalar_count;
