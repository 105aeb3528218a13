//! Namespaces: `namespace a {`, `namespace a = b;`, `using namespace a;`, `using a::b;`.

use crate::source::Diagnostic;

use super::{Meaning, Parse, Parser};
use crate::cuda::ast::{Ident, Path};
use crate::cuda::token::{Name, Punct};

/// What `using` can bring besides a name for a type.
pub enum Using {
    Space(Path),
    Name(Path),
}

impl Parser {
    /// The `a::b::` of `namespace a::b {`, whose `{` is read; empty without a name.
    pub(super) fn opens_namespace(&mut self) -> Option<Name> {
        let start = usize::from(self.word() == "inline");
        if self.word_ahead(start) != "namespace" {
            return None;
        }
        let mut at = start + 1;
        let mut space = String::new();
        while let Some(name) = self.ahead(at).ident() {
            space.push_str(name);
            space.push_str("::");
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
        Some(space.into())
    }

    /// `namespace a = b::c;`
    pub(super) fn namespace_alias(&mut self) -> Parse<(Ident, Path)> {
        self.bump();
        let name = self.ident("the name of a namespace")?;
        self.expect(Punct::Assign, "or `{` after the name of this namespace")?;
        let path = self.path("a namespace")?;
        self.semicolon("this declaration");
        Ok((name, path))
    }

    /// `using namespace a;` or `using a::b;`, unless a type is given a name here.
    pub(super) fn using(&mut self) -> Option<Parse<Using>> {
        if self.word() != "using" || self.ahead(2).is(Punct::Assign) {
            return None;
        }
        self.bump();
        Some(self.using_rest())
    }

    fn using_rest(&mut self) -> Parse<Using> {
        if self.eat_word("namespace") {
            let path = self.path("a namespace")?;
            self.semicolon("this declaration");
            return Ok(Using::Space(path));
        }
        let path = self.path("a name")?;
        if path.segments.len() < 2 {
            let error = Diagnostic::error(path.span, "`using` needs a name with `::`, or `= TYPE`");
            return Err(self.report(error));
        }
        if let Some(last) = path.segments.last() {
            let name = &last.name.name;
            let known = self.scopes.first().and_then(|scope| scope.get(name));
            if let Some(meaning) = known.copied() {
                self.declare(name, meaning);
            } else if &*path.segments[0].name.name == "std" {
                self.declare(name, Meaning::Other);
            }
        }
        self.semicolon("this declaration");
        Ok(Using::Name(path))
    }
}
