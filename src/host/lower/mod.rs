//! From the typed program to the host's bytecode: of all functions that `main` reaches, and of nothing else.
//!
//! `unit` is what all functions share, with what lies in memory when the program begins; `function` writes the operations of
//! one; the files behind it lower places, expressions, objects and statements, and `inline` puts expressions in place of calls. Each function is lowered
//! until nothing new comes to light: which variables somebody points at, which constants it has, where temporary objects
//! begin.

mod unit;

mod function;

mod place;

mod convert;

mod expression;

mod inline;

mod call;

mod operator;

mod device_code;

mod aggregate;

mod branch;

mod object;

mod statement;

mod routine;

pub use routine::lower;
pub use unit::is_aggregate;
