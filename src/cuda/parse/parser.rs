//! The parser's state: tokens, the names that it must know to tell types from values, and what it has reported.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::refused;
use crate::cuda::ast::{Expr, ExprKind, Ident};
use crate::cuda::lex::{Name, Punct, Token, TokenKind};

/// Deepest nesting of statements, expressions and types together.
const MOST_DEPTH: u32 = 128;

/// Something could not be read, and was reported.
pub struct Reported;

pub type Parse<T> = Result<T, Reported>;

pub struct Parser {
    /// Ends with [`TokenKind::End`].
    pub tokens: Vec<Token>,
    pub at: usize,
    /// Where the last token read stands.
    pub previous: Span,
    pub diagnostics: Vec<Diagnostic>,
    /// Names declared, innermost scope last, and what they are.
    pub scopes: Vec<HashMap<Name, Meaning>>,
    /// Names called in the function being read.
    pub calls: Vec<Ident>,
    /// Names that the lambdas in it use.
    pub kept: HashSet<Name>,
    pub depth: u32,
    /// Whether nesting was too deep: nothing is read or reported any more.
    pub gave_up: bool,
    /// What names mean that stand behind `::`, `.` or `->`.
    pub member_names: HashMap<Name, Meaning>,
    /// What names mean in the structs that were read, for their functions that are defined outside.
    pub record_scopes: HashMap<Name, HashMap<Name, Meaning>>,
    pub mode: Mode,
}

/// What the text is, and what is being read of it.
#[derive(Default)]
pub struct Mode {
    /// Whether the file is a whole program: code of the host is read as well.
    pub is_program: bool,
    /// Whether what is wrong with an item is kept with it, for those who reach it.
    pub keeps_errors: bool,
    /// Whether as many braces are closed as are opened.
    pub is_balanced: bool,
    /// Whether the body of a function is read that only the host runs.
    pub in_host_body: bool,
    /// Whether `>` ends template arguments here, and compares nothing.
    pub in_template: bool,
    /// What the host reads in place of other tokens, in order.
    pub host_texts: Vec<HostText>,
}

/// What the host reads in place of some tokens.
pub struct HostText {
    pub in_place_of: Range<usize>,
    pub tokens: Rc<Vec<Token>>,
}

/// The tokens that the GPU reads, and what the host reads in place of some.
fn by_side(tokens: Vec<Token>) -> (Vec<Token>, Vec<HostText>) {
    let (mut read, mut host_texts) = (Vec::with_capacity(tokens.len()), Vec::<HostText>::new());
    for token in tokens {
        match token.kind {
            TokenKind::HostText(tokens) => host_texts.push(HostText {
                in_place_of: read.len()..read.len(),
                tokens,
            }),
            TokenKind::GpuTextEnd => {
                if let Some(last) = host_texts.last_mut() {
                    last.in_place_of.end = read.len();
                }
            }
            _ => read.push(token),
        }
    }
    (read, host_texts)
}

/// What the parser must know of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Type,
    RefusedType,
    RefusedTemplate,
    /// A function template.
    Template,
    /// A struct or alias template.
    TypeTemplate,
    Other,
}

impl Parser {
    /// A parser at the first of `tokens`, which end with [`TokenKind::End`].
    pub fn new(tokens: Vec<Token>, is_program: bool) -> Self {
        let (tokens, host_texts) = by_side(tokens);
        let mut parser = Parser {
            tokens,
            at: 0,
            previous: Span::default(),
            diagnostics: Vec::new(),
            scopes: vec![HashMap::new()],
            calls: Vec::new(),
            kept: HashSet::new(),
            depth: 0,
            gave_up: false,
            member_names: HashMap::new(),
            record_scopes: HashMap::new(),
            mode: Mode {
                is_program,
                host_texts,
                ..Mode::default()
            },
        };
        parser.mode.is_balanced = parser.has_balanced_braces();
        parser
    }

    pub fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub fn ahead(&self, count: usize) -> &Token {
        // Behind the end there is only the end, so that nobody who looks ahead has to test for it.
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + count).min(last)]
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    pub fn bump(&mut self) -> Span {
        let span = self.span();
        // `End` is never passed: the token at `at` always exists.
        if self.token().kind != TokenKind::End {
            self.at += 1;
            self.previous = span;
        }
        span
    }

    pub fn is(&self, punct: Punct) -> bool {
        self.token().is(punct)
    }

    pub fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    pub fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.bump();
        }
        found
    }

    /// The identifier or keyword here, or nothing as an empty string.
    pub fn word(&self) -> &str {
        self.word_ahead(0)
    }

    pub fn word_ahead(&self, count: usize) -> &str {
        self.ahead(count).ident().map_or("", |name| name)
    }

    /// What is read behind `punct`, if that stands here.
    pub fn after<T>(
        &mut self,
        punct: Punct,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<Option<T>> {
        self.eat(punct).then(|| read(self)).transpose()
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.bump();
        }
        found
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        // What would be reported after giving up is about text that was not read.
        if !self.gave_up {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports that `wanted` should stand here.
    pub fn expected(&mut self, wanted: &str) -> Reported {
        if let Some(error) = self.bad_token() {
            return self.report(error);
        }
        let found = self.token().kind.describe();
        let message = format!("expected {wanted}, found {found}");
        let error = Diagnostic::error(self.span(), message).label(format!("expected {wanted}"));
        self.report(error)
    }

    /// What is wrong with the token here by itself.
    pub fn bad_token(&self) -> Option<Diagnostic> {
        match self.token().kind {
            TokenKind::Bad(bad) => Some(refused::token(bad, self.span())),
            _ => None,
        }
    }

    pub fn expect(&mut self, punct: Punct, after: &str) -> Parse<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}` {after}", punct.spelling())))
    }

    /// The bracket that closes the one at `open`. One that is missing before `{`, `;` or a new line is
    /// taken as read.
    pub fn close(&mut self, punct: Punct, open: Span) -> Parse<()> {
        if self.eat(punct) {
            return Ok(());
        }
        if let Some(error) = self.bad_token() {
            return Err(self.report(error));
        }
        let found = self.token().kind.describe();
        let wanted = punct.spelling();
        let error = Diagnostic::error(self.span(), format!("expected `{wanted}`, found {found}"))
            .label(format!("expected `{wanted}`"))
            .also(open, "to close this");
        self.report(error);
        // `if (a {`: the bracket is taken as there, and the block is read.
        match self.is(Punct::OpenBrace) || self.is(Punct::Semicolon) {
            true => Ok(()),
            false => Err(Reported),
        }
    }

    /// `;` after `what`. A missing one is reported where it should stand; reading goes on at the
    /// next statement.
    pub fn semicolon(&mut self, what: &str) {
        if self.eat(Punct::Semicolon) {
            return;
        }
        if let Some(error) = self.bad_token() {
            self.report(error);
            return self.skip_statement();
        }
        // Where the `;` is missing, not where the next thing begins: that may be lines below.
        let end = self.previous.end as usize;
        let found = self.token().kind.describe();
        let error = Diagnostic::error(
            Span::new(end, end),
            format!("expected `;` after {what}, found {found}"),
        )
        .label("add `;` here");
        self.report(error);
        // On a new line the next statement is likely whole, and only the `;` is missing.
        let begins_anew = self.token().first_on_line || self.is(Punct::CloseBrace);
        if !begins_anew && !self.begins_statement() {
            self.skip_statement();
        }
    }

    /// Whether a keyword that can only begin a statement or declaration stands here.
    pub fn begins_statement(&self) -> bool {
        let keyword = matches!(
            self.word(),
            "if" | "for" | "while" | "do" | "return" | "break" | "continue" | "switch"
        );
        keyword || self.begins_declaration()
    }

    /// Reads with one level more, or gives the whole text up.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MOST_DEPTH {
            return Err(self.give_up());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub fn give_up(&mut self) -> Reported {
        let message = "this is nested too deeply to be read";
        let error = Diagnostic::error(self.span(), message)
            .note(format!("the limit is {MOST_DEPTH} levels"))
            .help("split it into several statements or functions");
        let reported = self.report(error);
        self.gave_up = true;
        // At the end of the text every loop of the parser stops.
        self.at = self.tokens.len() - 1;
        reported
    }

    /// Reads what stands in brackets, where `>` compares.
    pub fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        // In `A<(x > 1)>` the first `>` compares, as it stands in parentheses ([temp.names]).
        let before = std::mem::replace(&mut self.mode.in_template, false);
        let result = read(self);
        self.mode.in_template = before;
        result
    }

    /// An expression of what was read, unless it is too high.
    pub fn node(&mut self, kind: ExprKind, span: Span) -> Parse<Expr> {
        let expr = Expr::new(kind, span);
        // `a + b + c + …` is read in a loop, but its tree is as high as it is long, and others walk it by recursion.
        match u32::from(expr.height) > MOST_DEPTH {
            true => Err(self.give_up()),
            false => Ok(expr),
        }
    }

    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        // [basic.scope.hiding]: the innermost declaration hides those further out.
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.copied()
    }

    pub fn declare(&mut self, name: &Name, meaning: Meaning) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), meaning);
        }
    }

    /// Reads within a scope of its own.
    pub fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = read(self);
        self.scopes.pop();
        result
    }

    /// A name that is declared here.
    pub fn ident(&mut self, wanted: &str) -> Parse<Ident> {
        match self.token().ident().cloned() {
            Some(name) if !refused::is_keyword(&name) => {
                let span = self.bump();
                Ok(Ident { name, span })
            }
            Some(name) => {
                let message = format!("expected {wanted}, found the keyword `{name}`");
                let error = Diagnostic::error(self.span(), message).label("not a name");
                Err(self.report(error))
            }
            None => Err(self.expected(wanted)),
        }
    }
}
