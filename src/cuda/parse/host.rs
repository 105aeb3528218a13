//! Code for the host around kernels: what is not understood there matters only where a kernel uses
//! it.

use std::rc::Rc;

use crate::source::Diagnostic;

use super::parser::{Meaning, Parser};
use super::refused::{self, is_type_word};
use crate::cuda::ast::{Ident, Item, Unit};
use crate::cuda::lex::{Name, Punct, Token, TokenKind};

impl Parser {
    /// Whether the declaration that begins at token `start` seems to be for the host only.
    pub fn is_for_host(&self, start: usize) -> bool {
        let end = self.item_end(start).max(self.at);
        // Without one word of CUDA's it is taken for the host's.
        let mut words = self.tokens[start..end].iter().filter_map(Token::ident);
        !self.gave_up && !words.any(|word| is_of_gpu(word))
    }

    /// The token behind the declaration that begins at `start`, as far as brackets tell.
    fn item_end(&self, start: usize) -> usize {
        let mut depth = 0i32;
        let first = |at: usize| self.tokens[at].ident().map_or("", |word| word);
        // `struct A {…};` and `int a[] = {1};` do not end at their `}`, but at the `;` behind it.
        let mut has_value = is_type_word(first(start)) || first(start) == "typedef";
        for at in start..self.tokens.len() - 1 {
            let token = &self.tokens[at];
            match token.kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParen) => depth -= 1,
                TokenKind::Punct(Punct::Assign) if depth == 0 => has_value = true,
                _ => {}
            }
            // In `template <class T>` the word `class` defines nothing.
            let in_list = token.ident().is_some()
                && (self.tokens[at.saturating_sub(1)].is(Punct::Lt)
                    || self.tokens[at.saturating_sub(1)].is(Punct::Comma));
            let begins_type = token.ident().is_some_and(|word| is_type_word(word));
            has_value |= depth == 0 && begins_type && !in_list;
            // A bracket closes that was opened outside: the declaration ends with the block around it.
            if depth < 0 {
                return at.max(start + 1);
            }
            let ends = token.is(Punct::Semicolon) || token.is(Punct::CloseBrace) && !has_value;
            if depth == 0 && ends {
                return at + 1;
            }
        }
        self.tokens.len() - 1
    }

    /// Skips a declaration for the host of which `reported` and later diagnostics tell, and keeps
    /// the first of them for those who use its name.
    pub fn host_item(&mut self, start: usize, reported: usize, unit: &mut Unit) {
        let mut why = self.diagnostics.split_off(reported).into_iter();
        let Some(mut why) = why.next() else {
            return;
        };
        self.at = self.item_end(start).max(start + 1);
        self.eat(Punct::Semicolon);
        let Some((name, meaning)) = self.skipped_name(start).or_else(|| self.named_last(start))
        else {
            return;
        };
        let mut tokens = self.tokens[start..self.at].iter();
        let at = tokens.position(|token| token.ident() == Some(&name));
        let at = at.map_or(start, |at| start + at);
        // `A::f` is a member's definition: the file has no name `f` from it.
        if at > start && self.tokens[at - 1].is(Punct::Scope) {
            return;
        }
        let span = self.tokens[at].span;
        // A kernel that calls a function of the host needs to hear that, not what is wrong in its body.
        if meaning == Meaning::Other || meaning == Meaning::RefusedTemplate {
            let message = "it has no `__device__`";
            why = Diagnostic::error(span, message).help("put `__device__` before it");
        }
        let known = self.meaning(&name);
        // What is known as a type stays one, or variables of that type would no longer be read as declarations.
        if !matches!(known, Some(Meaning::Type | Meaning::TypeTemplate)) {
            let meaning = match meaning {
                Meaning::RefusedType => Meaning::Type,
                Meaning::RefusedTemplate => Meaning::Template,
                meaning => meaning,
            };
            self.declare(&name, meaning);
        }
        unit.items
            .push(Item::Host(Ident { name, span }, Rc::new(why)));
    }

    /// The last name before a value, bracket or the end of a variable's declaration.
    fn named_last(&self, start: usize) -> Option<(Name, Meaning)> {
        let tokens = &self.tokens[start..self.at];
        let ends = |token: &Token| {
            [
                Punct::Assign,
                Punct::OpenBracket,
                Punct::OpenBrace,
                Punct::Semicolon,
            ]
            .iter()
            .any(|&punct| token.is(punct))
        };
        let end = tokens.iter().position(ends).unwrap_or(tokens.len());
        let name = tokens[..end].iter().rev().find_map(Token::ident)?;
        (!refused::is_keyword(name)).then(|| (name.clone(), Meaning::Other))
    }
}

/// Whether a word only stands in code for the GPU, or is such a word misspelt.
fn is_of_gpu(word: &str) -> bool {
    let known = matches!(
        word,
        "__host__"
            | "__attribute__"
            | "__restrict__"
            | "__inline__"
            | "__forceinline__"
            | "__noinline__"
            | "__align__"
            | "__builtin_align__"
    );
    // `__globl__` is more likely a misspelt word of CUDA's; names in capitals are macros, as `__FILE__`.
    let is_specifier = word.len() > 4 && word.starts_with("__") && word.ends_with("__");
    if is_specifier && !known {
        return word.chars().any(|c| c.is_ascii_lowercase());
    }
    matches!(
        word,
        "__syncthreads" | "threadIdx" | "blockIdx" | "blockDim" | "gridDim"
    )
}
