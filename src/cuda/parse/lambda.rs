//! Lambdas, and what functions may do to the names around them.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::Span;

use super::parser::{Parse, Parser};
use super::refused;
use crate::cuda::ast::*;
use crate::cuda::lex::{Name, Punct, TokenKind};

/// What stands between the brackets of a lambda.
#[derive(Default)]
struct CaptureList {
    default: Option<bool>,
    listed: Vec<(Ident, bool)>,
    values: Vec<(Ident, bool, Expr)>,
    this: Option<bool>,
}

impl Parser {
    /// `[=](float x) { … }`
    pub fn lambda(&mut self) -> Parse<Expr> {
        self.deeper(|parser| parser.bracketed(Parser::lambda_inner))
    }

    fn lambda_inner(&mut self) -> Parse<Expr> {
        let start = self.span();
        let first = self.at;
        let captures = self.capture_list()?;
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        // A lambda's calls are its own: the function around it may never call it.
        let calls = std::mem::take(&mut self.calls);
        let kept = std::mem::take(&mut self.kept);
        let function = self.lambda_function();
        (self.calls, self.kept) = (calls, kept);
        // Before `function?`: an error must not leave the lambda's scopes open.
        self.scopes.truncate(depth);
        let mut function = function?;
        let has_side = function.specifiers.device.is_some();
        if !self.mode.in_host_body {
            // In a kernel's text a lambda is code of the GPU, without a word that says so.
            function.specifiers.device.get_or_insert(start);
        }
        let function = Rc::new(function);
        let names = self.names_since(first, &function.params);
        self.kept.extend(names.iter().cloned());
        let lambda = Lambda {
            function,
            default: captures.default,
            listed: captures.listed,
            values: captures.values,
            this: captures.this,
            names,
            is_called: self.is(Punct::OpenParen),
            has_side,
            variable: self.assigned_before(first),
        };
        self.node(ExprKind::Lambda(Rc::new(lambda)), start.to(self.previous))
    }

    /// The names from token `first` on, but for those of parameters.
    fn names_since(&self, first: usize, params: &[Param]) -> Vec<Name> {
        // Every word, whatever it means: which of them are variables of outside only the checker knows.
        let words = self.tokens[first..self.at].iter();
        let mut names: Vec<Name> = words.filter_map(|token| token.ident().cloned()).collect();
        names.sort();
        names.dedup();
        let is_param = |name: &Name| {
            let mut params = params.iter().filter_map(|param| param.name.as_ref());
            params.any(|param| param.name == *name)
        };
        names.retain(|name| !is_param(name));
        names
    }

    /// The name before the `=` that stands before token `at`.
    fn assigned_before(&self, at: usize) -> Option<Name> {
        let [name, assign] = self.tokens.get(at.checked_sub(2)?..at)? else {
            return None;
        };
        name.ident().filter(|_| assign.is(Punct::Assign)).cloned()
    }

    /// `[…]`
    fn capture_list(&mut self) -> Parse<CaptureList> {
        let open = self.bump();
        let mut captures = CaptureList::default();
        while !self.is(Punct::CloseBracket) {
            let is_reference = self.eat(Punct::And);
            if self.word() == "this" || self.is(Punct::Star) && self.word_ahead(1) == "this" {
                captures.this = Some(self.eat(Punct::Star));
                self.bump();
            } else if self.token().ident().is_some() {
                let name = self.ident("a name")?;
                if self.eat(Punct::Assign) {
                    let value = self.bracketed(Parser::assignment)?;
                    captures.values.push((name, is_reference, value));
                } else {
                    self.eat(Punct::Ellipsis);
                    captures.listed.push((name, is_reference));
                }
            } else if is_reference {
                captures.default = Some(true);
            } else {
                self.expect(Punct::Assign, "`&`, or names between these brackets")?;
                captures.default = Some(false);
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBracket, open)?;
        Ok(captures)
    }

    /// A lambda from its parameters on, as a function.
    fn lambda_function(&mut self) -> Parse<Function> {
        let at = self.span();
        let written = self.lambda_template()?;
        let mut specifiers = Specifiers::default();
        while self.specifier(&mut specifiers)? {}
        let (mut params, is_variadic) = match self.is(Punct::OpenParen) {
            true => self.parameters()?,
            false => Default::default(),
        };
        let traits = Traits {
            is_const: !self.is_mutable(&mut specifiers)?,
            is_variadic,
            ..Traits::default()
        };
        let returns = match self.eat(Punct::Arrow) {
            true => self.type_name()?,
            false => TypeName::plain(Base::Auto, at),
        };
        let template = generic(written, &mut params);
        let first = self.at;
        let (body, end) = self.block()?;
        let name = call_operator(at);
        Ok(Function {
            specifiers,
            body: Some(body),
            summary: BodySummary {
                end,
                calls: Vec::new(),
                changed: self.changed_names(first),
                kept: std::mem::take(&mut self.kept),
            },
            template,
            traits,
            ..Function::new(returns, name, params)
        })
    }

    /// `<class T>` of `[]<class T>(T x) {…}`
    fn lambda_template(&mut self) -> Parse<Vec<TemplateParam>> {
        match self.is(Punct::Lt) {
            true => self.template_parameters(),
            false => Ok(Vec::new()),
        }
    }

    /// Whether a lambda says `mutable`: without it its `operator()` is `const`.
    fn is_mutable(&mut self, specifiers: &mut Specifiers) -> Parse<bool> {
        let mut is_mutable = false;
        loop {
            if self.eat_word("mutable") {
                is_mutable = true;
            } else if !self.eat_word("noexcept") && !self.specifier(specifiers)? {
                return Ok(is_mutable);
            }
        }
    }

    /// The names that the tokens from `start` to here may change: assigned, stepped, passed on, or
    /// their address taken. Rather one too many than one too few.
    pub fn changed_names(&self, start: usize) -> HashSet<Name> {
        let tokens = &self.tokens[start..self.at];
        let kind = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|token| &token.kind);
        let mut changed = HashSet::new();
        for (at, token) in tokens.iter().enumerate() {
            let Some(name) = token.ident().filter(|name| !refused::is_keyword(name)) else {
                continue;
            };
            let (before, after) = (kind(at.checked_sub(1)), kind(Some(at + 1)));
            if may_change(before, after) {
                changed.insert(name.clone());
            }
        }
        changed
    }
}

/// Whether a name between these tokens may be changed.
fn may_change(before: Option<&TokenKind>, after: Option<&TokenKind>) -> bool {
    let punct = |kind: Option<&TokenKind>| match kind {
        Some(TokenKind::Punct(punct)) => Some(*punct),
        _ => None,
    };
    let (is_declared, before) = match before {
        Some(TokenKind::Ident(word)) => (!matches!(&**word, "return" | "else" | "do"), None),
        before => (false, punct(before)),
    };
    let after = punct(after);
    use Punct::*;
    let is_assigned = match after {
        Some(Assign) => {
            let writes_through = matches!(before, Some(Star | And | Gt));
            !is_declared && !writes_through
        }
        Some(
            AddAssign | SubAssign | MulAssign | DivAssign | RemAssign | AndAssign | OrAssign
            | XorAssign | ShlAssign | ShrAssign | PlusPlus | MinusMinus,
        ) => true,
        // `x.y = …`, `x[i] = …`, and functions of `x`.
        Some(Dot | OpenBracket) => false,
        _ => false,
    };
    let is_passed =
        matches!(before, Some(OpenParen | Comma)) && matches!(after, Some(CloseParen | Comma));
    is_assigned || is_passed || matches!(before, Some(PlusPlus | MinusMinus | And))
}

/// The template that a lambda's `operator()` is: of parameters that are written, and of one for each `auto` among the
/// parameters ([expr.prim.lambda.closure]).
fn generic(mut template: Vec<TemplateParam>, params: &mut [Param]) -> Option<Template> {
    for param in params {
        if !matches!(param.ty.base, Base::Auto) {
            continue;
        }
        let name = Ident {
            // With a colon, so that no name of the text can be the same.
            name: format!("auto:{}", template.len() + 1).into(),
            span: param.span,
        };
        param.ty.base = Base::Named(Box::new(Path {
            is_global: false,
            segments: vec![Segment {
                name: name.clone(),
                arguments: None,
            }],
            span: param.span,
        }));
        template.push(TemplateParam {
            name: Some(name),
            kind: TemplateParamKind::Type(None),
            is_pack: param.ty.pattern().is_some(),
        });
    }
    (!template.is_empty()).then(|| Rc::new(template))
}

/// The name of what calls an object.
fn call_operator(span: Span) -> Ident {
    Ident {
        name: "operator()".into(),
        span,
    }
}
