//! Tokens to a tree, by recursive descent.
//!
//! Never fails: what cannot be read is reported once, skipped up to a place where reading can go on,
//! and left in the tree as refused. Nesting is bounded, so no text overflows the stack, here or in
//! those who walk the tree.

mod refused;

mod parser;

mod skip;

mod names;

mod types;

mod template;

mod declaration;

mod record;

mod member;

mod lambda;

mod expression;

mod statement;

mod item;

mod host;

use crate::source::Diagnostic;

use super::ast::{Path, Unit};
use super::lex::Token;
use parser::Parser;

/// The tree that `tokens` make, what is wrong with them, and the path that each of `names` makes. Of a whole program,
/// the bodies of the host's functions are read as well.
pub fn parse(
    tokens: Vec<Token>,
    names: Vec<Vec<Token>>,
    is_program: bool,
) -> (Unit, Vec<Diagnostic>, Vec<Option<Path>>) {
    let mut parser = Parser::new(tokens, is_program);
    // Where kernels are asked for, only what they reach must be understood.
    parser.mode.keeps_errors = !names.is_empty();
    let unit = parser.unit();
    let diagnostics = std::mem::take(&mut parser.diagnostics);
    let paths = names.into_iter().map(|name| parser.whole_path(name));
    let paths = paths.collect();
    (unit, diagnostics, paths)
}
