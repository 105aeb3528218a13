//! CUDA C++ in, typed program out.
//!
//! Text becomes tokens (`lexer`), macros are expanded (`preprocess`), tokens become a tree as
//! written (`parser`, `ast`), and the tree becomes a [`Program`] whose every expression has its type
//! and every conversion is explicit (`check`, `typed`). No stage ever fails: each returns what it
//! could make of its input, and diagnostics. A program with an error among its diagnostics must not
//! be compiled further.
//!
//! Nothing here knows the bytecode or the machine.

mod ast;
mod check;
mod lexer;
mod literal;
mod parser;
mod preprocess;
mod token;
mod typed;

pub use typed::*;

use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// What a text is made of, as far as it could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Its functions. Not to be used if there is an error among the diagnostics.
    pub program: Program,
    /// What is wrong, in order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the program must not be used.
    pub fn has_errors(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The places of the tokens of a text, in order and apart, and what is no token.
pub fn tokens(text: &str) -> (Vec<Span>, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lexer::lex(text);
    (tokens.iter().map(|token| token.span).collect(), diagnostics)
}

/// Reads a file of kernels. `defines` are macros from outside: names and values, as `-D NAME=VALUE`
/// gives them. Never fails: what is wrong with any text is in the diagnostics, whose spans lie in it.
pub fn parse(file: &SourceFile, defines: &[(String, String)]) -> Parsed {
    let (tokens, mut diagnostics) = preprocess::preprocess(file, defines);
    let (unit, more) = parser::parse(tokens);
    diagnostics.extend(more);
    let (program, more) = check::check(&unit);
    diagnostics.extend(more);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    diagnostics.dedup();
    Parsed {
        program,
        diagnostics,
    }
}

#[cfg(test)]
mod tests;
