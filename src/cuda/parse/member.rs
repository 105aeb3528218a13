//! What stands in a struct, and the names of functions.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::names::Using;
use super::parser::{Parse, Parser};
use super::types::{Declarator, Head};
use crate::cuda::ast::*;
use crate::cuda::lex::{Name, Punct, TokenKind};

impl Parser {
    /// A member of struct `of`; `template` stands before it.
    pub fn member(&mut self, of: &Name, template: Option<Template>) -> Parse<Member> {
        match self.word() {
            "using" | "typedef" => {
                match self.using() {
                    Some(Ok(Using::Name(path))) => return Ok(Member::Using(path)),
                    Some(Ok(Using::Namespace(_))) => return Ok(Member::Nothing),
                    Some(Err(reported)) => return Err(reported),
                    None => {}
                }
                let alias = self.alias()?;
                return Ok(Member::Alias(Alias { template, ..alias }));
            }
            "static_assert" => return Ok(Member::Assert(self.static_assert()?)),
            "enum" if self.defines_enum() => return Ok(Member::Enum(self.whole_enumeration()?)),
            "template" => return self.member_template(of),
            "struct" | "class" | "union" if self.defines_record() => {
                return self.member_record(template);
            }
            // Access is not checked, so nobody needs to be a friend.
            "friend" if matches!(self.word_ahead(1), "class" | "struct") => {
                self.skip_statement();
                return Ok(Member::Nothing);
            }
            "virtual" | "explicit" | "operator" => {}
            _ => {
                if let Some(error) = self.refused_construct() {
                    return Err(self.report(error));
                }
            }
        }
        let mut member = self.member_function(of)?;
        if let Member::Function(function) = &mut member
            && let Some(function) = Rc::get_mut(function)
        {
            function.template = template;
        }
        Ok(member)
    }

    fn member_record(&mut self, template: Option<Template>) -> Parse<Member> {
        if template.is_some() {
            let record = self.record(template)?;
            self.semicolon("this struct");
            return Ok(Member::Record(record));
        }
        Ok(match self.record_or_variables()? {
            Ok(record) => Member::Record(record),
            Err(declaration) => Member::Variables(declaration),
        })
    }

    /// `template <…>` with a member behind it.
    fn member_template(&mut self, of: &Name) -> Parse<Member> {
        self.bump();
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        let member = match self.template_parameters() {
            Ok(params) => self.member(of, Some(Rc::new(params))),
            Err(reported) => Err(reported),
        };
        self.scopes.truncate(depth);
        member
    }

    /// A function or fields.
    fn member_function(&mut self, of: &Name) -> Parse<Member> {
        let mut specifiers = Specifiers::default();
        let mut traits = Traits::default();
        loop {
            if self.eat_word("virtual") {
                traits.is_virtual = true;
            } else if self.eat_word("explicit") {
                traits.is_explicit = true;
            } else if !self.specifier(&mut specifiers)? {
                break;
            }
        }
        let member = self.function_or_fields(of, specifiers);
        let Ok(Member::Function(mut function)) = member else {
            return member;
        };
        if let Some(function) = Rc::get_mut(&mut function) {
            function.traits.is_virtual |= traits.is_virtual;
            function.traits.is_explicit = traits.is_explicit;
        }
        Ok(Member::Function(function))
    }

    /// The rest of a function or of fields, behind their specifiers.
    fn function_or_fields(&mut self, of: &Name, specifiers: Specifiers) -> Parse<Member> {
        // [class.ctor]: the struct's own name without a type before it.
        let is_constructor = self.word() == &**of && self.ahead(1).is(Punct::OpenParen);
        if is_constructor || self.is(Punct::Tilde) {
            let name = self.function_name()?;
            let returns = TypeName::plain(Base::Void, name.span);
            return self.method(specifiers, returns, name, is_constructor);
        }
        // `operator float() const` has no type before it; other operators have one.
        if self.word() == "operator" {
            return self.conversion(specifiers);
        }
        let mut head = self.head_after(specifiers)?;
        if self.begins_bit_field() {
            return Ok(Member::Variables(self.bit_fields(head)?));
        }
        // Tried as a function first; else the same tokens are read again as fields.
        let (start, count) = (self.at, self.diagnostics.len());
        let modifiers = self.pointers_of(&mut head.specifiers)?;
        if self.begins_function() {
            let name = self.function_name()?;
            let declarator = Declarator {
                name: None,
                modifiers,
            };
            let start = head.ty.span;
            let returns = self.around(head.ty, declarator, start);
            return self.method(head.specifiers, returns, name, false);
        }
        self.at = start;
        self.diagnostics.truncate(count);
        Ok(Member::Variables(self.declaration(head)?))
    }

    /// Whether `a : 3` or `: 3` stands here.
    fn begins_bit_field(&self) -> bool {
        let name = usize::from(self.token().ident().is_some());
        self.ahead(name).is(Punct::Colon)
    }

    /// `a : 3, b : 5;` behind their type.
    fn bit_fields(&mut self, head: Head) -> Parse<Declaration> {
        let mut variables = Vec::new();
        loop {
            let span = self.span();
            // [class.bit]: without a name, bits that are left free.
            let name = match self.is(Punct::Colon) {
                true => Ident {
                    name: "".into(),
                    span,
                },
                false => self.ident("the name of a bit-field")?,
            };
            let bits = self.after(Punct::Colon, Parser::assignment)?;
            variables.push(Variable {
                ty: head.ty.clone(),
                name,
                init: None,
                arguments: None,
                bits,
                specialises: None,
                span: span.to(self.previous),
            });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.semicolon("this declaration");
        Ok(Declaration {
            specifiers: head.specifiers,
            variables,
        })
    }

    /// `operator T() const`
    fn conversion(&mut self, specifiers: Specifiers) -> Parse<Member> {
        let start = self.bump();
        let returns = self.type_name()?;
        let name = Ident {
            name: CONVERSION.into(),
            span: start.to(self.previous),
        };
        self.method(specifiers, returns, name, false)
    }

    fn method(
        &mut self,
        mut specifiers: Specifiers,
        returns: TypeName,
        name: Ident,
        is_constructor: bool,
    ) -> Parse<Member> {
        // [class.free]: those are static, whether or not it is written.
        if name.name.starts_with("operator new") || name.name.starts_with("operator delete") {
            specifiers.storage.fixed = specifiers.storage.fixed.or(Some(name.span));
        }
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        // Calls in here are not those of a function that the struct stands in.
        let calls = std::mem::take(&mut self.calls);
        let result = self.signature_and_body(specifiers, returns, name, is_constructor);
        self.calls = calls;
        self.scopes.truncate(depth);
        Ok(Member::Function(Rc::new(result?)))
    }

    /// `: a(x), b{y}` of a constructor.
    pub fn member_initializers(&mut self) -> Parse<Vec<MemberInit>> {
        let mut all = Vec::new();
        if !self.eat(Punct::Colon) {
            return Ok(all);
        }
        loop {
            let name = self.path("the name of a member")?;
            let open = self.span();
            let with_braces = self.is(Punct::OpenBrace);
            let closing = match self.is(Punct::OpenBrace) {
                true => Punct::CloseBrace,
                false => Punct::CloseParen,
            };
            if closing == Punct::CloseParen {
                self.expect(Punct::OpenParen, "and what this member begins with")?;
            } else {
                self.bump();
            }
            all.push(MemberInit {
                name,
                values: self.arguments(closing, open)?,
                with_braces,
            });
            self.eat(Punct::Ellipsis);
            if !self.eat(Punct::Comma) {
                return Ok(all);
            }
        }
    }

    /// Whether a function's name stands here, with its parameters.
    pub fn begins_function(&self) -> bool {
        self.word() == "operator"
            || self.token().ident().is_some() && self.ahead(1).is(Punct::OpenParen)
    }

    /// `operator new[]`, from behind `operator` on.
    fn allocation_name(&mut self, start: Span) -> Parse<Ident> {
        let mut name = format!("operator {}", self.word());
        self.bump();
        if self.eat(Punct::OpenBracket) {
            self.expect(Punct::CloseBracket, "after `[`")?;
            name.push_str("[]");
        }
        let span = start.to(self.previous);
        let name = name.into();
        Ok(Ident { name, span })
    }

    /// A name, `operator` and an operator, or `~A`.
    pub fn function_name(&mut self) -> Parse<Ident> {
        if self.is(Punct::Tilde) {
            let start = self.bump();
            let name = self.ident("the name of the struct")?;
            let span = start.to(name.span);
            let name = DESTRUCTOR.into();
            return Ok(Ident { name, span });
        }
        if self.word() != "operator" {
            return self.ident("the name of the function");
        }
        let start = self.bump();
        if matches!(self.word(), "new" | "delete") {
            return self.allocation_name(start);
        }
        let TokenKind::Punct(punct) = self.token().kind else {
            let error = Diagnostic::error(start, "conversions of your own are not supported yet");
            return Err(self.report(error.help("write a function with a name")));
        };
        self.bump();
        let symbol = match punct {
            // `operator()(int x)`: the first parentheses belong to the name.
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
}
