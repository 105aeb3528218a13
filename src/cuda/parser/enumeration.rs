//! Enumerations.

use std::rc::Rc;

use super::{Meaning, Parse, Parser};
use crate::cuda::ast::*;
use crate::cuda::token::Punct;

impl Parser {
    /// Whether `enum` here begins a definition, not a variable.
    pub(super) fn defines_enum(&self) -> bool {
        let mut at = 1;
        while self.ahead(at).ident().is_some() && at < 4 {
            at += 1;
        }
        self.ahead(at).is(Punct::OpenBrace) || self.ahead(at).is(Punct::Colon)
    }

    /// An enumeration up to its `}`.
    pub(super) fn enumeration(&mut self) -> Parse<Rc<Enum>> {
        self.bump();
        let is_scoped = self.eat_word("class") || self.eat_word("struct");
        let name = match self.token().ident() {
            Some(_) => Some(self.ident("the name of the enumeration")?),
            None => None,
        };
        if let Some(name) = &name {
            self.declare(&name.name, Meaning::Type);
        }
        let ty = match self.eat(Punct::Colon) {
            true => Some(self.type_name()?),
            false => None,
        };
        let open = self.span();
        self.expect(Punct::OpenBrace, "and the constants of this enumeration")?;
        let mut constants = Vec::new();
        while !self.is(Punct::CloseBrace) {
            let constant = self.ident("the name of a constant")?;
            if !is_scoped {
                self.declare(&constant.name, Meaning::Other);
            }
            let value = match self.eat(Punct::Assign) {
                true => Some(self.assignment()?),
                false => None,
            };
            constants.push((constant, value));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBrace, open)?;
        Ok(Rc::new(Enum {
            name,
            is_scoped,
            ty,
            constants,
        }))
    }
}
