//! `template <…>` and what stands behind it.

use std::rc::Rc;

use crate::source::Diagnostic;

use super::super::ast::*;
use super::super::token::Punct;
use super::{Meaning, Parse, Parser, refused};

impl Parser {
    /// `template <…>` with the function, struct or name of a type behind it.
    pub(super) fn template_item(&mut self) -> Parse<Item> {
        let start = self.bump();
        if !self.is(Punct::Lt) {
            return self.explicit_instance();
        }
        self.scopes.push(Default::default());
        let result = self.template_item_inner(start);
        self.scopes.truncate(1);
        let item = result?;
        let (name, meaning) = match &item {
            Item::Function(function) => (&function.name.name, Meaning::Template),
            Item::Record(record) => (&record.name.name, Meaning::TypeTemplate),
            Item::Alias(alias) => (&alias.name.name, Meaning::TypeTemplate),
            _ => return Ok(item),
        };
        let name = name.clone();
        self.declare(&name, meaning);
        Ok(item)
    }

    fn template_item_inner(&mut self, start: crate::source::Span) -> Parse<Item> {
        let template = Rc::new(self.template_parameters()?);
        match self.word() {
            "template" => {
                let error =
                    Diagnostic::error(start, "templates of templates are not supported yet");
                Err(self.report(error))
            }
            "struct" if self.defines_record() => Ok(Item::Record(self.record(Some(template))?)),
            "using" => {
                let alias = self.alias()?;
                let template = Some(template);
                Ok(Item::Alias(Alias { template, ..alias }))
            }
            _ => match self.plain_item(Some(template))? {
                Item::Variables(declaration) => {
                    let span = declaration.variables.first().map_or(start, |v| v.span);
                    let error =
                        Diagnostic::error(span, "templates of variables are not supported yet");
                    Err(self.report(error.help("write a `constexpr` function")))
                }
                item => Ok(item),
            },
        }
    }

    /// `template void f<int>(…);`, which asks for what a launch asks for anyway.
    fn explicit_instance(&mut self) -> Parse<Item> {
        while !self.is_end() && !self.is(Punct::Semicolon) && !self.is(Punct::OpenBrace) {
            self.skip_tree();
        }
        self.expect(Punct::Semicolon, "or `<` after `template`")?;
        Ok(Item::Nothing)
    }

    pub(super) fn template_parameters(&mut self) -> Parse<Vec<TemplateParam>> {
        let open = self.span();
        self.expect(Punct::Lt, "and the parameters of this template")?;
        let mut params = Vec::new();
        while !self.is(Punct::Gt) && !self.is(Punct::Shr) {
            params.push(self.template_parameter()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_template(open)?;
        Ok(params)
    }

    fn template_parameter(&mut self) -> Parse<TemplateParam> {
        let start = self.span();
        let is_type =
            matches!(self.word(), "typename" | "class") && !self.ahead(2).is(Punct::Scope);
        if self.word() == "template" {
            let error = Diagnostic::error(start, "templates as arguments are not supported yet");
            return Err(self.report(error));
        }
        let ty = match is_type {
            true => {
                self.bump();
                None
            }
            false => {
                let head = self.head()?;
                let start = head.ty.span;
                let declarator = self.declarator(false)?;
                Some(self.around(head.ty, declarator, start))
            }
        };
        if self.is(Punct::Ellipsis) {
            let error = Diagnostic::error(self.span(), "parameter packs are not supported yet");
            return Err(self.report(error.help("write each parameter")));
        }
        let word = self.token().ident();
        let name = match word.is_some_and(|word| !refused::is_keyword(word)) {
            true => Some(self.ident("a name")?),
            false => None,
        };
        if let Some(name) = &name {
            let meaning = if is_type {
                Meaning::Type
            } else {
                Meaning::Other
            };
            self.declare(&name.name, meaning);
        }
        let has_default = self.eat(Punct::Assign);
        let kind = match ty {
            None => TemplateParamKind::Type(match has_default {
                true => Some(self.type_name()?),
                false => None,
            }),
            Some(ty) => TemplateParamKind::Value(
                ty,
                match has_default {
                    true => Some(self.template_value()?),
                    false => None,
                },
            ),
        };
        Ok(TemplateParam { name, kind })
    }

    /// A struct in a function: reported once and skipped whole.
    pub(super) fn local_record(&mut self) -> StmtKind {
        let message = "structs in functions are not supported yet";
        let error = Diagnostic::error(self.span(), message);
        self.report(error.help("define it before the function"));
        if let Some(name) = self.ahead(1).ident().cloned() {
            self.declare(&name, Meaning::RefusedType);
        }
        self.skip_definition(false)
    }

    /// A template in a function, which C++ does not have: reported once and skipped whole.
    pub(super) fn local_template(&mut self) -> StmtKind {
        let error = Diagnostic::error(self.span(), "a template cannot stand in a function");
        self.report(error.help("move it up, before the function"));
        self.skip_definition(true)
    }

    /// Skips to behind the `;`, or behind the body of a function.
    fn skip_definition(&mut self, may_be_function: bool) -> StmtKind {
        let mut is_function = may_be_function;
        while !self.is_end() && !self.is(Punct::CloseBrace) && !self.is(Punct::Semicolon) {
            is_function &= !matches!(self.word(), "struct" | "class");
            let was_brace = self.is(Punct::OpenBrace);
            self.skip_tree_whole();
            if was_brace && is_function {
                return StmtKind::Empty;
            }
        }
        self.eat(Punct::Semicolon);
        StmtKind::Empty
    }
}
