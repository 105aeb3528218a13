//! What follows an operand: calls, indices, members; and lists of arguments.

use crate::source::Span;

use super::{Meaning, Parse, Parser};
use crate::cuda::ast::*;
use crate::cuda::token::{Punct, TokenKind};

impl Parser {
    pub(super) fn postfix(&mut self) -> Parse<Expr> {
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            let open = self.span();
            let kind = match self.token().kind {
                TokenKind::Punct(Punct::OpenParen) => {
                    self.bump();
                    let span = expr.span;
                    match &expr.kind {
                        ExprKind::Name(name) => {
                            let name = name.clone();
                            self.calls.push(Ident { name, span });
                        }
                        ExprKind::Path(path) => {
                            let name = path.joined().into();
                            self.calls.push(Ident { name, span });
                        }
                        _ => {}
                    }
                    let arguments = self.arguments(Punct::CloseParen, open)?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                TokenKind::Punct(Punct::OpenBracket) => {
                    self.bump();
                    let index = self.bracketed(Parser::expression)?;
                    let is_whole = self.is(Punct::CloseBracket);
                    self.close(Punct::CloseBracket, open)?;
                    match is_whole {
                        true => ExprKind::Index(Box::new(expr), Box::new(index)),
                        false => ExprKind::Refused,
                    }
                }
                TokenKind::Punct(Punct::Dot) => {
                    self.bump();
                    let (member, arguments) = self.member_name()?;
                    ExprKind::Member(Box::new(expr), member, arguments)
                }
                TokenKind::Punct(Punct::Arrow) => {
                    self.bump();
                    let (member, arguments) = self.member_name()?;
                    let pointee = ExprKind::Prefix(PrefixOp::Deref, Box::new(expr));
                    let pointee = self.node(pointee, start)?;
                    ExprKind::Member(Box::new(pointee), member, arguments)
                }
                TokenKind::Punct(Punct::PlusPlus) => {
                    self.bump();
                    ExprKind::PostfixStep(Box::new(expr), true)
                }
                TokenKind::Punct(Punct::MinusMinus) => {
                    self.bump();
                    ExprKind::PostfixStep(Box::new(expr), false)
                }
                _ => return Ok(expr),
            };
            expr = self.node(kind, start.to(self.previous))?;
        }
    }

    /// The name behind `.` or `->`, and template arguments behind it.
    fn member_name(&mut self) -> Parse<(Ident, Option<Vec<TemplateArgument>>)> {
        let is_template = self.eat_word("template");
        if self.word() == "operator" {
            return Ok((self.function_name()?, None));
        }
        let name = self.ident("the name of a member")?;
        let is_known = self.member_names.get(&name.name) == Some(&Meaning::Template);
        let arguments = match self.is(Punct::Lt) && (is_template || is_known) {
            true => Some(self.template_arguments()?),
            false => None,
        };
        Ok((name, arguments))
    }

    /// Arguments up to the bracket that closes the one at `open`, which was read.
    pub(super) fn arguments(&mut self, closing: Punct, open: Span) -> Parse<Vec<Expr>> {
        self.bracketed(|parser| parser.arguments_inner(closing, open))
    }

    fn arguments_inner(&mut self, closing: Punct, open: Span) -> Parse<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is(closing) {
            let argument = match self.is(Punct::OpenBrace) {
                true => self.braces()?,
                false => self.assignment()?,
            };
            arguments.push(argument);
            if !self.eat(Punct::Comma) {
                break;
            }
            if closing == Punct::CloseParen && self.is(closing) {
                return Err(self.expected("another argument after `,`"));
            }
        }
        self.close(closing, open)?;
        Ok(arguments)
    }

    /// `{…}`
    pub(super) fn braces(&mut self) -> Parse<Expr> {
        self.deeper(|parser| {
            let open = parser.span();
            parser.expect(Punct::OpenBrace, "and values")?;
            let values = parser.arguments(Punct::CloseBrace, open)?;
            parser.node(ExprKind::Braces(values), open.to(parser.previous))
        })
    }
}
