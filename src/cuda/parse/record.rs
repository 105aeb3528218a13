//! Structs, classes, unions and enumerations.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use super::parser::{Meaning, Parse, Parser, Reported};
use super::refused;
use super::types::Head;
use crate::cuda::ast::*;
use crate::cuda::lex::{Name, Punct, TokenKind};
use crate::cuda::typed::named_type;

impl Parser {
    /// Whether `struct`, `class` or `union` here begins a definition or declaration of one, not a
    /// variable.
    pub fn defines_record(&self) -> bool {
        // `struct __align__(16) A {`: alignments stand before the name.
        let mut at = 1;
        while is_alignment(self.word_ahead(at)) {
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
        // `struct A {`, `struct A : B {`, `struct A;` and `struct A<int> {` define; `struct A a;` does not.
        let next = &self.ahead(at + 1).kind;
        self.word_ahead(at + 1) == "final"
            || matches!(
                next,
                TokenKind::Punct(Punct::OpenBrace | Punct::Colon | Punct::Semicolon | Punct::Lt)
            )
    }

    /// A struct with its `;`, or with the variables that are declared with it.
    pub fn record_or_variables(&mut self) -> Parse<Result<Rc<Record>, Declaration>> {
        let start = self.span();
        let record = self.record(None)?;
        // A name on the next line is not taken as a variable of this struct: more likely the `;` is missing.
        let begins_variable = self.token().ident().is_some() || self.is(Punct::Star);
        if !begins_variable || self.token().first_on_line {
            self.semicolon("this struct");
            return Ok(Ok(record));
        }
        let ty = TypeName::plain(Base::Record(record), start);
        let specifiers = Specifiers::default();
        self.declaration(Head { specifiers, ty }).map(Err)
    }

    /// A struct, class or union up to its `}`.
    pub fn record(&mut self, template: Option<Template>) -> Parse<Rc<Record>> {
        let is_union = self.word() == "union";
        let start = self.bump();
        let mut specifiers = Specifiers::default();
        while self.specifier(&mut specifiers)? {}
        let name = self.record_name(start)?;
        let specialises = self
            .is(Punct::Lt)
            .then(|| self.template_arguments())
            .transpose()?;
        // [basic.scope.pdecl]: known from its name on, so that members can be pointers to their own struct.
        if !name.name.is_empty() {
            self.declare(&name.name, type_meaning(template.is_some()));
        }
        self.eat_word("final");
        let bases = self.bases()?;
        let members = self
            .is(Punct::OpenBrace)
            .then(|| self.members_in_scope(&name.name));
        let members = members.transpose()?;
        // `struct {…} __attribute__((aligned(16))) a;`
        while self.word() == "__attribute__"
            && members.is_some()
            && self.specifier(&mut specifiers)?
        {}
        let align = specifiers.align;
        let align = align.and_then(|(_, mut arguments)| arguments.pop());
        Ok(Rc::new(Record {
            name,
            is_union,
            bases,
            template,
            specialises,
            align,
            pack_bytes: specifiers.pack_bytes,
            members,
        }))
    }

    /// The name of a struct. Without one, variables follow its members at once, or `typedef` gives it one.
    fn record_name(&mut self, span: Span) -> Parse<Ident> {
        match self.is(Punct::OpenBrace) {
            true => Ok(Ident {
                name: "".into(),
                span,
            }),
            false => self.ident("the name of the struct"),
        }
    }

    /// `: public A, B<T>`
    fn bases(&mut self) -> Parse<Vec<TypeName>> {
        let mut bases = Vec::new();
        if !self.eat(Punct::Colon) {
            return Ok(bases);
        }
        loop {
            // Access is not checked anywhere: a program that keeps its rules means the same without them.
            while matches!(self.word(), "public" | "private" | "protected") {
                self.bump();
            }
            if self.word() == "virtual" {
                let error = Diagnostic::error(self.span(), "virtual bases are not supported");
                return Err(self.report(error.help("leave `virtual` out")));
            }
            let mut base = self.head()?.ty;
            if self.eat(Punct::Ellipsis) {
                base.modifiers.push(Modifier::Expand);
            }
            bases.push(base);
            if !self.eat(Punct::Comma) {
                return Ok(bases);
            }
        }
    }

    fn members_in_scope(&mut self, name: &Name) -> Parse<Vec<Member>> {
        let depth = self.scopes.len();
        self.scopes.push(Default::default());
        let members = self.members(name);
        let scope = self.scopes.get(depth).cloned().unwrap_or_default();
        // Kept for `void A::f() {…}` outside of the struct, whose body sees the members' names.
        self.record_scopes.insert(name.clone(), scope);
        self.scopes.truncate(depth);
        members
    }

    fn members(&mut self, name: &Name) -> Parse<Vec<Member>> {
        let open = self.span();
        // [class.mem]: bodies of member functions see all members, also those declared below them.
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
            // As behind the body in `void f() {};`.
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
            members.extend(self.member_or_skip(name)?);
        }
        self.bump();
        Ok(members)
    }

    /// A member; nothing where it cannot be read, which was reported and skipped.
    fn member_or_skip(&mut self, of: &Name) -> Parse<Option<Member>> {
        let before = self.at;
        match self.deeper(|parser| parser.member(of, None)) {
            Ok(member) => {
                self.remember(&member);
                return Ok(Some(member));
            }
            Err(_) if self.gave_up => return Err(Reported),
            Err(_) => {}
        }
        // Nothing was read: without a step here the loop of members would not end.
        if self.at == before {
            self.skip_tree_whole();
        }
        self.skip_member();
        Ok(None)
    }

    /// Remembers what a member's name means behind `::`, `.` and `->`.
    fn remember(&mut self, member: &Member) {
        let (name, meaning) = match member {
            Member::Alias(alias) => (&alias.name, type_meaning(alias.template.is_some())),
            Member::Record(record) => (&record.name, type_meaning(record.template.is_some())),
            Member::Enum(written) => match &written.name {
                Some(name) => (name, Meaning::Type),
                None => return,
            },
            Member::Function(function) if function.template.is_some() => {
                (&function.name, Meaning::Template)
            }
            _ => return,
        };
        let name = name.name.clone();
        // The scope of its own parameters, in which a template was read, has closed.
        if meaning == Meaning::TypeTemplate {
            self.declare(&name, meaning);
        }
        self.member_names.insert(name, meaning);
    }

    /// Makes names that the braces here declare known before functions that use them are read.
    fn declare_fields(&mut self) {
        let mut depth = 0i32;
        let mut names = Vec::new();
        for at in self.at..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParen) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            // Deeper names are the locals and parameters of member functions.
            if depth == 1
                && let Some(name) = self.tokens[at].ident()
                && let Some(meaning) = self.member_meaning(at)
            {
                names.push((name.clone(), meaning));
            }
        }
        for (name, meaning) in names {
            let is_free = !refused::is_keyword(&name) && named_type(&name).is_none();
            if is_free && self.meaning(&name).is_none() {
                self.declare(&name, meaning);
            }
        }
    }

    /// What the name at token `at` declares in a struct, if it seems to declare something.
    fn member_meaning(&self, at: usize) -> Option<Meaning> {
        // In `int a = b;` the `b` is a value, not a member.
        let follows_value = at > 0 && self.tokens[at - 1].is(Punct::Assign);
        if follows_value {
            return None;
        }
        let next = &self.tokens[(at + 1).min(self.tokens.len() - 1)].kind;
        let before = match at.checked_sub(1).map(|at| &self.tokens[at].kind) {
            Some(TokenKind::Ident(word)) => &**word,
            _ => "",
        };
        match (before, next) {
            ("using", TokenKind::Punct(Punct::Assign))
            | ("struct" | "class" | "union", TokenKind::Punct(Punct::OpenBrace | Punct::Colon)) => {
                Some(Meaning::Type)
            }
            (
                _,
                TokenKind::Punct(
                    Punct::Semicolon
                    | Punct::Comma
                    | Punct::Assign
                    | Punct::OpenBracket
                    | Punct::Colon,
                ),
            ) => Some(Meaning::Other),
            _ => None,
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

    /// Whether `enum` here begins a definition, not a variable.
    pub fn defines_enum(&self) -> bool {
        let mut at = 1;
        while self.ahead(at).ident().is_some() && at < 4 {
            at += 1;
        }
        self.ahead(at).is(Punct::OpenBrace) || self.ahead(at).is(Punct::Colon)
    }

    /// An enumeration with its `;`.
    pub fn whole_enumeration(&mut self) -> Parse<Rc<Enum>> {
        let written = self.enumeration()?;
        self.semicolon("this enumeration");
        Ok(written)
    }

    /// An enumeration up to its `}`.
    pub fn enumeration(&mut self) -> Parse<Rc<Enum>> {
        self.bump();
        let is_scoped = self.eat_word("class") || self.eat_word("struct");
        let name = self
            .token()
            .ident()
            .is_some()
            .then(|| self.ident("the name of the enumeration"))
            .transpose()?;
        if let Some(name) = &name {
            self.declare(&name.name, Meaning::Type);
        }
        let ty = self.after(Punct::Colon, Parser::type_name)?;
        let constants = self.constants(is_scoped)?;
        Ok(Rc::new(Enum {
            name,
            is_scoped,
            ty,
            constants,
        }))
    }

    /// `{A, B = 3}` of an enumeration.
    fn constants(&mut self, is_scoped: bool) -> Parse<Vec<(Ident, Option<Expr>)>> {
        let open = self.span();
        self.expect(Punct::OpenBrace, "and the constants of this enumeration")?;
        let mut constants = Vec::new();
        while !self.is(Punct::CloseBrace) {
            let constant = self.ident("the name of a constant")?;
            // [dcl.enum]: the constants of an `enum class` are known only behind its name, as `A::x`.
            if !is_scoped {
                self.declare(&constant.name, Meaning::Other);
            }
            let value = self.after(Punct::Assign, Parser::assignment)?;
            constants.push((constant, value));
            // [dcl.enum]: a comma may stand behind the last constant.
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBrace, open)?;
        Ok(constants)
    }
}

fn is_alignment(word: &str) -> bool {
    matches!(
        word,
        "__align__" | "alignas" | "__builtin_align__" | "__attribute__"
    )
}

fn type_meaning(is_template: bool) -> Meaning {
    match is_template {
        true => Meaning::TypeTemplate,
        false => Meaning::Type,
    }
}
