//! Statements and the declarations among them; `if` and loops are in `control`.

use crate::source::{Diagnostic, Span};

use super::namespace::Using;
use super::{Meaning, Parse, Parser, refused};
use crate::cuda::ast::*;
use crate::cuda::token::Punct;

impl Parser {
    /// `{…}` with a scope of its own, and the place of its `}`.
    pub(super) fn block(&mut self) -> Parse<(Vec<Stmt>, Span)> {
        let open = self.span();
        self.expect(Punct::OpenBrace, "and a body")?;
        self.scoped(|parser| {
            let mut body = Vec::new();
            while !parser.is(Punct::CloseBrace) {
                if parser.is_end() || parser.leaves_block() {
                    let found = parser.token().kind.describe();
                    let message = format!("expected `}}`, found {found}");
                    let error = Diagnostic::error(parser.span(), message)
                        .also(open, "this `{` is never closed");
                    return Err(parser.report(error));
                }
                let before = parser.at;
                match parser.statement() {
                    Ok(statement) => body.push(statement),
                    // A block inside was never closed, which was reported.
                    Err(reported) if parser.is_end() || parser.leaves_block() => {
                        return Err(reported);
                    }
                    Err(_) => {
                        if parser.at == before && parser.is(Punct::CloseParen) {
                            parser.bump();
                        }
                        parser.skip_statement();
                    }
                }
            }
            Ok((body, parser.bump()))
        })
    }

    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        self.deeper(Parser::statement_inner)
    }

    fn statement_inner(&mut self) -> Parse<Stmt> {
        let start = self.span();
        if self.is(Punct::OpenBrace) {
            let (body, end) = self.block()?;
            return Ok(Stmt {
                kind: StmtKind::Block(body),
                span: start.to(end),
            });
        }
        if self.eat(Punct::Semicolon) {
            return Ok(Stmt {
                kind: StmtKind::Empty,
                span: start,
            });
        }
        match self.word() {
            "if" => return self.if_statement(),
            "for" => return self.for_statement(),
            "while" => return self.while_statement(),
            "do" => return self.do_statement(),
            "switch" => return self.switch_statement(),
            _ => {}
        }
        if matches!(self.word(), "case" | "default") {
            let span = self.bump();
            let value = match &*self.tokens[self.at - 1].kind.spelling() {
                "case" => Some(self.case_value()?),
                _ => None,
            };
            self.expect(Punct::Colon, "after this case")?;
            let kind = StmtKind::Case(value);
            let span = span.to(self.previous);
            return Ok(Stmt { kind, span });
        }
        if self.token().ident().is_some() && self.ahead(1).is(Punct::Colon) {
            let error = Diagnostic::error(start, "labels are not supported yet");
            self.report(error.help("use loops, `break` and `continue`"));
            self.bump();
            self.bump();
            let kind = StmtKind::Empty;
            return Ok(Stmt { kind, span: start });
        }
        let kind = self.simple_statement()?;
        Ok(Stmt {
            kind,
            span: start.to(self.last_before_semicolon()),
        })
    }

    fn last_before_semicolon(&self) -> Span {
        match self.at.checked_sub(1).map(|at| &self.tokens[at]) {
            Some(last) if last.is(Punct::Semicolon) && self.at >= 2 => {
                self.tokens[self.at - 2].span
            }
            _ => self.previous,
        }
    }

    /// A statement that ends with `;`.
    fn simple_statement(&mut self) -> Parse<StmtKind> {
        let span = self.span();
        let kind = match self.word() {
            "break" => {
                self.bump();
                StmtKind::Break
            }
            "continue" => {
                self.bump();
                StmtKind::Continue
            }
            "return" => {
                self.bump();
                let value = match self.is(Punct::Semicolon) || self.is(Punct::CloseBrace) {
                    true => None,
                    false if self.is(Punct::OpenBrace) => Some(self.braces()?),
                    false => Some(self.expression()?),
                };
                StmtKind::Return(value)
            }
            "else" => {
                let error = Diagnostic::error(span, "`else` without an `if` before it");
                return Err(self.report(error));
            }
            "namespace" => {
                let (name, path) = self.namespace_alias()?;
                return Ok(StmtKind::SpaceAlias(name, path));
            }
            "using" | "typedef" => {
                return match self.using() {
                    Some(Ok(Using::Space(path))) => Ok(StmtKind::UsingSpace(path)),
                    Some(Ok(Using::Name(path))) => Ok(StmtKind::UsingName(path)),
                    Some(Err(reported)) => Err(reported),
                    None => Ok(StmtKind::Alias(self.alias()?)),
                };
            }
            "static_assert" => return Ok(StmtKind::Assert(self.static_assert()?)),
            "template" => return Ok(self.local_template()),
            "enum" if self.defines_enum() => {
                let written = self.enumeration()?;
                self.semicolon("this enumeration");
                return Ok(StmtKind::Enum(written));
            }
            "struct" | "class" | "union" if self.defines_record() => return self.local_record(),
            word => {
                if let Some(error) = refused::construct(word, span) {
                    return Err(self.report(error));
                }
                if self.declares() || matches!(word, "struct" | "class" | "union" | "enum") {
                    let head = self.head()?;
                    if self.is(Punct::OpenBracket) && matches!(head.ty.base, Base::Auto) {
                        return self.binding(false);
                    }
                    if self.is(Punct::And) && self.ahead(1).is(Punct::OpenBracket) {
                        self.bump();
                        return self.binding(true);
                    }
                    return Ok(StmtKind::Declare(self.declaration(head)?));
                }
                StmtKind::Expr(self.expression()?)
            }
        };
        let what = match kind {
            StmtKind::Break => "`break`",
            StmtKind::Continue => "`continue`",
            StmtKind::Return(_) => "`return`",
            _ => "this expression",
        };
        self.semicolon(what);
        Ok(kind)
    }

    /// The rest of `auto [a, b] = e;`, from the bracket on.
    fn binding(&mut self, is_reference: bool) -> Parse<StmtKind> {
        let open = self.bump();
        let mut names = Vec::new();
        loop {
            names.push(self.ident("a name for a part of the value")?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBracket, open)?;
        self.expect(Punct::Assign, "and the value whose parts these are")?;
        let init = self.assignment()?;
        for name in &names {
            self.declare(&name.name, Meaning::Other);
        }
        self.semicolon("this declaration");
        Ok(StmtKind::Bind(Binding {
            names,
            is_reference,
            init,
        }))
    }
}
