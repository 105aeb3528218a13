//! Expressions, by strength of their operators; what follows an operand; lists of arguments.

use std::collections::VecDeque;

use crate::source::{Diagnostic, Span};

use super::parser::{Meaning, Parse, Parser};
use super::refused;
use super::types::Declarator;
use crate::cuda::ast::*;
use crate::cuda::lex::{self, Literal, Punct, Token, TokenKind};
use crate::cuda::typed::{BinaryOp, Scalar};

const COMMA: u8 = 1;

const ASSIGN: u8 = 2;

const CONDITIONAL: u8 = 3;

enum Infix {
    Comma,
    Assign(Option<BinaryOp>),
    Conditional,
    Logical(bool),
    Binary(BinaryOp),
}

impl Parser {
    /// An expression with commas.
    pub fn expression(&mut self) -> Parse<Expr> {
        self.stronger(COMMA)
    }

    /// The value behind `case`.
    pub fn case_value(&mut self) -> Parse<Expr> {
        self.stronger(CONDITIONAL + 1)
    }

    /// An expression without commas.
    pub fn assignment(&mut self) -> Parse<Expr> {
        self.stronger(ASSIGN)
    }

    /// A value among template arguments.
    pub fn template_value(&mut self) -> Parse<Expr> {
        let before = std::mem::replace(&mut self.mode.in_template, true);
        let value = self.stronger(CONDITIONAL);
        self.mode.in_template = before;
        value
    }

    fn stronger(&mut self, least: u8) -> Parse<Expr> {
        self.deeper(|parser| {
            let mut left = parser.prefix()?;
            while let TokenKind::Punct(punct) = parser.token().kind {
                // [temp.names]: among template arguments the first `>` that is not nested ends them, `>>` twice.
                if parser.mode.in_template && matches!(punct, Punct::Gt | Punct::Shr) {
                    break;
                }
                match infix(punct).filter(|&(_, strength)| strength >= least) {
                    Some((operator, strength)) => left = parser.infix(left, operator, strength)?,
                    None => break,
                }
            }
            Ok(left)
        })
    }

    fn infix(&mut self, left: Expr, operator: Infix, strength: u8) -> Parse<Expr> {
        let place = self.bump();
        if let Infix::Conditional = operator {
            // [expr.cond]: between `?` and `:` anything may stand, a comma too; behind `:` an assignment.
            let yes = self.expression()?;
            self.expect(Punct::Colon, "and the other value of `?`")?;
            let no = self.assignment()?;
            let span = left.span.to(no.span);
            let kind = ExprKind::Conditional(Box::new(left), Box::new(yes), Box::new(no));
            return self.node(kind, span);
        }
        let right = match operator {
            // [expr.ass]: braces may stand on the right of `=`, as in `v = {1, 2}`, but of no other operator.
            Infix::Assign(None) if self.is(Punct::OpenBrace) => self.braces()?,
            // Assignment groups from the right: `a = b = c`.
            Infix::Assign(_) => self.stronger(ASSIGN)?,
            // One step stronger on the right: `a - b - c` groups from the left.
            _ => self.stronger(strength + 1)?,
        };
        let span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match operator {
            Infix::Comma => ExprKind::Comma(left, right),
            Infix::Assign(op) => ExprKind::Assign(op, place, left, right),
            Infix::Logical(is_or) => ExprKind::Logical(is_or, left, right),
            Infix::Binary(op) => ExprKind::Binary(op, place, left, right),
            Infix::Conditional => ExprKind::Refused,
        };
        self.node(kind, span)
    }

    pub fn prefix(&mut self) -> Parse<Expr> {
        let start = self.span();
        let op = match self.token().kind {
            TokenKind::Punct(Punct::Plus) => PrefixOp::Plus,
            TokenKind::Punct(Punct::Minus) => PrefixOp::Minus,
            TokenKind::Punct(Punct::Tilde) => PrefixOp::BitNot,
            TokenKind::Punct(Punct::Not) => PrefixOp::Not,
            TokenKind::Punct(Punct::Star) => PrefixOp::Deref,
            TokenKind::Punct(Punct::And) => PrefixOp::AddressOf,
            TokenKind::Punct(Punct::PlusPlus) => PrefixOp::Increment,
            TokenKind::Punct(Punct::MinusMinus) => PrefixOp::Decrement,
            TokenKind::Ident(_) if self.word() == "sizeof" => return self.size_of(),
            TokenKind::Ident(_) if self.word() == "new" => return self.new_expression(),
            TokenKind::Ident(_) if self.word() == "delete" => return self.delete_expression(),
            TokenKind::Ident(_) if self.word() == "throw" => return self.throw_expression(),
            // `::new` is the one that no class replaces; none does here.
            TokenKind::Punct(Punct::Scope) if matches!(self.word_ahead(1), "new" | "delete") => {
                self.bump();
                return self.prefix();
            }
            TokenKind::Ident(_) if matches!(self.word(), "alignof" | "__alignof__") => {
                return self.of_type(TypeProperty::AlignBytes);
            }
            TokenKind::Ident(_) if self.word() == "__is_trivially_copyable" => {
                return self.of_type(TypeProperty::IsTriviallyCopyable);
            }
            TokenKind::Punct(Punct::OpenParen) => return self.cast_or_parentheses(),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = Box::new(self.deeper(Parser::prefix)?);
        let span = start.to(operand.span);
        self.node(ExprKind::Prefix(op, operand), span)
    }

    /// `alignof(T)` and the like.
    fn of_type(&mut self, property: TypeProperty) -> Parse<Expr> {
        let start = self.bump();
        let open = self.span();
        self.expect(Punct::OpenParen, "and a type")?;
        let ty = self.type_name()?;
        self.close(Punct::CloseParen, open)?;
        self.node(ExprKind::OfType(property, ty), start.to(self.previous))
    }

    /// Whether the `(` here holds a type.
    fn begins_cast(&mut self) -> bool {
        self.at += 1;
        // `((T)x)`: whether the inner parenthesis holds a type is asked when it is read.
        let found = self.is(Punct::OpenParen);
        let is_type = !found && self.begins_type();
        // `(float(x) + 1)` begins with a conversion, not with a type in parentheses.
        let behind = self.path_meaning().map_or(1, |(_, count)| count);
        let next = self.ahead(behind);
        let is_call = next.is(Punct::OpenParen) && !self.ahead(behind + 1).is(Punct::Star)
            || next.is(Punct::OpenBrace);
        self.at -= 1;
        is_type && !is_call
    }

    fn cast_or_parentheses(&mut self) -> Parse<Expr> {
        if !self.begins_cast() {
            return self.postfix();
        }
        let open = self.bump();
        let ty = self.type_name()?;
        self.close(Punct::CloseParen, open)?;
        // `(float2){x, y}` of C is `float2{x, y}` to nvcc, as to GCC.
        if self.is(Punct::OpenBrace) {
            let begin = self.bump();
            let values = self.arguments(Punct::CloseBrace, begin)?;
            let span = open.to(self.previous);
            return self.node(ExprKind::Construct(ty, values, true), span);
        }
        // [expr.cast]: a cast binds more strongly than infix operators: `(int)a / b` is `((int)a) / b`.
        let operand = Box::new(self.deeper(Parser::prefix)?);
        let span = open.to(operand.span);
        self.node(ExprKind::Cast(CastKind::Plain, ty, operand), span)
    }

    fn size_of(&mut self) -> Parse<Expr> {
        let start = self.bump();
        if self.eat(Punct::Ellipsis) {
            let open = self.span();
            self.expect(Punct::OpenParen, "and the name of a parameter pack")?;
            let pack = self.ident("the name of a parameter pack")?;
            self.close(Punct::CloseParen, open)?;
            return self.node(ExprKind::SizeOfPack(pack.name), start.to(self.previous));
        }
        // `sizeof(T) * n` ends with the parenthesis: `*` is no part of its operand.
        if self.is(Punct::OpenParen) && self.begins_cast() {
            let open = self.bump();
            let ty = self.type_name()?;
            self.close(Punct::CloseParen, open)?;
            return self.node(ExprKind::SizeOfType(ty), start.to(self.previous));
        }
        let operand = Box::new(self.deeper(Parser::prefix)?);
        let span = start.to(operand.span);
        self.node(ExprKind::SizeOfExpr(operand), span)
    }

    /// `typeid(T)`, or the same of an expression's type.
    pub fn type_id(&mut self) -> Parse<Expr> {
        let start = self.bump();
        let ty = if self.is(Punct::OpenParen) && self.begins_cast() {
            let open = self.bump();
            let ty = self.type_name()?;
            self.close(Punct::CloseParen, open)?;
            ty
        } else {
            let of = Box::new(self.deeper(Parser::in_parentheses)?);
            TypeName::plain(Base::Decltype(of), start)
        };
        self.node(ExprKind::TypeId(ty), start.to(self.previous))
    }

    pub fn primary(&mut self) -> Parse<Expr> {
        let span = self.span();
        let literal = match &self.token().kind {
            TokenKind::Number(text) => lex::number(text),
            TokenKind::Char(text) => lex::character(text),
            TokenKind::Ident(_) if self.word() == "typeid" && self.mode.is_program => {
                return self.type_id();
            }
            TokenKind::Ident(_) => return self.word_expression(),
            TokenKind::Punct(Punct::OpenParen) => return self.in_parentheses(),
            TokenKind::Str(_) => return self.string(),
            TokenKind::Punct(Punct::OpenBracket) => return self.lambda(),
            // [expr.prim.fold]: an operand of `(e + ...)`.
            TokenKind::Punct(Punct::Ellipsis) => {
                self.bump();
                return self.node(ExprKind::Ellipsis, span);
            }
            TokenKind::Punct(Punct::Scope) if self.begins_type() => return self.construction(),
            TokenKind::Punct(Punct::Scope) => return self.path_expression(),
            _ => return Err(self.expected("an expression")),
        };
        if literal.is_err()
            && self.mode.is_program
            && let Some(made) = self.number_of_class()
        {
            return Ok(made);
        }
        self.bump();
        let kind = match literal {
            Ok(literal) => ExprKind::Literal(literal),
            Err(message) => {
                self.report(Diagnostic::error(span, message));
                ExprKind::Refused
            }
        };
        self.node(kind, span)
    }

    fn in_parentheses(&mut self) -> Parse<Expr> {
        let open = self.bump();
        if self.is(Punct::OpenBrace) {
            self.call_statements();
        }
        let inner = self.bracketed(Parser::expression)?;
        self.close(Punct::CloseParen, open)?;
        // Parentheses leave no node, only a wider span.
        let span = open.to(self.previous);
        Ok(Expr { span, ..inner })
    }

    /// `({ int a = f(); a * a; })` of GNU C, whose value is its last statement's: becomes `([&] { int a = f(); return a * a;
    /// }())`.
    fn call_statements(&mut self) {
        let open = self.at;
        self.skip_tree_whole();
        let close = self.at - 1;
        self.at = open;
        let like = |kind, at: usize| Token {
            kind,
            first_on_line: false,
            ..self.tokens[at].clone()
        };
        let punct = |punct, at| like(TokenKind::Punct(punct), at);
        let begin = [Punct::OpenBracket, Punct::And, Punct::CloseBracket];
        let begin = begin.map(|bracket| punct(bracket, open));
        let end = [Punct::OpenParen, Punct::CloseParen].map(|bracket| punct(bracket, close));
        let last = self.last_statement(open, close);
        let returns = last.map(|at| (at, like(TokenKind::Ident("return".into()), at)));
        self.tokens.splice(close + 1..close + 1, end);
        if let Some((at, returns)) = returns {
            self.tokens.insert(at, returns);
        }
        self.tokens.splice(open..open, begin);
    }

    /// Where the last statement between these braces begins, if it is an expression.
    fn last_statement(&self, open: usize, close: usize) -> Option<usize> {
        let (mut depth, mut begin) = (0u32, open + 1);
        for at in open + 1..close.saturating_sub(1) {
            match self.tokens[at].kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen | Punct::OpenBracket) => {
                    depth += 1;
                }
                TokenKind::Punct(
                    bracket @ (Punct::CloseBrace | Punct::CloseParen | Punct::CloseBracket),
                ) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && bracket == Punct::CloseBrace {
                        begin = at + 1;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => begin = at + 1,
                _ => {}
            }
        }
        let first = self.tokens.get(begin)?;
        let is_statement = first.ident().is_some_and(|word| {
            matches!(&**word, "if" | "for" | "while" | "do" | "switch" | "return")
        });
        (begin + 1 < close && !is_statement).then_some(begin)
    }

    fn path_expression(&mut self) -> Parse<Expr> {
        let path = self.path("a name")?;
        let span = path.span;
        self.node(ExprKind::Path(Box::new(path)), span)
    }

    fn word_expression(&mut self) -> Parse<Expr> {
        let span = self.span();
        let truth = |value: bool| {
            let bits = u64::from(value);
            let scalar = Scalar::Bool;
            ExprKind::Literal(Literal { scalar, bits })
        };
        let kind = match self.word() {
            "true" => truth(true),
            "false" => truth(false),
            "nullptr" | "NULL" => ExprKind::Null,
            "this" => ExprKind::This,
            // A call of an operator by its name.
            "operator" => {
                let name = self.function_name()?;
                return self.node(ExprKind::Name(name.name), name.span);
            }
            "static_cast" => return self.named_cast(CastKind::Static),
            "reinterpret_cast" => return self.named_cast(CastKind::Reinterpret),
            "const_cast" => return self.named_cast(CastKind::Const),
            "dynamic_cast" => return self.named_cast(CastKind::Dynamic),
            _ if self.begins_path() && self.ends_as_value() => return self.path_expression(),
            _ if self.begins_type() => return self.construction(),
            _ if self.begins_path() => return self.path_expression(),
            word => {
                if let Some(error) = refused::construct(word, span) {
                    return Err(self.report(error));
                }
                let name = self.ident("an expression")?.name;
                return self.node(ExprKind::Name(name), span);
            }
        };
        self.bump();
        self.node(kind, span)
    }

    fn named_cast(&mut self, kind: CastKind) -> Parse<Expr> {
        let start = self.bump();
        let open = self.span();
        self.expect(Punct::Lt, "and the type to convert to")?;
        let ty = self.type_name()?;
        self.close(Punct::Gt, open)?;
        let open = self.span();
        self.expect(Punct::OpenParen, "and what to convert")?;
        let operand = Box::new(self.expression()?);
        self.close(Punct::CloseParen, open)?;
        self.node(ExprKind::Cast(kind, ty, operand), start.to(self.previous))
    }

    /// `T(e)`, `T()` or `T{…}`.
    fn construction(&mut self) -> Parse<Expr> {
        let ty = self.head()?.ty;
        let open = self.span();
        if self.is(Punct::OpenBrace) {
            self.bump();
            let values = self.arguments(Punct::CloseBrace, open)?;
            let span = ty.span.to(self.previous);
            return self.node(ExprKind::Construct(ty, values, true), span);
        }
        if !self.is(Punct::OpenParen) && matches!(ty.base, Base::Refused) {
            return self.node(ExprKind::Refused, ty.span);
        }
        if !self.is(Punct::OpenParen) {
            let message = "expected an expression, found a type";
            let error = Diagnostic::error(ty.span, message).label("a type");
            return Err(self.report(error));
        }
        self.bump();
        let mut values = self.arguments(Punct::CloseParen, open)?;
        let span = ty.span.to(self.previous);
        // [expr.type.conv]: `T(e)` with one value is the cast `(T)e`.
        let kind = match values.len() {
            1 if values[0].pattern().is_none() => {
                ExprKind::Cast(CastKind::Plain, ty, Box::new(values.remove(0)))
            }
            _ => ExprKind::Construct(ty, values, false),
        };
        self.node(kind, span)
    }

    pub fn postfix(&mut self) -> Parse<Expr> {
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            let open = self.span();
            let kind = match self.token().kind {
                TokenKind::Punct(Punct::OpenParen) => {
                    self.bump();
                    self.note_call(&expr);
                    let arguments = self.arguments(Punct::CloseParen, open)?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                TokenKind::Punct(Punct::Shl) if self.ahead(1).is(Punct::Lt) => self.launch(expr)?,
                TokenKind::Punct(Punct::OpenBracket) => self.indexed(expr)?,
                TokenKind::Punct(access @ (Punct::Dot | Punct::Arrow)) => {
                    self.bump();
                    // [expr.ref]: `a->b` is `(*a).b`.
                    if access == Punct::Arrow {
                        let pointee = ExprKind::Prefix(PrefixOp::Deref, Box::new(expr));
                        expr = self.node(pointee, start)?;
                    }
                    self.member_of(expr)?
                }
                TokenKind::Punct(step @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                    self.bump();
                    ExprKind::PostfixStep(Box::new(expr), step == Punct::PlusPlus)
                }
                _ => return Ok(expr),
            };
            expr = self.node(kind, start.to(self.previous))?;
        }
    }

    /// `[index]` behind an operand.
    fn indexed(&mut self, base: Expr) -> Parse<ExprKind> {
        let open = self.bump();
        if self.is(Punct::OpenBrace) {
            // [expr.sub]: only an operator of a class takes a list, `m[{i, j}]`.
            let list = self.braces()?;
            self.close(Punct::CloseBracket, open)?;
            let name = "operator[]".into();
            let member = ExprKind::Member(Box::new(base), Ident { name, span: open }, None);
            let callee = self.node(member, open)?;
            return Ok(ExprKind::Call(Box::new(callee), vec![list]));
        }
        let index = self.bracketed(Parser::expression)?;
        let is_whole = self.is(Punct::CloseBracket);
        self.close(Punct::CloseBracket, open)?;
        let kind = ExprKind::Index(Box::new(base), Box::new(index));
        Ok(if is_whole { kind } else { ExprKind::Refused })
    }

    /// The rest of `kernel<<<grid, block>>>(arguments)`.
    fn launch(&mut self, kernel: Expr) -> Parse<ExprKind> {
        self.bump();
        let open = self.bump();
        let before = std::mem::replace(&mut self.mode.in_template, true);
        let config = self.launch_configuration();
        self.mode.in_template = before;
        let config = config?;
        self.expect(Punct::Shr, "at the end of this launch's configuration")?;
        self.close(Punct::Gt, open)?;
        let open = self.span();
        self.expect(Punct::OpenParen, "and what is passed to the kernel")?;
        self.note_call(&kernel);
        let arguments = self.arguments(Punct::CloseParen, open)?;
        Ok(ExprKind::Launch(Box::new(kernel), config, arguments))
    }

    fn launch_configuration(&mut self) -> Parse<Vec<Expr>> {
        let mut config = Vec::new();
        loop {
            config.push(match self.is(Punct::OpenBrace) {
                true => self.braces()?,
                false => self.stronger(CONDITIONAL)?,
            });
            if !self.eat(Punct::Comma) {
                return Ok(config);
            }
        }
    }

    /// Adds what is called, if it has a name, to the calls of the function that is being read.
    fn note_call(&mut self, called: &Expr) {
        let name = match &called.kind {
            ExprKind::Name(name) => name.clone(),
            ExprKind::Path(path) => path.joined().into(),
            _ => return,
        };
        let span = called.span;
        self.calls.push(Ident { name, span });
    }

    /// The name behind `.` or `->`, and template arguments behind it.
    fn member_of(&mut self, base: Expr) -> Parse<ExprKind> {
        // `p->A::f()` and `p->A<T>::f()`, but not `p->f<A::B>()`.
        let behind = match self.begins_template_arguments(0) {
            true => self.behind_template_arguments(1),
            false => self.token().ident().map(|_| 1),
        };
        if behind.is_some_and(|behind| self.ahead(behind).is(Punct::Scope)) {
            let path = self.path("the name of a member")?;
            return Ok(ExprKind::MemberOf(Box::new(base), Box::new(path)));
        }
        let (member, arguments) = self.member_name()?;
        Ok(ExprKind::Member(Box::new(base), member, arguments))
    }

    fn member_name(&mut self) -> Parse<(Ident, Option<Vec<TemplateArgument>>)> {
        let is_template = self.eat_word("template");
        if self.word() == "operator" {
            return Ok((self.function_name()?, None));
        }
        // `p->~T()`, where `T` is the type of `*p`.
        if self.is(Punct::Tilde) {
            let start = self.bump();
            let path = self.path("the name of a struct")?;
            let span = start.to(path.span);
            let name = DESTRUCTOR.into();
            return Ok((Ident { name, span }, None));
        }
        let name = self.ident("the name of a member")?;
        let is_known = self.member_names.get(&name.name) == Some(&Meaning::Template);
        // [temp.names]: `x.f < y` compares, unless `f` is known as a template or follows the word `template`.
        let arguments = (self.is(Punct::Lt) && (is_template || is_known))
            .then(|| self.template_arguments())
            .transpose()?;
        Ok((name, arguments))
    }

    /// `new (at) T[count](values)`
    pub fn new_expression(&mut self) -> Parse<Expr> {
        let start = self.bump();
        let open = self.span();
        let at = match self.eat(Punct::OpenParen) {
            true => self.arguments(Punct::CloseParen, open)?,
            false => Vec::new(),
        };
        let head = self.head()?;
        let first = head.ty.span;
        let modifiers = self.pointers()?;
        let name = None;
        let mut ty = self.around(head.ty, Declarator { name, modifiers }, first);
        let mut lengths = VecDeque::new();
        while self.is(Punct::OpenBracket) {
            lengths.push_back(self.array_length()?);
        }
        // [expr.new]: only the first length may be unknown: `new float[n][4]` makes `n` arrays.
        let count = match lengths.pop_front() {
            Some(Modifier::Array(count, _)) => count,
            _ => None,
        };
        ty.modifiers.extend(lengths.into_iter().rev());
        let open = self.span();
        let values = if self.eat(Punct::OpenParen) {
            Some((self.arguments(Punct::CloseParen, open)?, false))
        } else if self.eat(Punct::OpenBrace) {
            Some((self.arguments(Punct::CloseBrace, open)?, true))
        } else {
            None
        };
        let new = New {
            ty,
            count,
            at,
            values,
        };
        self.node(ExprKind::New(Box::new(new)), start.to(self.previous))
    }

    /// `delete p` and `delete[] p`
    pub fn delete_expression(&mut self) -> Parse<Expr> {
        let start = self.bump();
        let is_array = self.is(Punct::OpenBracket) && self.ahead(1).is(Punct::CloseBracket);
        if is_array {
            self.bump();
            self.bump();
        }
        let operand = Box::new(self.deeper(Parser::prefix)?);
        let span = start.to(operand.span);
        self.node(ExprKind::Delete(operand, is_array), span)
    }

    /// `throw e`, or `throw` alone.
    pub fn throw_expression(&mut self) -> Parse<Expr> {
        let start = self.bump();
        let is_alone = [
            Punct::Semicolon,
            Punct::CloseParen,
            Punct::Colon,
            Punct::Comma,
        ]
        .into_iter()
        .any(|punct| self.is(punct));
        let value = (!is_alone).then(|| self.assignment()).transpose()?;
        let span = start.to(self.previous);
        self.node(ExprKind::Throw(value.map(Box::new)), span)
    }

    /// Arguments up to the bracket that closes the one at `open`, which was read.
    pub fn arguments(&mut self, closing: Punct, open: Span) -> Parse<Vec<Expr>> {
        self.bracketed(|parser| parser.arguments_inner(closing, open))
    }

    fn arguments_inner(&mut self, closing: Punct, open: Span) -> Parse<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is(closing) {
            let argument = match (self.is(Punct::OpenBrace), closing) {
                (true, _) => self.braces()?,
                (_, Punct::CloseBrace) if self.is(Punct::Dot) => self.designated()?,
                _ => self.assignment()?,
            };
            arguments.push(self.expanded(argument)?);
            if !self.eat(Punct::Comma) {
                break;
            }
            // Lists in braces may end with a comma, arguments in parentheses may not.
            if closing == Punct::CloseParen && self.is(closing) {
                return Err(self.expected("another argument after `,`"));
            }
        }
        self.close(closing, open)?;
        Ok(arguments)
    }

    /// `.a = e` and `.a{…}`
    fn designated(&mut self) -> Parse<Expr> {
        let start = self.bump();
        let name = self.ident("the name of a member")?.name;
        if !self.is(Punct::OpenBrace) {
            self.expect(Punct::Assign, "and a value")?;
        }
        let value = match self.is(Punct::OpenBrace) {
            true => self.braces()?,
            false => self.assignment()?,
        };
        let span = start.to(value.span);
        self.node(ExprKind::Designated(name, Box::new(value)), span)
    }

    /// `e...`, if `...` stands behind the value.
    pub fn expanded(&mut self, value: Expr) -> Parse<Expr> {
        if !self.eat(Punct::Ellipsis) {
            return Ok(value);
        }
        let span = value.span.to(self.previous);
        self.node(ExprKind::Expand(Box::new(value)), span)
    }

    /// `{…}`
    pub fn braces(&mut self) -> Parse<Expr> {
        self.deeper(|parser| {
            let open = parser.span();
            parser.expect(Punct::OpenBrace, "and values")?;
            let values = parser.arguments(Punct::CloseBrace, open)?;
            parser.node(ExprKind::Braces(values), open.to(parser.previous))
        })
    }

    /// A string, or several that follow each other.
    pub fn string(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut text = String::new();
        // [lex.phases], phase 6: strings that follow each other are one.
        while let TokenKind::Str(part) = &self.token().kind {
            text.push_str(part);
            self.bump();
        }
        let span = start.to(self.previous);
        let text = self.node(ExprKind::String(text.into()), span)?;
        if self.mode.is_program && !self.token().after_space && self.word() == "s" {
            let span = start.to(self.bump());
            return Ok(literal_call("s", text, span));
        }
        Ok(text)
    }

    /// `100ms`, `2s`, `1.5i`: a number with a suffix that the library defines ([lex.ext]).
    fn number_of_class(&mut self) -> Option<Expr> {
        let TokenKind::Number(text) = &self.token().kind else {
            return None;
        };
        let mut suffixes = CLASS_SUFFIXES.iter();
        let (digits, suffix) =
            suffixes.find_map(|suffix| Some((text.strip_suffix(suffix)?, *suffix)))?;
        let literal = lex::number(digits).ok()?;
        let span = self.bump();
        let number = Expr::new(ExprKind::Literal(literal), span);
        Some(literal_call(suffix, number, span))
    }
}

/// Suffixes of numbers that `<chrono>` and `<complex>` define, longer ones first.
const CLASS_SUFFIXES: [&str; 7] = ["min", "ms", "us", "ns", "h", "s", "i"];

/// `std::__literal_s(value)`, which the library's headers declare.
fn literal_call(suffix: &str, value: Expr, span: Span) -> Expr {
    let path = Path::of_std(&format!("__literal_{suffix}"), span);
    let callee = Box::new(Expr::new(ExprKind::Path(Box::new(path)), span));
    Expr::new(ExprKind::Call(callee, vec![value]), span)
}

/// An operator after an operand, and how strongly it binds.
fn infix(punct: Punct) -> Option<(Infix, u8)> {
    use BinaryOp::*;
    Some(match punct {
        Punct::Comma => (Infix::Comma, COMMA),
        Punct::Assign => (Infix::Assign(None), ASSIGN),
        Punct::AddAssign => (Infix::Assign(Some(Add)), ASSIGN),
        Punct::SubAssign => (Infix::Assign(Some(Sub)), ASSIGN),
        Punct::MulAssign => (Infix::Assign(Some(Mul)), ASSIGN),
        Punct::DivAssign => (Infix::Assign(Some(Div)), ASSIGN),
        Punct::RemAssign => (Infix::Assign(Some(Rem)), ASSIGN),
        Punct::AndAssign => (Infix::Assign(Some(BitAnd)), ASSIGN),
        Punct::OrAssign => (Infix::Assign(Some(BitOr)), ASSIGN),
        Punct::XorAssign => (Infix::Assign(Some(BitXor)), ASSIGN),
        Punct::ShlAssign => (Infix::Assign(Some(Shl)), ASSIGN),
        Punct::ShrAssign => (Infix::Assign(Some(Shr)), ASSIGN),
        Punct::Question => (Infix::Conditional, CONDITIONAL),
        Punct::OrOr => (Infix::Logical(true), 4),
        Punct::AndAnd => (Infix::Logical(false), 5),
        Punct::Or => (Infix::Binary(BitOr), 6),
        Punct::Caret => (Infix::Binary(BitXor), 7),
        Punct::And => (Infix::Binary(BitAnd), 8),
        Punct::EqEq => (Infix::Binary(Eq), 9),
        Punct::NotEq => (Infix::Binary(Ne), 9),
        Punct::Lt => (Infix::Binary(Lt), 10),
        Punct::Gt => (Infix::Binary(Gt), 10),
        Punct::Le => (Infix::Binary(Le), 10),
        Punct::Ge => (Infix::Binary(Ge), 10),
        Punct::Shl => (Infix::Binary(Shl), 11),
        Punct::Shr => (Infix::Binary(Shr), 11),
        Punct::Plus => (Infix::Binary(Add), 12),
        Punct::Minus => (Infix::Binary(Sub), 12),
        Punct::Star => (Infix::Binary(Mul), 13),
        Punct::Slash => (Infix::Binary(Div), 13),
        Punct::Percent => (Infix::Binary(Rem), 13),
        _ => return None,
    })
}
