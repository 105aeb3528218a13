//! What kernels use of `<type_traits>` and `<limits>`, in C++: read before a text that says `std`.

use crate::source::Span;

use super::lexer::lex;
use super::token::{Token, TokenKind};

const TEXT: &str = include_str!("prelude.cu");

/// The tokens to read, with the prelude before them if they need it. Its own tokens stand nowhere in
/// the text.
pub fn before(tokens: Vec<Token>) -> Vec<Token> {
    let needs_it = |token: &Token| matches!(token.ident(), Some(name) if &**name == "std");
    if !tokens.iter().any(needs_it) {
        return tokens;
    }
    let (mut all, _) = lex(TEXT);
    all.retain(|token| token.kind != TokenKind::End);
    for token in &mut all {
        token.span = Span::default();
    }
    all.extend(tokens);
    all
}
