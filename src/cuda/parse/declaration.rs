//! Declarations in functions and files alike: variables, names of types, `static_assert`.

use std::rc::Rc;

use crate::source::Span;

use super::parser::{Meaning, Parse, Parser};
use super::refused;
use super::types::Head;
use crate::cuda::ast::*;
use crate::cuda::lex::{Name, Punct, TokenKind};

/// What a variable begins with.
enum Begin {
    Nothing,
    Value(Expr),
    /// In parentheses: none or several.
    Arguments(Vec<Expr>),
}

impl Begin {
    /// A value, or what stands in parentheses.
    fn parts(self) -> (Option<Expr>, Option<Vec<Expr>>) {
        match self {
            Begin::Nothing => (None, None),
            Begin::Value(value) => (Some(value), None),
            Begin::Arguments(arguments) => (None, Some(arguments)),
        }
    }
}

/// What may stand between a type and the name that it declares.
const BEHIND_TYPES: [Punct; 7] = [
    Punct::Star,
    Punct::And,
    Punct::AndAnd,
    Punct::OpenParen,
    Punct::Scope,
    Punct::Lt,
    Punct::Ellipsis,
];

impl Parser {
    /// Whether a deduction guide begins here: `A(T, int) -> A<T>;` ([temp.deduct.guide]).
    pub fn begins_guide(&self) -> bool {
        let is_named = self.token().ident().is_some() && self.ahead(1).is(Punct::OpenParen);
        is_named && self.ahead(self.behind_parentheses(1)).is(Punct::Arrow)
    }

    /// A deduction guide, as a function with its parameters that makes such an object of them.
    pub fn guide(&mut self, template: Option<Template>) -> Parse<Function> {
        let of = self.ident("the name of a class template")?;
        let (mut params, _) = self.parameters()?;
        self.expect(Punct::Arrow, "and what is deduced")?;
        let made = self.type_name()?;
        self.semicolon("this deduction guide");
        let span = of.span;
        let mut values = Vec::new();
        for (at, param) in params.iter_mut().enumerate() {
            // With a colon, so that no name of the text can be the same.
            let name: Name = format!("guide:{at}").into();
            let value = Expr::new(ExprKind::Name(name.clone()), span);
            values.push(match param.ty.pattern() {
                Some(_) => Expr::new(ExprKind::Expand(Box::new(value)), span),
                None => value,
            });
            param.name = Some(Ident { name, span });
        }
        let kind = ExprKind::Construct(made.clone(), values, true);
        let kind = StmtKind::Return(Some(Expr::new(kind, span)));
        let name = format!("__deduced_{}", of.name).into();
        let mut function = Function::new(made, Ident { name, span }, params);
        function.body = Some(vec![Stmt { kind, span }]);
        function.template = template;
        Ok(function)
    }

    /// Whether a statement here declares something, rather than computing.
    pub fn declares(&self) -> bool {
        if self.begins_type() {
            // Of a path, what follows it; of words like `unsigned int`, what follows the first.
            let behind = match self.begins_path() {
                true => self.path_meaning().map_or(1, |(_, count)| count),
                false if self.word() == "decltype" => self.behind_parentheses(1),
                false => 1,
            };
            let next = self.ahead(behind);
            // By [stmt.ambig] `T(x);` declares `x`. Nobody writes that: here it is a conversion, and `T (*p)[3];` and
            // `T (&a)[3] = b;` declare.
            let is_reference = self.ahead(behind + 1).is(Punct::And)
                && self.ahead(behind + 3).is(Punct::CloseParen)
                && self.ahead(behind + 4).is(Punct::OpenBracket);
            let is_pointer = self.ahead(behind + 1).is(Punct::Star);
            let is_call = next.is(Punct::OpenParen) && !is_pointer && !is_reference;
            let converts = is_call || next.is(Punct::OpenBrace);
            // `A<T>::value)` is a value, though a struct elsewhere has a type of that name.
            let is_operand = self.begins_path()
                && match next.kind {
                    TokenKind::Punct(punct) => !BEHIND_TYPES.contains(&punct),
                    _ => false,
                };
            return !converts && !is_operand;
        }
        // `Foo x;` with an unknown `Foo` is read as a declaration, so that the message is about the type.
        let unknown_type = self.token().ident().is_some()
            && self.meaning(self.word()).is_none()
            && !refused::is_keyword(self.word())
            && self.names_something(1);
        self.begins_declaration() || unknown_type
    }

    /// How many tokens ahead the one is that follows the parentheses that open `open` tokens ahead.
    fn behind_parentheses(&self, open: usize) -> usize {
        let (mut at, mut depth) = (open, 0i32);
        loop {
            depth += i32::from(self.ahead(at).is(Punct::OpenParen));
            depth -= i32::from(self.ahead(at).is(Punct::CloseParen));
            at += 1;
            if depth <= 0 || self.ahead(at).kind == TokenKind::End {
                return at;
            }
        }
    }

    /// Whether a name stands `count` tokens ahead as if it were declared: `x`, or `*x` and `=` or `;`.
    pub fn names_something(&self, count: usize) -> bool {
        let is_name = |at: usize| {
            let word = self.ahead(at).ident();
            word.is_some_and(|word| !refused::is_keyword(word))
        };
        let ends = |at: usize| {
            let next = self.ahead(at);
            next.is(Punct::Assign) || next.is(Punct::Semicolon)
        };
        // `a * b` alone may compute; with `=` or `;` behind it, only a declaration makes sense.
        is_name(count) || self.ahead(count).is(Punct::Star) && is_name(count + 1) && ends(count + 2)
    }

    /// Variables and their `;`, after their head.
    pub fn declaration(&mut self, head: Head) -> Parse<Declaration> {
        let (declaration, is_whole) = self.variables(head)?;
        match is_whole {
            true => self.semicolon("this declaration"),
            false => self.skip_statement(),
        }
        Ok(declaration)
    }

    /// The arguments that stand behind the name of a template of constants.
    fn specialised(&mut self, name: &Ident) -> Parse<Option<Vec<TemplateArgument>>> {
        let is_template = matches!(self.meaning(&name.name), Some(Meaning::Template));
        let is_special = is_template && self.is(Punct::Lt);
        is_special.then(|| self.template_arguments()).transpose()
    }

    /// Variables, after their head; and whether all could be read.
    pub fn variables(&mut self, head: Head) -> Parse<(Declaration, bool)> {
        let Head { mut specifiers, ty } = head;
        let mut variables = Vec::new();
        let mut start = ty.span;
        loop {
            let declarator = self.declarator(true)?;
            let Some(name) = declarator.name.clone() else {
                return Err(self.expected("a name"));
            };
            let specialises = self.specialised(&name)?;
            // `int a[4] __attribute__((aligned(16)));`
            while self.skips_attribute(&mut specifiers)? {}
            // [basic.scope.pdecl]: known from its declarator on: in `int x = x;` both are the same.
            self.declare(&name.name, Meaning::Other);
            let whole = self.around(ty.clone(), declarator, start);
            let (init, failed) = match self.initializer() {
                Ok(init) => (init, false),
                // The name stays known, or each of its uses would be reported, too.
                Err(_) => (Begin::Value(Expr::new(ExprKind::Refused, name.span)), true),
            };
            let (init, arguments) = init.parts();
            variables.push(Variable {
                ty: whole,
                name,
                init,
                arguments,
                bits: None,
                specialises,
                span: start.to(self.previous),
            });
            if failed || !self.eat(Punct::Comma) {
                let declaration = Declaration {
                    specifiers,
                    variables,
                };
                return Ok((declaration, !failed));
            }
            start = self.span();
        }
    }

    /// A variable from behind its name on.
    pub fn variable(&mut self, mut ty: TypeName, name: Ident, start: Span) -> Parse<Variable> {
        let mut lengths = Vec::new();
        while self.is(Punct::OpenBracket) {
            lengths.push(self.array_length()?);
        }
        ty.modifiers.extend(lengths.into_iter().rev());
        let (init, arguments) = self.initializer()?.parts();
        let span = start.to(self.previous);
        Ok(Variable {
            ty,
            name,
            init,
            arguments,
            bits: None,
            specialises: None,
            span,
        })
    }

    fn initializer(&mut self) -> Parse<Begin> {
        let open = self.span();
        if self.eat(Punct::Assign) {
            let braces = self.is(Punct::OpenBrace);
            return Ok(Begin::Value(if braces {
                self.braces()?
            } else {
                self.assignment()?
            }));
        }
        if self.is(Punct::OpenBrace) {
            return Ok(Begin::Value(self.braces()?));
        }
        if self.eat(Punct::OpenParen) {
            // `T x(e)` with one value is read as `T x = e`: `explicit` makes no difference here.
            let mut values = self.arguments(Punct::CloseParen, open)?;
            return Ok(match (values.len(), values.pop()) {
                (1, Some(value)) if value.pattern().is_none() => Begin::Value(value),
                (_, last) => {
                    values.extend(last);
                    Begin::Arguments(values)
                }
            });
        }
        Ok(Begin::Nothing)
    }

    /// `using NAME = TYPE;` or `typedef TYPE NAME;`
    pub fn alias(&mut self) -> Parse<Alias> {
        let start = self.span();
        let (name, ty) = match self.eat_word("typedef") {
            true => self.typedef(start)?,
            false => {
                self.bump();
                let name = self.ident("a name for the type")?;
                self.expect(Punct::Assign, "and a type")?;
                (name, self.type_or_function()?)
            }
        };
        self.declare(&name.name, Meaning::Type);
        self.semicolon("this declaration");
        Ok(Alias {
            name,
            ty,
            template: None,
        })
    }

    /// What stands behind `typedef`: it reads like a variable, whose name then stands for the type ([dcl.typedef]).
    fn typedef(&mut self, start: Span) -> Parse<(Ident, TypeName)> {
        let first = self.at;
        let mut head = self.head()?;
        let base = self.tokens[first..self.at].iter();
        let mut base: Vec<TokenKind> = base.map(|token| token.kind.clone()).collect();
        let mut declarator = self.declarator(true)?;
        let Some(name) = declarator.name.clone() else {
            return Err(self.expected("a name"));
        };
        // `typedef void callback(int);` names the type of a function.
        if self.is(Punct::OpenParen) {
            declarator.modifiers.push(self.function_modifier()?);
        }
        if let Base::Record(record) = &mut head.ty.base {
            // `typedef struct {…} NAME;` names the struct.
            if let Some(record) = Rc::get_mut(record)
                && record.name.name.is_empty()
            {
                record.name = name.clone();
            }
            let of = |name: &str| TokenKind::Ident(name.into());
            base = vec![of("struct"), of(&record.name.name)];
        }
        self.further_alias(&base);
        Ok((name, self.around(head.ty, declarator, start)))
    }

    /// Writes `, *pointer;` behind the first name of a `typedef` in other words: as `; typedef base *pointer;`.
    fn further_alias(&mut self, base: &[TokenKind]) {
        if self.is(Punct::Comma) {
            self.tokens[self.at].kind = TokenKind::Punct(Punct::Semicolon);
            let word = TokenKind::Ident("typedef".into());
            self.insert(self.at + 1, &[&[word], base].concat());
        }
    }

    /// `static_assert(condition, "message");`
    pub fn static_assert(&mut self) -> Parse<StaticAssert> {
        self.bump();
        let open = self.span();
        self.expect(Punct::OpenParen, "and a condition")?;
        let condition = self.assignment()?;
        let mut message = None;
        // Since C++17 the message may be left out ([dcl.dcl]).
        if self.eat(Punct::Comma) {
            if !matches!(self.token().kind, TokenKind::Str(_)) {
                return Err(self.expected("a message in quotes"));
            }
            if let ExprKind::String(text) = self.string()?.kind {
                message = Some(text);
            }
        }
        self.close(Punct::CloseParen, open)?;
        self.semicolon("`static_assert`");
        Ok(StaticAssert { condition, message })
    }
}
