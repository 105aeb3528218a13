//! Code for the host around kernels: what is not understood there matters only where a kernel uses
//! it.

use std::rc::Rc;

use crate::source::{Diagnostic, Severity};

use super::item::behind_arguments;
use super::parser::{Meaning, Parser};
use super::refused::{self, is_type_word};
use crate::cuda::ast::{Function, HostItem, Ident, Item, Unit};
use crate::cuda::lex::{Name, Punct, Token, TokenKind};

/// A name that a declaration which is skipped seems to declare, and where it stands.
struct Skipped {
    name: Name,
    at: usize,
    meaning: Meaning,
}

impl Parser {
    /// Reads the body of a function again that was read from token `start` on, where the host has another one.
    pub fn body_on_host(&mut self, function: &mut Function, start: usize) {
        let specifiers = &function.specifiers;
        if specifiers.host.and(specifiers.device).is_none() {
            return;
        }
        let end = self.at;
        let mut tokens = Vec::new();
        let mut from = start;
        for text in &self.mode.host_texts {
            if text.in_place_of.start >= start && text.in_place_of.end <= end {
                tokens.extend_from_slice(&self.tokens[from..text.in_place_of.start]);
                tokens.extend_from_slice(&text.tokens);
                from = text.in_place_of.end;
            }
        }
        if tokens.is_empty() {
            return;
        }
        tokens.extend_from_slice(&self.tokens[from..end]);
        tokens.push(Token::new(TokenKind::End, self.previous));
        let of_gpu = std::mem::replace(&mut self.tokens, tokens);
        let reported = self.diagnostics.len();
        self.at = 0;
        let body = self.body_block();
        // What the GPU reads of it was told; what only the host reads is empty where it cannot be read.
        self.diagnostics.truncate(reported);
        (self.tokens, self.at) = (of_gpu, end);
        function.source.host_body = body.ok().map(|(body, _)| Rc::new(body));
    }

    /// Whether the declaration that begins at token `start` seems to be for the host only.
    pub fn is_for_host(&self, start: usize) -> bool {
        let end = self.item_end(start).max(self.at);
        // Without one word of CUDA's it is taken for the host's.
        let mut words = self.tokens[start..end].iter().filter_map(Token::ident);
        // Of a whole program, what is not reached need not be understood.
        !self.gave_up && (self.mode.is_program || !words.any(|word| is_of_gpu(word)))
    }

    /// The token behind the declaration that begins at `start`, as far as brackets tell.
    pub fn item_end(&self, start: usize) -> usize {
        // What is open. A brace that closes closes what was left open in it.
        let mut open: Vec<Punct> = Vec::new();
        let first = |at: usize| self.tokens[at].ident().map_or("", |word| word);
        // `struct A {…};` and `int a[] = {1};` do not end at their `}`, but at the `;` behind it.
        let mut has_value = is_type_word(first(start)) || first(start) == "typedef";
        for at in start..self.tokens.len() - 1 {
            let token = &self.tokens[at];
            match token.kind {
                TokenKind::Punct(bracket @ (Punct::OpenBrace | Punct::OpenParen)) => {
                    open.push(bracket);
                }
                TokenKind::Punct(Punct::CloseParen) if open.last() == Some(&Punct::OpenParen) => {
                    open.pop();
                }
                TokenKind::Punct(Punct::CloseParen) if open.is_empty() => return at.max(start + 1),
                TokenKind::Punct(Punct::CloseBrace) => {
                    match open.iter().rposition(|&open| open == Punct::OpenBrace) {
                        Some(begin) => open.truncate(begin),
                        // It was opened outside: the declaration ends with the block around it.
                        None => return at.max(start + 1),
                    }
                }
                TokenKind::Punct(Punct::Assign) if open.is_empty() => has_value = true,
                _ => {}
            }
            // In `template <class T>` the word `class` defines nothing.
            let in_list = token.ident().is_some()
                && (self.tokens[at.saturating_sub(1)].is(Punct::Lt)
                    || self.tokens[at.saturating_sub(1)].is(Punct::Comma));
            let begins_type = token.ident().is_some_and(|word| is_type_word(word));
            has_value |= open.is_empty() && begins_type && !in_list;
            let ends = token.is(Punct::Semicolon) || token.is(Punct::CloseBrace) && !has_value;
            if open.is_empty() && ends {
                return at + 1;
            }
        }
        self.tokens.len() - 1
    }

    /// Skips a declaration for the host of which `reported` and later diagnostics tell, and keeps
    /// the first of them for those who use one of its names.
    pub fn host_item(&mut self, start: usize, reported: usize, unit: &mut Unit) {
        let all = self.diagnostics.split_off(reported);
        let mut errors = all.iter().filter(|why| why.severity == Severity::Error);
        let Some(why) = errors.next().or(all.first()).cloned() else {
            return;
        };
        let is_unread = !self.is_for_host(start);
        self.at = self.item_end(start).max(start + 1);
        self.eat(Punct::Semicolon);
        let specialises = self.begins_specialisation(start);
        let mut names = self.more_names(start);
        names.extend(self.first_name(start, specialises));
        for name in names {
            let item = match is_unread {
                true => self.unread_name(name, &why, specialises),
                false => self.host_name(name, &why, specialises),
            };
            unit.items.push(Item::Host(item));
        }
    }

    /// Whether `template <>` stands at a token: a definition for some arguments.
    fn begins_specialisation(&self, start: usize) -> bool {
        let is_next = |at: usize, punct| self.tokens.get(at).is_some_and(|token| token.is(punct));
        is_next(start + 1, Punct::Lt) && is_next(start + 2, Punct::Gt)
    }

    /// The name that the skipped tokens from `start` seem to be about.
    fn first_name(&self, start: usize, specialises: bool) -> Option<Skipped> {
        let (name, meaning) = self
            .skipped_name(start)
            .or_else(|| self.named_last(start))?;
        let is_name = |token: &Token| match token.ident() {
            Some(word) => *word == name || &**word == "operator" && name.starts_with("operator"),
            None => false,
        };
        let item = &self.tokens[start..self.at];
        let at = item.iter().position(is_name).unwrap_or(0);
        if at == 0 || !item[at - 1].is(Punct::Scope) {
            let at = start + at;
            return Some(Skipped { name, at, meaning });
        }
        // `A::f` is a member's definition: the file has no name `f` from it. But
        // `template <> int A<float>::f()` changes what `A` means.
        let open = item[3.min(at)..at]
            .iter()
            .position(|token| token.is(Punct::Lt))?;
        let at = start + 3 + open.checked_sub(1)?;
        let name = self.tokens[at].ident().filter(|_| specialises)?.clone();
        Some(Skipped { name, at, meaning })
    }

    /// A name of the host, and why it is not known.
    fn host_name(&mut self, skipped: Skipped, why: &Diagnostic, specialises: bool) -> HostItem {
        let Skipped { name, at, meaning } = skipped;
        let span = self.tokens[at].span;
        // A kernel that calls a function of the host needs to hear that, not what is wrong in its body.
        let why = match meaning {
            Meaning::Other | Meaning::RefusedTemplate if !self.mode.is_program => {
                let message = "it has no `__device__`";
                Diagnostic::error(span, message).help("put `__device__` before it")
            }
            _ => why.clone(),
        };
        self.declare_skipped(&name, meaning);
        HostItem {
            name: Ident { name, span },
            why: Rc::new(why),
            // What is wrong with a type is the cause, wherever it is used.
            is_unread: meaning == Meaning::RefusedType,
            specialises,
        }
    }

    /// A name of what has words of CUDA's in it, and could not be read.
    fn unread_name(&mut self, skipped: Skipped, why: &Diagnostic, specialises: bool) -> HostItem {
        let Skipped { name, at, meaning } = skipped;
        self.declare_skipped(&name, meaning);
        let span = self.tokens[at].span;
        HostItem {
            name: Ident { name, span },
            why: Rc::new(why.clone()),
            is_unread: true,
            specialises,
        }
    }

    fn declare_skipped(&mut self, name: &Name, meaning: Meaning) {
        let known = self.meaning(name);
        // What is known as a type stays one, or variables of that type would no longer be read as declarations.
        if !matches!(known, Some(Meaning::Type | Meaning::TypeTemplate)) {
            let meaning = match meaning {
                Meaning::RefusedType => Meaning::Type,
                Meaning::RefusedTemplate => Meaning::Template,
                meaning => meaning,
            };
            self.declare(name, meaning);
        }
    }

    /// Where names stand, besides the first, that the skipped tokens from `start` may declare: further
    /// variables, the names before and behind the braces of a `typedef`, constants of an enumeration.
    fn more_names(&self, start: usize) -> Vec<Skipped> {
        let word = |at: usize| self.tokens[at].ident().map_or("", |word| &**word);
        let meaning = match word(start) {
            "typedef" => Meaning::RefusedType,
            _ => Meaning::Other,
        };
        let head = start..self.next(start, Punct::OpenBrace).unwrap_or(start);
        // `struct S : P, Q {` declares neither `P` nor `Q`.
        let colon = self.next(start, Punct::Colon);
        let is_base = |at| head.contains(&at) && colon.is_some_and(|colon| colon < at);
        let is_enum = head.clone().any(|at| word(at) == "enum");
        let (mut depth, mut angles) = (0i32, 0i32);
        let mut names = Vec::new();
        for at in start..self.at {
            let token = &self.tokens[at];
            match token.kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParen) => depth -= 1,
                TokenKind::Punct(Punct::Lt) => angles += 1,
                TokenKind::Punct(Punct::Gt) => angles -= 1,
                TokenKind::Punct(Punct::Shr) => angles -= 2,
                _ => {}
            }
            let is_last = at + 1 == self.tokens.len();
            let name = token.ident().filter(|name| !refused::is_keyword(name));
            let Some(name) = name.filter(|_| at > start && !is_last && !is_base(at)) else {
                continue;
            };
            let meaning = match self.declares_at(at, depth == 0 && angles <= 0) {
                Some(Meaning::Other) => meaning,
                Some(tag) => tag,
                None if is_enum && depth == 1 && self.is_constant_at(at) => Meaning::Other,
                None => continue,
            };
            let name = name.clone();
            names.push(Skipped { name, at, meaning });
        }
        names
    }

    /// The first such token from `start` that was skipped.
    fn next(&self, start: usize, punct: Punct) -> Option<usize> {
        (start..self.at).find(|&at| self.tokens[at].is(punct))
    }

    /// What the name at `at` is, if it looks declared there: a type behind `struct` and its kin, or else something
    /// whose value, length or next name follows. `is_outermost` if it stands in no brackets.
    fn declares_at(&self, at: usize, is_outermost: bool) -> Option<Meaning> {
        // `n<float> = 2` is a definition of `n` for some arguments.
        let behind = behind_arguments(&self.tokens, at + 1);
        let (before, next) = (&self.tokens[at - 1], &self.tokens[behind]);
        let follows = |all: &[Punct]| all.iter().any(|&punct| next.is(punct));
        let is_type = before.ident().is_some_and(|word| is_type_word(word));
        if !is_outermost {
            return None;
        }
        if is_type && follows(&[Punct::OpenBrace, Punct::Colon, Punct::Semicolon]) {
            return Some(Meaning::RefusedType);
        }
        let continues = [Punct::Scope, Punct::Assign, Punct::Arrow];
        let ends = [
            Punct::Comma,
            Punct::Semicolon,
            Punct::Assign,
            Punct::OpenBracket,
        ];
        let is_declared = !continues.iter().any(|&punct| before.is(punct)) && follows(&ends);
        is_declared.then_some(Meaning::Other)
    }

    /// Whether the name at `at` stands where a constant of an enumeration does.
    fn is_constant_at(&self, at: usize) -> bool {
        let behind = behind_arguments(&self.tokens, at + 1);
        let (before, next) = (&self.tokens[at - 1], &self.tokens[behind]);
        let begins = [Punct::OpenBrace, Punct::Comma];
        let ends = [Punct::Comma, Punct::Assign, Punct::CloseBrace];
        begins.iter().any(|&punct| before.is(punct)) && ends.iter().any(|&punct| next.is(punct))
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
