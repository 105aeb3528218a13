//! From the typed program to the host's bytecode: of all functions that `main` reaches, and of nothing else.
//!
//! `data` lays out what lies in memory when the program begins; `unit` is what all functions share; `function` writes the
//! operations of one; the files behind it lower places, expressions, objects and statements. Each function is lowered
//! until nothing new comes to light: which variables somebody points at, which constants it has, where temporary objects
//! begin.

mod data;

mod unit;

mod function;

mod place;

mod convert;

mod expression;

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
