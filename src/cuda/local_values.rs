//! Names that only the function knows which launches a kernel: `kernel<BM, BN>`, where `const int BM = 128;` stands in it.
//!
//! That function is not read where a kernel is asked for, so the values are looked for among the tokens: the last
//! constant of that name before the launch.

use super::lex::{Punct, Token, TokenKind};

/// Most names whose values name others.
const MOST_DEPTH: u32 = 8;

/// The name of a kernel with the values of local constants in place of their names.
pub fn with_local_values(name: &[Token], tokens: &[Token]) -> Vec<Token> {
    let Some((first, rest)) = name.split_first() else {
        return Vec::new();
    };
    let launch = tokens.windows(2).position(|pair| {
        pair[0].ident() == first.ident() && pair[0].ident().is_some() && pair[1].is(Punct::Lt)
    });
    // The template's own declaration has no `<` behind its name, so the first one is a launch.
    let before = &tokens[..launch.unwrap_or(tokens.len())];
    let mut out = vec![first.clone()];
    rest.iter()
        .for_each(|token| replace(token, before, MOST_DEPTH, &mut out));
    out
}

fn replace(token: &Token, before: &[Token], depth: u32, out: &mut Vec<Token>) {
    let value = token.ident().and_then(|name| local_constant(name, before));
    let (Some(value), true) = (value, depth > 0) else {
        return out.push(token.clone());
    };
    let around = |punct| Token {
        kind: TokenKind::Punct(punct),
        ..token.clone()
    };
    out.push(around(Punct::OpenParen));
    for part in value {
        let part = Token {
            span: token.span,
            ..part.clone()
        };
        replace(&part, before, depth - 1, out);
    }
    out.push(around(Punct::CloseParen));
}

/// What stands behind `const int NAME =`, of the last such constant in a function; nothing if the file has it.
fn local_constant<'a>(name: &str, tokens: &'a [Token]) -> Option<&'a [Token]> {
    let declares = |at: usize| {
        tokens[at].ident().is_some_and(|word| **word == *name)
            && tokens
                .get(at + 1)
                .is_some_and(|next| next.is(Punct::Assign))
    };
    let at = (0..tokens.len()).rev().find(|&at| declares(at))?;
    let ends = |token: &Token| {
        [Punct::Semicolon, Punct::OpenBrace, Punct::CloseBrace]
            .iter()
            .any(|&end| token.is(end))
    };
    let start = tokens[..at].iter().rposition(ends)?;
    let is_constant = |token: &Token| {
        let word = token.ident();
        word.is_some_and(|word| matches!(&**word, "const" | "constexpr"))
    };
    let mut depth = 0i32;
    for token in &tokens[..at] {
        depth += i32::from(token.is(Punct::OpenBrace)) - i32::from(token.is(Punct::CloseBrace));
    }
    if depth == 0 || !tokens[start..at].iter().any(is_constant) {
        return None;
    }
    let value = &tokens[at + 2..];
    let mut brackets = 0i32;
    let end = value.iter().position(|token| {
        brackets += i32::from(token.is(Punct::OpenParen)) - i32::from(token.is(Punct::CloseParen));
        token.is(Punct::Semicolon) || token.is(Punct::Comma) && brackets == 0
    })?;
    Some(&value[..end])
}
