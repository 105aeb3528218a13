//! Declarators: a name with pointers and arrays around it.

use crate::source::Diagnostic;

use super::{Parse, Parser};
use crate::cuda::ast::{Ident, Modifier};
use crate::cuda::token::Punct;

/// A name with the type around it.
pub struct Declarator {
    pub name: Option<Ident>,
    pub modifiers: Vec<Modifier>,
    /// Whether something about it was reported.
    pub is_refused: bool,
}

impl Parser {
    /// `* const x[3]` and the like. `named` says whether a name must stand in it.
    pub(super) fn declarator(&mut self, named: bool) -> Parse<Declarator> {
        self.deeper(|parser| parser.declarator_inner(named))
    }

    fn declarator_inner(&mut self, named: bool) -> Parse<Declarator> {
        let (mut modifiers, mut is_refused) = self.pointers()?;
        let nested = self.is(Punct::OpenParen)
            && (self.ahead(1).is(Punct::Star) || self.ahead(1).is(Punct::And));
        let mut inner = None;
        let mut name = None;
        if nested {
            let open = self.bump();
            let declarator = self.declarator(named)?;
            self.close(Punct::CloseParen, open)?;
            if self.is(Punct::OpenParen) {
                let message = "pointers to functions are not supported";
                let error = Diagnostic::error(open.to(self.span()), message)
                    .help("call the function by its name");
                return Err(self.report(error));
            }
            inner = Some(declarator);
        } else if named && !self.is(Punct::CloseParen) {
            name = Some(self.ident("a name")?);
        }
        let mut arrays = Vec::new();
        while self.is(Punct::OpenBracket) {
            arrays.push(self.array_length()?);
        }
        modifiers.extend(arrays.into_iter().rev());
        if let Some(inner) = inner {
            modifiers.extend(inner.modifiers);
            is_refused |= inner.is_refused;
            name = inner.name;
        }
        if modifiers.len() > 16 {
            return Err(self.give_up());
        }
        Ok(Declarator {
            name,
            modifiers,
            is_refused,
        })
    }

    pub(super) fn array_length(&mut self) -> Parse<Modifier> {
        let open = self.bump();
        let length = match self.is(Punct::CloseBracket) {
            true => None,
            false => Some(self.assignment()?),
        };
        self.close(Punct::CloseBracket, open)?;
        Ok(Modifier::Array(length, open.to(self.previous)))
    }

    /// `*`, `* const`, `* __restrict__`, `&`.
    pub(super) fn pointers(&mut self) -> Parse<(Vec<Modifier>, bool)> {
        let (mut modifiers, mut is_refused) = (Vec::new(), false);
        loop {
            let span = self.span();
            if self.eat(Punct::Star) {
                modifiers.push(Modifier::Pointer {
                    is_const: false,
                    is_restrict: false,
                });
            } else if self.eat(Punct::And) {
                modifiers.push(Modifier::Reference);
            } else if self.eat(Punct::AndAnd) {
                is_refused = true;
                let error = Diagnostic::error(span, "references with `&&` are not supported yet")
                    .help("take a reference, `const T& x`");
                self.report(error);
            } else if matches!(self.word(), "__restrict__" | "__restrict") {
                self.bump();
                if let Some(Modifier::Pointer { is_restrict, .. }) = modifiers.last_mut() {
                    *is_restrict = true;
                }
            } else if self.word() == "volatile" {
                self.bump();
            } else if self.word() == "const" {
                self.bump();
                if let Some(Modifier::Pointer { is_const, .. }) = modifiers.last_mut() {
                    *is_const = true;
                }
            } else {
                return Ok((modifiers, is_refused));
            }
        }
    }
}
