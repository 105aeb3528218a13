//! Names with namespaces before them and template arguments behind; namespaces.

use crate::source::{Diagnostic, Span};

use super::parser::{Meaning, Parse, Parser};
use super::refused;
use crate::cuda::ast::{Ident, Modifier, Path, Segment, TemplateArgument};
use crate::cuda::lex::{Name, Punct, Token, TokenKind};
use crate::cuda::typed::named_type;

/// What `using` can bring besides a name for a type.
pub enum Using {
    Namespace(Path),
    Name(Path),
}

impl Parser {
    /// Whether a path of more than one plain name begins here.
    pub fn begins_path(&self) -> bool {
        self.is(Punct::Scope)
            || self.token().ident().is_some()
                && (self.ahead(1).is(Punct::Scope) || self.begins_template_arguments(0))
    }

    /// What the parser must know of the last name of the path here, and how many tokens the path has.
    pub fn path_meaning(&self) -> Option<(Option<Meaning>, usize)> {
        let mut count = usize::from(self.is(Punct::Scope));
        let is_single = count == 0;
        let mut is_first = true;
        loop {
            let name = self.ahead(count).ident()?;
            let is_known = is_first && is_single;
            let meaning = match is_known {
                true => self.meaning(name),
                false => self.qualified_meaning(name),
            };
            let mut is_last = false;
            if self.begins_template_arguments(count) {
                (count, is_last) = self.end_of_template_arguments(count + 1)?;
            } else {
                count += 1;
            }
            if is_last || !self.ahead(count).is(Punct::Scope) {
                return Some((meaning, count));
            }
            count += 1;
            count += usize::from(self.word_ahead(count) == "template");
            is_first = false;
        }
    }

    /// Whether the path here is a value, though its last name is that of a type somewhere: nothing is made of it, as in
    /// `A<T>::value ? 1 : 2`.
    pub fn ends_as_value(&self) -> bool {
        let Some((Some(Meaning::Type), count)) = self.path_meaning() else {
            return false;
        };
        let next = self.ahead(count);
        !next.is(Punct::OpenParen) && !next.is(Punct::OpenBrace)
    }

    /// What the parser must know of a name behind `::`, which no local name hides.
    fn qualified_meaning(&self, name: &Name) -> Option<Meaning> {
        // The parser has one scope for all namespaces; which of them is meant is resolved later.
        let file = self.scopes.first().and_then(|scope| scope.get(name));
        file.or_else(|| self.member_names.get(name)).copied()
    }

    /// Whether `<` behind the name `count` tokens ahead begins template arguments.
    pub fn begins_template_arguments(&self, count: usize) -> bool {
        if !self.ahead(count + 1).is(Punct::Lt) {
            return false;
        }
        let name = self.word_ahead(count);
        let is_qualified = (self.at + count)
            .checked_sub(1)
            .is_some_and(|before| self.tokens[before].is(Punct::Scope));
        let meaning = match self.ahead(count).ident() {
            Some(name) if is_qualified => self.qualified_meaning(name),
            _ => self.meaning(name),
        };
        match meaning {
            Some(meaning) => matches!(
                meaning,
                Meaning::Template | Meaning::TypeTemplate | Meaning::RefusedTemplate
            ),
            None if refused::is_keyword(name) => false,
            // An unknown name is no variable, so that it can hardly be compared.
            None => self
                .behind_template_arguments(count + 1)
                .is_some_and(|behind| {
                    let next = &self.ahead(behind).kind;
                    matches!(
                        next,
                        TokenKind::Ident(_)
                            | TokenKind::Punct(Punct::OpenParen | Punct::Scope | Punct::And)
                    )
                }),
        }
    }

    /// How many tokens ahead the one is that follows the `>` for the `<` at `open`.
    pub fn behind_template_arguments(&self, open: usize) -> Option<usize> {
        self.end_of_template_arguments(open)
            .map(|(behind, _)| behind)
    }

    /// The same, and whether a list around ends there as well: the `::` in `A<B<int>>::value` belongs to `A`.
    fn end_of_template_arguments(&self, open: usize) -> Option<(usize, bool)> {
        let (mut depth, mut brackets) = (0i32, 0i32);
        // Few lists are longer than 200 tokens; without a bound each `<` could cost the whole file.
        for at in open..open + 200 {
            match self.ahead(at).kind {
                TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket) => brackets += 1,
                TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket) => brackets -= 1,
                TokenKind::Punct(Punct::Lt) if brackets == 0 => depth += 1,
                TokenKind::Punct(Punct::Gt) if brackets == 0 => depth -= 1,
                // [temp.names]: `>>` closes two lists.
                TokenKind::Punct(Punct::Shr) if brackets == 0 => depth -= 2,
                // `a < b && c > d` compares twice: it is no template.
                TokenKind::Punct(Punct::AndAnd | Punct::OrOr) if brackets == 0 => return None,
                TokenKind::Punct(Punct::Semicolon | Punct::OpenBrace | Punct::CloseBrace)
                | TokenKind::End => return None,
                _ => {}
            }
            if brackets < 0 {
                return None;
            }
            if depth <= 0 {
                return Some((at + 1, depth < 0));
            }
        }
        None
    }

    /// The path that all of `tokens` make, where the names of the whole file are known.
    pub fn whole_path(&mut self, tokens: Vec<Token>) -> Option<Path> {
        self.tokens = tokens;
        self.at = 0;
        self.scopes.truncate(1);
        let path = self.path("the name of a kernel").ok()?;
        self.is_end().then_some(path)
    }

    /// `a`, `a::b`, `::a<int>::b`; `wanted` says what should stand here.
    pub fn path(&mut self, wanted: &str) -> Parse<Path> {
        self.deeper(|parser| {
            let start = parser.span();
            let is_global = parser.eat(Punct::Scope);
            let mut segments = Vec::new();
            loop {
                // `T::template f<int>`: the word only says that `<` begins arguments.
                let is_template = parser.eat_word("template") && parser.ahead(1).is(Punct::Lt);
                let has_arguments = is_template || parser.begins_template_arguments(0);
                let name = match parser.word() == "operator" && !segments.is_empty() {
                    true => parser.function_name()?,
                    false => parser.ident(wanted)?,
                };
                let arguments = has_arguments
                    .then(|| parser.template_arguments())
                    .transpose()?;
                segments.push(Segment { name, arguments });
                if !parser.eat(Punct::Scope) {
                    let span = start.to(parser.previous);
                    return Ok(Path {
                        is_global,
                        segments,
                        span,
                    });
                }
            }
        })
    }

    /// `<…>`
    pub fn template_arguments(&mut self) -> Parse<Vec<TemplateArgument>> {
        let open = self.span();
        self.expect(Punct::Lt, "and template arguments")?;
        let mut arguments = Vec::new();
        while !self.is(Punct::Gt) && !self.is(Punct::Shr) {
            arguments.push(self.template_argument()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_template(open)?;
        Ok(arguments)
    }

    pub fn template_argument(&mut self) -> Parse<TemplateArgument> {
        // [temp.arg]: what could be a type or a value is a type.
        if self.begins_type() {
            let mut ty = self.type_or_function()?;
            if self.eat(Punct::Ellipsis) {
                ty.modifiers.push(Modifier::Expand);
            }
            return Ok(TemplateArgument::Type(ty));
        }
        let value = self.template_value()?;
        Ok(TemplateArgument::Value(self.expanded(value)?))
    }

    /// The `>` that closes a list of template arguments or parameters; of `>>`, its first half.
    pub fn close_template(&mut self, open: Span) -> Parse<()> {
        if self.is(Punct::Shr) {
            // `>>` becomes `>` where it stands, for the list outside to close with.
            let token = &mut self.tokens[self.at];
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            token.kind = TokenKind::Punct(Punct::Gt);
            self.previous = Span::new(start, (start + 1).min(end));
            token.span = Span::new((start + 1).min(end), end);
            return Ok(());
        }
        self.close(Punct::Gt, open)
    }

    /// Writes an `inline namespace b {` here in other words ([namespace.def]), where `around` is `a::`: as
    /// `namespace b = a; namespace {`, and in no namespace as `namespace b {…} using namespace b;`.
    pub fn unfold_inline_namespace(&mut self, around: &str) {
        // `namespace a::inline b {…}` is `namespace a { inline namespace b {…} }`.
        if self.word() == "namespace"
            && self.ahead(2).is(Punct::Scope)
            && self.word_ahead(3) == "inline"
            && let Some(end) = self.closes(self.at + 5)
        {
            self.insert(end, &[TokenKind::Punct(Punct::CloseBrace)]);
            self.tokens[self.at + 2].kind = TokenKind::Punct(Punct::OpenBrace);
            let namespace = self.tokens[self.at].kind.clone();
            self.insert(self.at + 4, &[namespace]);
            return;
        }
        let is_inline = self.word() == "inline" && self.word_ahead(1) == "namespace";
        let (Some(name), true) = (self.ahead(2).ident().cloned(), is_inline) else {
            return;
        };
        let Some(end) = self.closes(self.at + 3) else {
            return;
        };
        let word = |word: &str| TokenKind::Ident(word.into());
        let name = TokenKind::Ident(name);
        let semicolon = TokenKind::Punct(Punct::Semicolon);
        self.tokens.remove(self.at);
        if around.is_empty() {
            let using = [word("using"), word("namespace"), name, semicolon];
            return self.insert(end - 1, &using);
        }
        let mut alias = vec![word("namespace"), name, TokenKind::Punct(Punct::Assign)];
        for part in around.split("::").filter(|part| !part.is_empty()) {
            if alias.len() > 3 {
                alias.push(TokenKind::Punct(Punct::Scope));
            }
            alias.push(word(part));
        }
        alias.push(semicolon);
        self.tokens.remove(self.at + 1);
        self.insert(self.at, &alias);
    }

    /// Puts tokens before the one at `at`, as if they stood there.
    pub fn insert(&mut self, at: usize, kinds: &[TokenKind]) {
        let like = self.tokens[at.min(self.tokens.len() - 1)].clone();
        let new = kinds.iter().map(|kind| Token {
            kind: kind.clone(),
            ..like.clone()
        });
        self.tokens.splice(at..at, new.collect::<Vec<_>>());
    }

    /// Behind the `}` that closes the `{` at `open`; nothing if none stands there.
    fn closes(&self, open: usize) -> Option<usize> {
        if !self.tokens.get(open)?.is(Punct::OpenBrace) {
            return None;
        }
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            if token.is(Punct::OpenBrace) {
                depth += 1;
            } else if token.is(Punct::CloseBrace) {
                depth -= 1;
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// The `a::b::` of `namespace a::b {`, whose `{` is read; empty without a name.
    pub fn opens_namespace(&mut self) -> Option<Name> {
        let start = usize::from(self.word() == "inline");
        if self.word_ahead(start) != "namespace" {
            return None;
        }
        let mut at = start + 1;
        let mut namespace = String::new();
        while let Some(name) = self.ahead(at).ident() {
            namespace.push_str(name);
            namespace.push_str("::");
            at += 1;
            if !self.ahead(at).is(Punct::Scope) {
                break;
            }
            at += 1;
        }
        if !self.ahead(at).is(Punct::OpenBrace) {
            return None;
        }
        for _ in 0..=at {
            self.bump();
        }
        Some(namespace.into())
    }

    /// `namespace a = b::c;`
    pub fn namespace_alias(&mut self) -> Parse<(Ident, Path)> {
        self.bump();
        let name = self.ident("the name of a namespace")?;
        self.expect(Punct::Assign, "or `{` after the name of this namespace")?;
        let path = self.path("a namespace")?;
        self.semicolon("this declaration");
        Ok((name, path))
    }

    /// `using namespace a;` or `using a::b;`, unless a type is given a name here.
    pub fn using(&mut self) -> Option<Parse<Using>> {
        if self.word() != "using" || self.ahead(2).is(Punct::Assign) {
            return None;
        }
        self.bump();
        Some(self.using_rest())
    }

    fn using_rest(&mut self) -> Parse<Using> {
        // [enum.udecl]: `using enum E;` opens an enumeration like a namespace.
        if self.eat_word("namespace") || self.eat_word("enum") {
            let path = self.path("a namespace")?;
            self.semicolon("this declaration");
            return Ok(Using::Namespace(path));
        }
        let path = self.path("a name")?;
        if path.segments.len() < 2 && !path.is_global {
            let error = Diagnostic::error(path.span, "`using` needs a name with `::`, or `= TYPE`");
            return Err(self.report(error));
        }
        if let Some(last) = path.segments.last() {
            let name = &last.name.name;
            let known = self.scopes.first().and_then(|scope| scope.get(name));
            if let Some(meaning) = known.copied() {
                self.declare(name, meaning);
            // What the standard library declares is built in, and in no scope: `using std::min;`. Of `std::uint8_t` the
            // plain name is a type anyway.
            } else if &*path.segments[0].name.name == "std" && named_type(name).is_none() {
                self.declare(name, Meaning::Other);
            }
        }
        self.eat(Punct::Ellipsis);
        self.semicolon("this declaration");
        Ok(Using::Name(path))
    }
}
