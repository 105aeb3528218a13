//! CUDA C++ in, typed program out.
//!
//! Text becomes tokens (`lexer`), macros are expanded (`preprocess`), tokens become a tree as
//! written (`parser`, `ast`), and the tree becomes a [`Program`] whose every expression has its type
//! and every conversion is explicit (`check`, `typed`). No stage ever fails: each returns what it
//! could make of its input, and diagnostics. A program with an error among its diagnostics must not
//! be compiled further.
//!
//! Nothing here knows the bytecode or the machine.

mod typed;

pub use typed::*;
