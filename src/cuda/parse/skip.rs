//! What is skipped after a mistake, so that reading can go on.

use super::parser::Parser;
use crate::cuda::lex::{Punct, TokenKind};

impl Parser {
    /// Whether as many braces are closed as are opened.
    pub fn has_balanced_braces(&self) -> bool {
        // Over the whole file: only where a brace is missing, `template` may end a block (see `leaves_block`).
        let count = |punct| self.tokens.iter().filter(|token| token.is(punct)).count();
        count(Punct::OpenBrace) == count(Punct::CloseBrace)
    }

    /// Skips to behind the next `;` or before the `}` that ends the block, or to a new line that
    /// begins a statement; brackets are skipped whole.
    pub fn skip_statement(&mut self) {
        let start = self.at;
        while !self.is_end() && !self.is(Punct::CloseBrace) {
            // Not at the very first token, or nothing would be skipped and the caller would never get on.
            if self.at > start
                && self.token().first_on_line
                && (self.begins_statement() || self.leaves_block())
            {
                return;
            }
            if self.eat(Punct::Semicolon) {
                return;
            }
            let was_brace = self.is(Punct::OpenBrace);
            self.skip_tree();
            // Behind the body of a loop comes no `;`: a new line is enough of an end.
            if was_brace && self.token().first_on_line {
                return;
            }
        }
    }

    /// Skips a token, or a bracket with all that it holds. A parenthesis that is never closed ends
    /// before the next brace.
    pub fn skip_tree(&mut self) {
        let mut open: Vec<Punct> = Vec::new();
        loop {
            let in_braces = open.last() == Some(&Punct::OpenBrace);
            match self.token().kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::OpenBrace | Punct::CloseBrace)
                    if !in_braces && !open.is_empty() =>
                {
                    return;
                }
                TokenKind::Punct(
                    bracket @ (Punct::OpenBrace | Punct::OpenBracket | Punct::OpenParen),
                ) => open.push(bracket),
                TokenKind::Punct(Punct::CloseBracket | Punct::CloseParen) if in_braces => {}
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseBracket | Punct::CloseParen) => {
                    open.pop();
                }
                _ => {}
            }
            self.bump();
            // A function cannot begin within a bracket, so the bracket was never closed.
            if open.is_empty() || self.token().first_on_line && self.begins_item() {
                return;
            }
        }
    }

    /// Skips a token, or a bracket with all that it holds, whatever that is.
    pub fn skip_tree_whole(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.token().kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenBracket | Punct::OpenParen) => {
                    depth += 1;
                }
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseBracket | Punct::CloseParen) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips `{…}`, whatever it holds.
    pub fn skip_braces(&mut self) {
        let mut depth = 0u32;
        while !self.is_end() {
            if self.is(Punct::OpenBrace) {
                depth += 1;
            } else if self.is(Punct::CloseBrace) {
                depth = depth.saturating_sub(1);
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
