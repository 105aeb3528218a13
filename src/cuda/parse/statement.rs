//! Statements and the declarations among them.

use crate::source::{Diagnostic, Span};

use super::names::Using;
use super::parser::{Meaning, Parse, Parser, Reported};
use super::types::Head;
use crate::cuda::ast::*;
use crate::cuda::lex::{Punct, TokenKind};

/// What stands between the parentheses of a `for`.
#[derive(Default)]
struct ForHead {
    /// `auto [a, b] = e;`, which stands before the loop then.
    parts: Option<Stmt>,
    init: Option<Box<Stmt>>,
    condition: Option<Expr>,
    step: Option<Expr>,
}

/// What stands in the parentheses of a `for` over a range.
struct RangeHead {
    element: Declaration,
    range: Expr,
    /// Names for the parts of the element.
    parts: Option<Binding>,
}

impl Parser {
    /// `{…}` with a scope of its own, and the place of its `}`.
    pub fn block(&mut self) -> Parse<(Vec<Stmt>, Span)> {
        let open = self.span();
        self.expect(Punct::OpenBrace, "and a body")?;
        self.scoped(|parser| {
            let mut body = Vec::new();
            // What is open further out may be what is wrong: an end of the file, or a token that begins a function.
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
                        // A stray `)` would stop `skip_statement` where it stands, for ever.
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

    pub fn statement(&mut self) -> Parse<Stmt> {
        self.deeper(Parser::statement_inner)
    }

    /// `goto name;` or `name:`, if one of them stands here.
    fn goto_or_label(&mut self) -> Option<Parse<Stmt>> {
        let start = self.span();
        if self.eat_word("goto") {
            let name = match self.ident("a label") {
                Ok(name) => name,
                Err(reported) => return Some(Err(reported)),
            };
            self.semicolon("`goto`");
            let (kind, span) = (StmtKind::Goto(name.name), start.to(name.span));
            return Some(Ok(Stmt { kind, span }));
        }
        let name = self.token().ident().cloned()?;
        if !self.ahead(1).is(Punct::Colon) {
            return None;
        }
        self.bump();
        self.bump();
        let (kind, span) = (StmtKind::Label(name), start);
        Some(Ok(Stmt { kind, span }))
    }

    fn statement_inner(&mut self) -> Parse<Stmt> {
        let start = self.span();
        if self.is(Punct::OpenBrace) {
            let (body, end) = self.block()?;
            let (kind, span) = (StmtKind::Block(body), start.to(end));
            return Ok(Stmt { kind, span });
        }
        if self.eat(Punct::Semicolon) {
            let kind = StmtKind::Empty;
            return Ok(Stmt { kind, span: start });
        }
        match self.word() {
            "if" => return self.if_statement(),
            "for" => return self.for_statement(),
            "while" => return self.while_statement(),
            "do" => return self.do_statement(),
            "switch" => return self.switch_statement(),
            "case" | "default" => return self.case(),
            "try" => return self.try_statement(),
            _ => {}
        }
        if self.mode.is_program
            && let Some(found) = self.goto_or_label()
        {
            return found;
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

    /// `case 1:` or `default:`
    fn case(&mut self) -> Parse<Stmt> {
        let is_case = self.word() == "case";
        let start = self.bump();
        let value = is_case.then(|| self.case_value()).transpose()?;
        self.expect(Punct::Colon, "after this case")?;
        let kind = StmtKind::Case(value);
        let span = start.to(self.previous);
        Ok(Stmt { kind, span })
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
        match self.word() {
            "break" | "continue" | "return" => self.jump(),
            // The `if` ended before: most often at a `;` too many.
            "else" => {
                let error = Diagnostic::error(span, "`else` without an `if` before it");
                Err(self.report(error))
            }
            "namespace" => {
                let (name, path) = self.namespace_alias()?;
                Ok(StmtKind::NamespaceAlias(name, path))
            }
            "using" | "typedef" => match self.using() {
                Some(Ok(Using::Namespace(path))) => Ok(StmtKind::UsingNamespace(path)),
                Some(Ok(Using::Name(path))) => Ok(StmtKind::UsingName(path)),
                Some(Err(reported)) => Err(reported),
                None => Ok(StmtKind::Alias(self.alias()?)),
            },
            "static_assert" => Ok(StmtKind::Assert(self.static_assert()?)),
            "template" => Ok(self.local_template()),
            "enum" if self.defines_enum() => Ok(StmtKind::Enum(self.whole_enumeration()?)),
            "struct" | "class" | "union" if self.defines_record() => self.local_record(),
            word => {
                if let Some(error) = self.refused_construct() {
                    return Err(self.report(error));
                }
                // `x * y;` may be either: what `x` stands for decides, as in C++.
                if self.declares() || matches!(word, "struct" | "class" | "union" | "enum") {
                    return self.local_declaration();
                }
                let expr = self.expression()?;
                self.semicolon("this expression");
                Ok(StmtKind::Expr(expr))
            }
        }
    }

    /// `break;`, `continue;` or `return …;`
    fn jump(&mut self) -> Parse<StmtKind> {
        let is_break = self.word() == "break";
        if self.eat_word("return") {
            // Before `}` only the `;` is missing, not a value.
            let value = match self.is(Punct::Semicolon) || self.is(Punct::CloseBrace) {
                true => None,
                // [stmt.return]: `return {a, b};` begins the result from a list.
                false if self.is(Punct::OpenBrace) => Some(self.braces()?),
                false => Some(self.expression()?),
            };
            self.semicolon("`return`");
            return Ok(StmtKind::Return(value));
        }
        self.bump();
        let (kind, name) = match is_break {
            true => (StmtKind::Break, "`break`"),
            false => (StmtKind::Continue, "`continue`"),
        };
        self.semicolon(name);
        Ok(kind)
    }

    /// Variables of a function, or names for the parts of a value.
    fn local_declaration(&mut self) -> Parse<StmtKind> {
        let head = self.head()?;
        // [dcl.struct.bind]: `auto [a, b] = e;`
        if self.is(Punct::OpenBracket) && matches!(head.ty.base, Base::Auto) {
            return self.binding(false);
        }
        // The `&` of `auto& [a, b]` belongs to the binding.
        let is_reference = self.is(Punct::And) || self.is(Punct::AndAnd);
        if is_reference && self.ahead(1).is(Punct::OpenBracket) {
            self.bump();
            return self.binding(true);
        }
        Ok(StmtKind::Declare(self.declaration(head)?))
    }

    /// `[a, b]`
    fn part_names(&mut self) -> Parse<Vec<Ident>> {
        let open = self.bump();
        let mut names = Vec::new();
        loop {
            names.push(self.ident("a name for a part of the value")?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBracket, open)?;
        Ok(names)
    }

    /// Whether `auto [a, b] = e;` begins here.
    fn begins_binding(&self) -> bool {
        let at = usize::from(self.word() == "const");
        let is_reference = matches!(
            self.ahead(at + 1).kind,
            TokenKind::Punct(Punct::And | Punct::AndAnd)
        );
        let behind = at + 1 + usize::from(is_reference);
        self.word_ahead(at) == "auto" && self.ahead(behind).is(Punct::OpenBracket)
    }

    /// `auto [a, b] = e;` in the head of an `if` or `for`.
    fn part_declaration(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = self.local_declaration()?;
        let span = start.to(self.previous);
        Ok(Stmt { kind, span })
    }

    /// The rest of `auto [a, b] = e;`, from the bracket on.
    fn binding(&mut self, is_reference: bool) -> Parse<StmtKind> {
        let names = self.part_names()?;
        self.expect(Punct::Assign, "and the value whose parts these are")?;
        let init = self.assignment()?;
        // Only now: in `auto [a] = f(a)` the `a` of the value is another one.
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

    /// `(condition)`
    fn condition(&mut self, word: &str) -> Parse<Expr> {
        let open = self.span();
        self.expect(Punct::OpenParen, &format!("after `{word}`"))?;
        if self.declares() {
            let message = "declarations in conditions are not supported yet";
            let error = Diagnostic::error(self.span(), message).help("declare it before");
            return Err(self.report(error));
        }
        let condition = self.expression()?;
        self.close(Punct::CloseParen, open)?;
        Ok(condition)
    }

    /// The statement that an `if` or loop governs.
    fn governed(&mut self) -> Parse<Box<Stmt>> {
        if self.is(Punct::CloseBrace) || self.is_end() {
            return Err(self.expected("a statement"));
        }
        // [stmt.select]: what is governed is a block even without braces, so `if (a) int x = 1;` leaves no `x`
        // behind.
        let statement = self.scoped(Parser::statement);
        statement.map(Box::new)
    }

    pub fn if_statement(&mut self) -> Parse<Stmt> {
        let start = self.bump();
        let is_constant = self.eat_word("constexpr");
        // [stmt.if]: what the head declares is known in both branches, and no longer behind them.
        self.scoped(|parser| {
            let (init, condition) = parser.if_condition()?;
            let span = start.to(parser.previous);
            let then = parser.governed()?;
            let otherwise = parser
                .eat_word("else")
                .then(|| parser.governed())
                .transpose()?;
            let kind = StmtKind::If {
                is_constant,
                condition,
                then,
                otherwise,
            };
            let whole = Stmt { kind, span };
            // [stmt.if]: `if (int x = f(); x > 0) …` is the same as `{ int x = f(); if (x > 0) … }`.
            Ok(with_before(init, whole))
        })
    }

    /// `(condition)`, `(int x = 1; condition)` or `(int x = condition)` of an `if`.
    fn if_condition(&mut self) -> Parse<(Option<Stmt>, Expr)> {
        let open = self.span();
        if !self.is(Punct::OpenParen) {
            return Ok((None, self.condition("if")?));
        }
        // Only a look behind the `(`.
        self.at += 1;
        let declares = self.declares();
        self.at -= 1;
        if !declares {
            return Ok((None, self.condition("if")?));
        }
        self.bump();
        if self.begins_binding() {
            let parts = self.part_declaration()?;
            let condition = self.expression()?;
            self.close(Punct::CloseParen, open)?;
            return Ok((Some(parts), condition));
        }
        let start = self.span();
        let head = self.head()?;
        let (declaration, is_whole) = self.variables(head)?;
        let name = match declaration.variables.last() {
            Some(variable) if is_whole => variable.name.clone(),
            // What is wrong in the declaration was reported when it was read.
            _ => return Err(Reported),
        };
        let span = start.to(self.previous);
        let kind = StmtKind::Declare(declaration);
        // [stmt.stmt]: `if (int x = f())` tests `x` itself.
        let condition = match self.eat(Punct::Semicolon) {
            true => self.expression()?,
            false => self.node(ExprKind::Name(name.name), name.span)?,
        };
        self.close(Punct::CloseParen, open)?;
        Ok((Some(Stmt { kind, span }), condition))
    }

    /// `try {…} catch (T& e) {…}`
    pub fn try_statement(&mut self) -> Parse<Stmt> {
        let start = self.bump();
        let (body, _) = self.block()?;
        let mut handlers = Vec::new();
        while self.eat_word("catch") {
            // Each `catch` names what it catches for itself alone.
            handlers.push(self.scoped(Parser::handler)?);
        }
        if handlers.is_empty() {
            return Err(self.expected("`catch` after the block of `try`"));
        }
        let kind = StmtKind::Try(body, handlers);
        let span = start;
        Ok(Stmt { kind, span })
    }

    fn handler(&mut self) -> Parse<Handler> {
        let open = self.span();
        self.expect(Punct::OpenParen, "and what is caught")?;
        let param = match self.eat(Punct::Ellipsis) {
            true => None,
            false => Some(self.parameter()?),
        };
        self.close(Punct::CloseParen, open)?;
        let (body, _) = self.block()?;
        Ok(Handler { param, body })
    }

    pub fn while_statement(&mut self) -> Parse<Stmt> {
        let start = self.bump();
        if self.mode.is_program && self.is(Punct::OpenParen) {
            self.at += 1;
            let declares = self.declares();
            self.at -= 1;
            if declares {
                return self.scoped(|parser| parser.while_declares(start));
            }
        }
        let condition = Some(self.condition("while")?);
        let span = start.to(self.previous);
        let kind = StmtKind::Loop {
            init: None,
            condition,
            step: None,
            body: self.governed()?,
            test_first: true,
        };
        Ok(Stmt { kind, span })
    }

    /// `while (int x = f()) body` is `while (true) { int x = f(); if (!x) break; body }` ([stmt.while]).
    fn while_declares(&mut self, start: Span) -> Parse<Stmt> {
        let (init, condition) = self.if_condition()?;
        let span = start.to(self.previous);
        let body = self.governed()?;
        let (is_over, at) = (Box::new(condition), span);
        let condition = self.node(ExprKind::Prefix(PrefixOp::Not, is_over), at)?;
        let kind = StmtKind::Break;
        let then = Box::new(Stmt { kind, span });
        let ends = StmtKind::If {
            is_constant: false,
            condition,
            then,
            otherwise: None,
        };
        let mut all: Vec<Stmt> = init.into_iter().collect();
        all.push(Stmt { kind: ends, span });
        all.push(*body);
        let kind = StmtKind::Block(all);
        let kind = StmtKind::Loop {
            init: None,
            condition: None,
            step: None,
            body: Box::new(Stmt { kind, span }),
            test_first: true,
        };
        Ok(Stmt { kind, span })
    }

    pub fn do_statement(&mut self) -> Parse<Stmt> {
        let span = self.bump();
        let body = self.governed()?;
        if !self.eat_word("while") {
            return Err(self.expected("`while` after the body of `do`"));
        }
        let condition = Some(self.condition("while")?);
        self.semicolon("`do … while`");
        let kind = StmtKind::Loop {
            init: None,
            condition,
            step: None,
            body,
            test_first: false,
        };
        Ok(Stmt { kind, span })
    }

    pub fn for_statement(&mut self) -> Parse<Stmt> {
        let start = self.bump();
        let open = self.span();
        self.expect(Punct::OpenParen, "after `for`")?;
        // A head that is wrong is passed over from here on.
        let first = self.at;
        self.scoped(|parser| {
            if let Some(head) = parser.range_for_head(open)? {
                let span = start.to(parser.previous);
                let body = parser.governed()?;
                let kind = StmtKind::RangeFor {
                    element: head.element,
                    range: head.range,
                    body: match head.parts {
                        Some(parts) => with_parts(parts, body),
                        None => body,
                    },
                };
                return Ok(Stmt { kind, span });
            }
            let mut head = ForHead::default();
            // What was read of the head is kept: the body is checked even so.
            if let Err(reported) = parser.for_head(&mut head, open) {
                parser.skip_head(first, reported)?;
            }
            let span = start.to(parser.previous);
            let kind = StmtKind::Loop {
                init: head.init,
                condition: head.condition,
                step: head.step,
                body: parser.governed()?,
                test_first: true,
            };
            Ok(with_before(head.parts, Stmt { kind, span }))
        })
    }

    /// Whether a `:` stands in the head of a `for`: before any `;`, and not the one of a `?`.
    fn is_range_for(&self) -> bool {
        let mut depth = 0i32;
        for at in 0.. {
            match self.ahead(at).kind {
                TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket) => depth += 1,
                TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket) => depth -= 1,
                TokenKind::Punct(Punct::Colon) if depth == 0 => return true,
                // `? :` has its colon in an expression: a `for` over a range has none before its own.
                TokenKind::Punct(Punct::Semicolon | Punct::Question | Punct::OpenBrace)
                | TokenKind::End => break,
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        false
    }

    /// `T x : range)` of a `for`, if that is what stands here.
    fn range_for_head(&mut self, open: Span) -> Parse<Option<RangeHead>> {
        if !self.is_range_for() {
            return Ok(None);
        }
        let Head { specifiers, ty } = self.head()?;
        let refers = self.is(Punct::And) || self.is(Punct::AndAnd);
        let has_parts = self.ahead(usize::from(refers)).is(Punct::OpenBracket);
        let (ty, name, parts) = match has_parts {
            true => self.element_with_parts(ty, refers)?,
            false => self.named_element(ty)?,
        };
        self.expect(Punct::Colon, "and what has the elements")?;
        let range = match self.is(Punct::OpenBrace) {
            true => self.braces()?,
            false => self.expression()?,
        };
        self.close(Punct::CloseParen, open)?;
        // The element is the range at an index that no text can name: the checker fills in what that is.
        let index = self.node(ExprKind::Name(RANGE_INDEX.into()), range.span)?;
        let kind = ExprKind::Index(Box::new(range.clone()), Box::new(index));
        let variable = Variable {
            ty,
            span: name.span,
            init: Some(self.node(kind, range.span)?),
            name,
            arguments: None,
            bits: None,
            specialises: None,
        };
        let variables = vec![variable];
        Ok(Some(RangeHead {
            element: Declaration {
                specifiers,
                variables,
            },
            range,
            parts,
        }))
    }

    /// The element of a `for` over a range, from behind the base of its type on, where it has a name.
    fn named_element(&mut self, ty: TypeName) -> Parse<(TypeName, Ident, Option<Binding>)> {
        let start = ty.span;
        let declarator = self.declarator(true)?;
        let Some(name) = declarator.name.clone() else {
            return Err(self.expected("a name"));
        };
        self.declare(&name.name, Meaning::Other);
        Ok((self.around(ty, declarator, start), name, None))
    }

    /// `auto& [a, b]` of a `for` over a range, from behind `auto` on: an element that no text can name, and names
    /// for its parts.
    fn element_with_parts(
        &mut self,
        mut ty: TypeName,
        refers: bool,
    ) -> Parse<(TypeName, Ident, Option<Binding>)> {
        if refers {
            self.bump();
            ty.modifiers.push(Modifier::Reference { is_rvalue: false });
        }
        let span = self.span();
        let names = self.part_names()?;
        for name in &names {
            self.declare(&name.name, Meaning::Other);
        }
        let name = Ident {
            name: RANGE_ELEMENT.into(),
            span,
        };
        let init = self.node(ExprKind::Name(name.name.clone()), span)?;
        let parts = Binding {
            names,
            is_reference: true,
            init,
        };
        Ok((ty, name, Some(parts)))
    }

    /// Moves behind the `)` of a head whose first token is number `first`, or before its body.
    fn skip_head(&mut self, first: usize, reported: Reported) -> Parse<()> {
        let mut depth = 0i32;
        // From the beginning again: how far the reader came says nothing about the parentheses.
        self.at = first;
        while !self.is_end() && !self.is(Punct::CloseBrace) {
            if self.is(Punct::OpenBrace) {
                return Ok(());
            }
            depth += i32::from(self.is(Punct::OpenParen)) - i32::from(self.is(Punct::CloseParen));
            self.bump();
            if depth < 0 {
                return Ok(());
            }
        }
        Err(reported)
    }

    fn for_head(&mut self, head: &mut ForHead, open: Span) -> Parse<()> {
        self.for_init(head)?;
        if !self.is(Punct::Semicolon) {
            head.condition = Some(self.expression()?);
        }
        self.expect(Punct::Semicolon, "and the step of this `for`")?;
        if !self.is(Punct::CloseParen) {
            head.step = Some(self.expression()?);
        }
        self.close(Punct::CloseParen, open)
    }

    fn for_init(&mut self, head: &mut ForHead) -> Parse<()> {
        let start = self.span();
        if self.eat(Punct::Semicolon) {
            return Ok(());
        }
        if self.begins_binding() {
            head.parts = Some(self.part_declaration()?);
            return Ok(());
        }
        let declares = self.declares();
        let (kind, is_whole) = if declares {
            let specifiers = self.head()?;
            let (mut declaration, mut is_whole) = self.variables(specifiers)?;
            if is_whole && !self.is(Punct::Semicolon) {
                self.expected("`;` and the condition of this `for`");
                is_whole = false;
                // In `int i = 0, i < n` the second `i` is no variable.
                let variables = &mut declaration.variables;
                if variables.len() > 1 {
                    variables.pop();
                }
            }
            (StmtKind::Declare(declaration), is_whole)
        } else {
            (StmtKind::Expr(self.expression()?), true)
        };
        let span = start.to(self.previous);
        head.init = Some(Box::new(Stmt { kind, span }));
        match is_whole {
            true => self.expect(Punct::Semicolon, "and the condition of this `for`"),
            false => Err(Reported),
        }
    }

    pub fn switch_statement(&mut self) -> Parse<Stmt> {
        let start = self.bump();
        let value = self.condition("switch")?;
        let span = start.to(self.previous);
        // C++ allows any statement here, but without braces only one `case` could stand in it.
        if !self.is(Punct::OpenBrace) {
            return Err(self.expected("`{` and the cases of this `switch`"));
        }
        let (body, _) = self.block()?;
        let kind = StmtKind::Switch(value, body);
        Ok(Stmt { kind, span })
    }
}

/// A body of a `for` over a range, behind the names of its element's parts.
fn with_parts(parts: Binding, body: Box<Stmt>) -> Box<Stmt> {
    let span = body.span;
    let bind = Stmt {
        kind: StmtKind::Bind(parts),
        span,
    };
    let kind = StmtKind::Block(vec![bind, *body]);
    Box::new(Stmt { kind, span })
}

/// A statement with what its head declares before it.
fn with_before(before: Option<Stmt>, statement: Stmt) -> Stmt {
    let span = statement.span;
    match before {
        Some(before) => Stmt {
            kind: StmtKind::Block(vec![before, statement]),
            span,
        },
        None => statement,
    }
}
