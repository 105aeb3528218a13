//! `#pragma pack`: how closely the members of the structs behind it lie.
//!
//! ```text
//! #pragma pack(push, 1)
//! struct Header { … };      →     struct __attribute__((__pack__(1))) Header { … };
//! #pragma pack(pop)
//! ```

use crate::cuda::lex::{Punct, Token, TokenKind};
use crate::source::Span;

/// The word that stands for the directive among the tokens, before its parentheses.
pub const MARK: &str = "__pragma_pack";

/// Takes the directives out, and gives the structs that are defined behind them the attribute.
pub fn packed(tokens: Vec<Token>) -> Vec<Token> {
    if !tokens.iter().any(|token| is_word(token, MARK)) {
        return tokens;
    }
    let mut output: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut packing = Packing::default();
    let mut rest = &tokens[..];
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        if is_word(token, MARK) {
            let end = after.iter().position(|token| token.is(Punct::CloseParen));
            let (arguments, behind) = after.split_at(end.map_or(0, |end| end + 1));
            packing.read(arguments);
            rest = behind;
            continue;
        }
        let is_enumeration = output.last().is_some_and(|token| is_word(token, "enum"));
        output.push(token.clone());
        if let Some(most) = &packing.most
            && !is_enumeration
            && defines_record(token, rest)
        {
            output.extend(attribute(most, token.span));
        }
    }
    output
}

/// What the directives so far say.
#[derive(Default)]
struct Packing {
    /// The most bytes to which members are aligned, as written; nothing for their own alignment.
    most: Option<TokenKind>,
    /// What holds again behind each `pop`.
    saved: Vec<Option<TokenKind>>,
}

impl Packing {
    /// `(n)`, `()`, `(push)`, `(push, n)` or `(pop)`.
    fn read(&mut self, arguments: &[Token]) {
        if arguments.len() == 2 {
            self.most = None;
        }
        for token in arguments {
            match &token.kind {
                TokenKind::Number(_) => self.most = Some(token.kind.clone()),
                TokenKind::Ident(word) if &**word == "push" => self.saved.push(self.most.clone()),
                TokenKind::Ident(word) if &**word == "pop" => {
                    self.most = self.saved.pop().flatten();
                }
                _ => {}
            }
        }
    }
}

fn is_word(token: &Token, word: &str) -> bool {
    token.ident().is_some_and(|ident| &**ident == word)
}

/// Whether `struct` or the like before these tokens begins a definition: `struct alignas(4) A {`, `struct A : B {`.
fn defines_record(word: &Token, after: &[Token]) -> bool {
    let is_record = ["struct", "class", "union"].map(|record| is_word(word, record));
    let mut depth = 0;
    is_record.contains(&true)
        && after.iter().find_map(|token| match token.kind {
            TokenKind::Punct(Punct::OpenParen) => {
                depth += 1;
                None
            }
            TokenKind::Punct(Punct::CloseParen) if depth > 0 => {
                depth -= 1;
                None
            }
            TokenKind::Ident(_) => None,
            _ if depth > 0 => None,
            TokenKind::Punct(Punct::OpenBrace | Punct::Colon) => Some(true),
            _ => Some(false),
        }) == Some(true)
}

/// `__attribute__((__pack__(most)))`
fn attribute(most: &TokenKind, span: Span) -> impl Iterator<Item = Token> {
    let word = |word: &str| TokenKind::Ident(word.into());
    let [open, close] = [Punct::OpenParen, Punct::CloseParen].map(TokenKind::Punct);
    let kinds = [
        word("__attribute__"),
        open.clone(),
        open.clone(),
        word("__pack__"),
        open,
        most.clone(),
        close.clone(),
        close.clone(),
        close,
    ];
    kinds.into_iter().map(move |kind| Token::new(kind, span))
}
