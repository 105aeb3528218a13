//! `template <…>` and what stands behind it.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::parser::{Meaning, Parse, Parser};
use super::refused;
use crate::cuda::ast::*;
use crate::cuda::lex::Punct;

impl Parser {
    /// `template <…>` with the function, struct or name of a type behind it.
    pub fn template_item(&mut self) -> Parse<Item> {
        let start = self.bump();
        // [temp.explicit]: `template` without `<` asks for an instance.
        if !self.is(Punct::Lt) {
            return self.explicit_instance();
        }
        self.scopes.push(Default::default());
        let result = self.template_item_inner(start);
        // Down to the file's scope: after a mistake, more than one may be open.
        self.scopes.truncate(1);
        let item = result?;
        let (name, meaning) = match &item {
            // A member's name belongs to its struct.
            Item::Function(function) if function.member_of.is_some() => return Ok(item),
            Item::Function(function) => (&function.name.name, Meaning::Template),
            Item::Record(record) => (&record.name.name, Meaning::TypeTemplate),
            Item::Alias(alias) => (&alias.name.name, Meaning::TypeTemplate),
            Item::VariableTemplate(_, declaration) => match declaration.variables.first() {
                Some(variable) => (&variable.name.name, Meaning::Template),
                None => return Ok(item),
            },
            _ => return Ok(item),
        };
        let name = name.clone();
        self.declare(&name, meaning);
        Ok(item)
    }

    /// `template <class T> template <class U> void A<T>::f(U u) {…}`: the struct's parameters stay with the function; its
    /// own have the names that they have in the struct ([temp.mem]).
    fn template_of_member(&mut self, of_struct: Template, start: Span) -> Parse<Item> {
        self.bump();
        self.template_parameters()?;
        match self.plain_item(Some(of_struct))? {
            Item::Function(function) if function.member_of.is_some() => {
                Ok(Item::Function(function))
            }
            _ => {
                let message = "templates of templates are not supported yet";
                Err(self.report(Diagnostic::error(start, message)))
            }
        }
    }

    fn template_item_inner(&mut self, start: Span) -> Parse<Item> {
        let template = Rc::new(self.template_parameters()?);
        match self.word() {
            "template" => self.template_of_member(template, start),
            "struct" | "class" | "union" if self.defines_record() => {
                let record = self.record(Some(template))?;
                self.semicolon("this struct");
                Ok(Item::Record(record))
            }
            "using" => {
                let alias = self.alias()?;
                let template = Some(template);
                Ok(Item::Alias(Alias { template, ..alias }))
            }
            _ => match self.plain_item(Some(template.clone()))? {
                Item::Variables(declaration) => {
                    Ok(Item::VariableTemplate(template, Rc::new(declaration)))
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

    pub fn template_parameters(&mut self) -> Parse<Vec<TemplateParam>> {
        self.deeper(Parser::template_parameters_inner)
    }

    fn template_parameters_inner(&mut self) -> Parse<Vec<TemplateParam>> {
        let open = self.span();
        self.expect(Punct::Lt, "and the parameters of this template")?;
        let mut params = Vec::new();
        // In `template <typename T = A<int>>` the `>>` closes this list and the one inside.
        while !self.is(Punct::Gt) && !self.is(Punct::Shr) {
            params.push(self.template_parameter()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_template(open)?;
        Ok(params)
    }

    /// `template <typename> class Op`
    fn template_template_parameter(&mut self) -> Parse<TemplateParam> {
        self.bump();
        // Names of its parameters mean nothing behind the brackets.
        self.scoped(Parser::template_parameters)?;
        if !self.eat_word("class") && !self.eat_word("typename") {
            return Err(self.expected("`class` and a name for the template"));
        }
        let is_pack = self.eat(Punct::Ellipsis);
        let name = self
            .token()
            .ident()
            .is_some()
            .then(|| self.ident("a name for the template"))
            .transpose()?;
        if let Some(name) = &name {
            self.declare(&name.name, Meaning::TypeTemplate);
        }
        let default = self.after(Punct::Assign, |parser| parser.path("a template"))?;
        let kind = TemplateParamKind::Template(default);
        Ok(TemplateParam {
            name,
            kind,
            is_pack,
        })
    }

    fn template_parameter(&mut self) -> Parse<TemplateParam> {
        // `typename T` is a type's parameter; `typename T::type n` is a value's, of a type found in `T`.
        let is_type =
            matches!(self.word(), "typename" | "class") && !self.ahead(2).is(Punct::Scope);
        if self.word() == "template" {
            return self.template_template_parameter();
        }
        if is_type {
            self.bump();
        }
        let declared = (!is_type).then(|| self.value_parameter()).transpose()?;
        let is_pack = self.eat(Punct::Ellipsis);
        let word = self.token().ident();
        let (ty, inner) = declared.map_or((None, None), |(ty, name)| (Some(ty), name));
        let name = match word.is_some_and(|word| !refused::is_keyword(word)) {
            true => Some(self.ident("a name")?),
            false => inner,
        };
        if let Some(name) = &name {
            let meaning = if is_type {
                Meaning::Type
            } else {
                Meaning::Other
            };
            self.declare(&name.name, meaning);
        }
        let kind = match ty {
            None => TemplateParamKind::Type(self.after(Punct::Assign, Parser::type_name)?),
            Some(ty) => {
                let default = self.after(Punct::Assign, Parser::template_value)?;
                TemplateParamKind::Value(ty, default)
            }
        };
        Ok(TemplateParam {
            name,
            kind,
            is_pack,
        })
    }

    /// The type of a value that a template takes, with its name if that stands within: `int (*F)(int)`.
    fn value_parameter(&mut self) -> Parse<(TypeName, Option<Ident>)> {
        let head = self.head()?;
        let start = head.ty.span;
        let has_name = self.is(Punct::OpenParen) && self.ahead(2).ident().is_some();
        let declarator = self.declarator(has_name)?;
        let name = declarator.name.clone();
        Ok((self.around(head.ty, declarator, start), name))
    }

    /// A struct in a function.
    pub fn local_record(&mut self) -> Parse<StmtKind> {
        Ok(match self.record_or_variables()? {
            Ok(record) => StmtKind::Record(record),
            Err(declaration) => StmtKind::Declare(declaration),
        })
    }

    /// A template in a function, which C++ does not have: reported once and skipped whole.
    pub fn local_template(&mut self) -> StmtKind {
        let error = Diagnostic::error(self.span(), "a template cannot be inside a function");
        self.report(error.help("move it up, before the function"));
        let start = self.at;
        self.skip_definition();
        match self.skipped_name(start) {
            Some((name, meaning)) => {
                self.declare(&name, meaning);
                let span = self.tokens[start].span;
                StmtKind::Refused(Ident { name, span })
            }
            None => StmtKind::Empty,
        }
    }

    /// Skips to behind the `;`, or behind the body of a function.
    fn skip_definition(&mut self) {
        let mut is_function = true;
        while !self.is_end() && !self.is(Punct::CloseBrace) && !self.is(Punct::Semicolon) {
            is_function &= !matches!(self.word(), "struct" | "class");
            let was_brace = self.is(Punct::OpenBrace);
            self.skip_tree_whole();
            if was_brace && is_function {
                return;
            }
        }
        self.eat(Punct::Semicolon);
    }
}
