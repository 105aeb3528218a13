//! Structs and enumerations.

use std::rc::Rc;

use crate::source::Diagnostic;

use super::super::ast::*;
use super::super::token::{Name, Punct, TokenKind};
use super::declarator::Declarator;
use super::{Meaning, Parse, Parser, refused};

impl Parser {
    /// Whether `struct` here begins a definition or declaration of one, not a variable.
    pub(super) fn defines_record(&self) -> bool {
        let mut at = 1;
        while matches!(self.word_ahead(at), "__align__" | "alignas") {
            at += 1;
            let mut depth = 0;
            loop {
                depth += i32::from(self.ahead(at).is(Punct::OpenParen));
                depth -= i32::from(self.ahead(at).is(Punct::CloseParen));
                at += 1;
                if depth <= 0 || self.ahead(at).kind == TokenKind::End {
                    break;
                }
            }
        }
        if self.ahead(at).is(Punct::OpenBrace) {
            return true;
        }
        let next = &self.ahead(at + 1).kind;
        matches!(
            next,
            TokenKind::Punct(Punct::OpenBrace | Punct::Colon | Punct::Semicolon | Punct::Lt)
        )
    }

    /// A struct with its `;`.
    pub(super) fn record(&mut self, template: Option<Template>) -> Parse<Rc<Record>> {
        let start = self.bump();
        let mut specifiers = Specifiers::default();
        while self.specifier(&mut specifiers)? {}
        if self.is(Punct::OpenBrace) {
            let error = Diagnostic::error(start, "structs without a name are not supported yet");
            return Err(self.report(error.help("give it a name: `struct NAME {…}`")));
        }
        let name = self.ident("the name of the struct")?;
        let specialises = match self.is(Punct::Lt) {
            true => Some(self.template_arguments()?),
            false => None,
        };
        let meaning = match template.is_some() {
            true => Meaning::TypeTemplate,
            false => Meaning::Type,
        };
        self.declare(&name.name, meaning);
        if self.is(Punct::Colon) {
            let error = Diagnostic::error(self.span(), "inheritance is not supported")
                .help("put the other struct into a member");
            return Err(self.report(error));
        }
        let members = match self.is(Punct::OpenBrace) {
            true => Some(self.members(&name.name)?),
            false => None,
        };
        if self.token().ident().is_some() && !self.token().first_on_line {
            let error = Diagnostic::error(
                self.span(),
                "a variable declared with its struct is not supported yet",
            )
            .help("declare it in a statement of its own, after the struct");
            self.report(error);
            self.skip_statement();
        } else {
            self.semicolon("this struct");
        }
        let align = specifiers
            .align
            .and_then(|(_, mut arguments)| arguments.pop());
        let record = Record {
            name,
            template,
            specialises,
            align,
            members,
        };
        Ok(Rc::new(record))
    }

    fn members(&mut self, name: &Name) -> Parse<Vec<Member>> {
        let open = self.span();
        self.declare_fields();
        self.bump();
        let mut members = Vec::new();
        while !self.is(Punct::CloseBrace) {
            if self.is_end() {
                let error =
                    Diagnostic::error(self.span(), "expected `}`, found the end of the file")
                        .also(open, "this `{` is never closed");
                return Err(self.report(error));
            }
            if self.eat(Punct::Semicolon) {
                continue;
            }
            if matches!(self.word(), "public" | "private" | "protected")
                && self.ahead(1).is(Punct::Colon)
            {
                self.bump();
                self.bump();
                continue;
            }
            let before = self.at;
            match self.member(name) {
                Ok(member) => members.push(member),
                Err(_) if self.gave_up => return Err(super::Reported),
                Err(_) => {
                    if self.at == before {
                        self.skip_tree_whole();
                    }
                    self.skip_member();
                }
            }
        }
        self.bump();
        Ok(members)
    }

    /// Makes names that the braces here declare known before functions that use them are read.
    fn declare_fields(&mut self) {
        let mut depth = 0i32;
        let mut fields = Vec::new();
        for at in self.at..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParen) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            let next = &self.tokens[(at + 1).min(self.tokens.len() - 1)].kind;
            let ends = matches!(
                next,
                TokenKind::Punct(
                    Punct::Semicolon | Punct::Comma | Punct::Assign | Punct::OpenBracket
                )
            );
            if depth == 1
                && ends
                && let Some(name) = self.tokens[at].ident()
            {
                fields.push(name.clone());
            }
        }
        for name in fields {
            if !refused::is_keyword(&name) && self.meaning(&name).is_none() {
                self.declare(&name, Meaning::Other);
            }
        }
    }

    /// Skips the rest of a member that could not be read.
    fn skip_member(&mut self) {
        while !self.is_end() && !self.is(Punct::CloseBrace) {
            if self.eat(Punct::Semicolon) {
                return;
            }
            let was_brace = self.is(Punct::OpenBrace);
            self.skip_tree_whole();
            if was_brace {
                return;
            }
        }
    }

    fn member(&mut self, of: &Name) -> Parse<Member> {
        let span = self.span();
        match self.word() {
            "using" | "typedef" => return Ok(Member::Alias(self.alias()?)),
            "static_assert" => return Ok(Member::Assert(self.static_assert()?)),
            "enum" => return Ok(Member::Enum(self.enumeration()?)),
            "template" => return self.member_template(of),
            "struct" if self.defines_record() => {
                let error = Diagnostic::error(span, "structs in structs are not supported yet");
                return Err(self.report(error.help("define it before this struct")));
            }
            "virtual" => {
                let error = Diagnostic::error(span, "virtual functions are not supported");
                return Err(self.report(error.help("choose the function by a template parameter")));
            }
            word => {
                if word != "explicit"
                    && let Some(error) = refused::construct(word, span)
                {
                    return Err(self.report(error));
                }
            }
        }
        let mut specifiers = Specifiers::default();
        while self.specifier(&mut specifiers)? {}
        if self.is(Punct::Tilde) {
            let error = Diagnostic::error(self.span(), "destructors are not supported");
            return Err(self.report(error.help("leave it out: kernels own nothing")));
        }
        if self.word() == &**of && self.ahead(1).is(Punct::OpenParen) {
            return self.constructor(specifiers);
        }
        if self.word() == "operator" {
            let error =
                Diagnostic::error(self.span(), "conversions of your own are not supported yet");
            return Err(self.report(error.help("write a function with a name")));
        }
        let head = self.head_after(specifiers)?;
        let (start, count) = (self.at, self.diagnostics.len());
        let (modifiers, is_refused) = self.pointers()?;
        if self.begins_function() {
            let name = self.function_name()?;
            let declarator = Declarator {
                name: None,
                modifiers,
                is_refused,
            };
            let start = head.ty.span;
            let returns = self.around(head.ty, declarator, start);
            return self.method(head.specifiers, returns, name, false);
        }
        self.at = start;
        self.diagnostics.truncate(count);
        Ok(Member::Variables(self.declaration(head)?))
    }

    /// `template <…>` with a function behind it.
    fn member_template(&mut self, of: &Name) -> Parse<Member> {
        let start = self.bump();
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        let read = self
            .template_parameters()
            .and_then(|params| Ok((params, self.member(of)?)));
        self.scopes.truncate(depth);
        let (params, member) = read?;
        if let Member::Function(mut function) = member
            && let Some(made) = Rc::get_mut(&mut function)
        {
            made.template = Some(Rc::new(params));
            return Ok(Member::Function(function));
        }
        let message = "only functions can be templates in a struct";
        let error = Diagnostic::error(start, message);
        Err(self.report(error.help("put the template before the struct")))
    }

    fn constructor(&mut self, specifiers: Specifiers) -> Parse<Member> {
        let name = self.ident("a name")?;
        let returns = TypeName {
            base: Base::Void,
            is_const: false,
            is_volatile: false,
            modifiers: Vec::new(),
            span: name.span,
        };
        self.method(specifiers, returns, name, true)
    }

    fn method(
        &mut self,
        specifiers: Specifiers,
        returns: TypeName,
        name: Ident,
        is_constructor: bool,
    ) -> Parse<Member> {
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        let calls = std::mem::take(&mut self.calls);
        let result = self.signature_and_body(specifiers, returns, name, is_constructor);
        self.calls = calls;
        self.scopes.truncate(depth);
        Ok(Member::Function(Rc::new(result?)))
    }

    /// `: a(x), b{y}` of a constructor.
    pub(super) fn member_initializers(&mut self) -> Parse<Vec<(Ident, Vec<Expr>)>> {
        let mut all = Vec::new();
        if !self.eat(Punct::Colon) {
            return Ok(all);
        }
        loop {
            let name = self.ident("the name of a member")?;
            let open = self.span();
            let closing = match self.is(Punct::OpenBrace) {
                true => Punct::CloseBrace,
                false => Punct::CloseParen,
            };
            if closing == Punct::CloseParen {
                self.expect(Punct::OpenParen, "and what this member begins with")?;
            } else {
                self.bump();
            }
            all.push((name, self.arguments(closing, open)?));
            if !self.eat(Punct::Comma) {
                return Ok(all);
            }
        }
    }

    /// Whether a function's name stands here, with its parameters.
    pub(super) fn begins_function(&self) -> bool {
        self.word() == "operator"
            || self.token().ident().is_some() && self.ahead(1).is(Punct::OpenParen)
    }

    /// A name, or `operator` and an operator.
    pub(super) fn function_name(&mut self) -> Parse<Ident> {
        if self.word() != "operator" {
            return self.ident("the name of the function");
        }
        let start = self.bump();
        let TokenKind::Punct(punct) = self.token().kind else {
            let error = Diagnostic::error(start, "conversions of your own are not supported yet");
            return Err(self.report(error.help("write a function with a name")));
        };
        self.bump();
        let symbol = match punct {
            Punct::OpenParen => {
                self.expect(Punct::CloseParen, "after `operator (`")?;
                "()"
            }
            Punct::OpenBracket => {
                self.expect(Punct::CloseBracket, "after `operator [`")?;
                "[]"
            }
            punct => punct.spelling(),
        };
        let span = start.to(self.previous);
        let name = format!("operator{symbol}").into();
        Ok(Ident { name, span })
    }

    /// An enumeration with its `;`.
    pub(super) fn enumeration(&mut self) -> Parse<Enum> {
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
        self.semicolon("this enumeration");
        Ok(Enum {
            name,
            is_scoped,
            ty,
            constants,
        })
    }
}
