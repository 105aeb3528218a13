//! What kernels use without a header of CUDA's that is written out, in C++: of `<type_traits>` and
//! `<limits>`, read before a text that says `std`, and `dim3` and the predicates of address spaces,
//! read before one that says so.

use crate::source::Span;

use crate::cuda::lex::{Token, TokenKind, lex};

/// What `<type_traits>` and `<limits>` hold, as far as kernels use it.
pub const STANDARD_LIBRARY: &str = include_str!("headers/standard_library.cuh");

/// Words, and the texts that come before a text with such a word.
const TEXTS: [(&str, &str); 5] = [
    ("std", STANDARD_LIBRARY),
    ("dim3", include_str!("headers/dim3.cuh")),
    ("__isGlobal", include_str!("headers/is_global.cuh")),
    ("__isShared", include_str!("headers/is_shared.cuh")),
    ("__isLocal", include_str!("headers/is_local.cuh")),
];

/// The tokens to read, with what they need before them. Its own tokens stand nowhere in the text.
pub fn before(tokens: Vec<Token>) -> Vec<Token> {
    let mut all = Vec::new();
    for (word, text) in TEXTS {
        let needs_it = |token: &Token| matches!(token.ident(), Some(name) if &**name == word);
        if tokens.iter().any(needs_it) {
            let (mut needed, _) = lex(text);
            needed.retain(|token| token.kind != TokenKind::End);
            for token in &mut needed {
                token.span = Span::default();
            }
            all.extend(needed);
        }
    }
    match all.is_empty() {
        true => tokens,
        false => {
            all.extend(tokens);
            all
        }
    }
}
