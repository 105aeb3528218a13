//! Names in namespaces.
//!
//! Names at file scope are kept with their namespaces, as `a::b::f`. A name is looked for in the
//! namespaces around its use, from the innermost out, then in those that `using namespace` opened.

use std::collections::HashMap;

use crate::source::{Diagnostic, Span, nearest};

use super::Checker;
use super::scope::{Entry, Signature, Symbol};
use crate::cuda::ast::{Ident, Path};
use crate::cuda::token::Name;

/// Namespaces of CUDA's own, whose names the built-in functions and types have.
const BUILT_IN: [&str; 4] = ["cooperative_groups", "std", "cuda", "nvcuda"];

/// Whether what stands in a namespace (with `::` behind each name) is declared by CUDA's headers.
pub fn is_library(space: &str) -> bool {
    BUILT_IN.contains(&space.split("::").next().unwrap_or(""))
}

impl Signature {
    /// Whether a header of CUDA's declares it, or what is read before every text.
    pub fn is_library(&self) -> bool {
        is_library(&self.context.space) || self.span == Span::default()
    }
}

/// Namespaces as the text has named them so far.
#[derive(Default)]
pub struct Spaces {
    /// The namespace of the item being checked, with `::` behind each name.
    pub current: String,
    /// Those that `using namespace` opened, with `::` behind.
    used: Vec<String>,
    /// Other names of namespaces.
    aliases: HashMap<Name, String>,
}

impl Checker {
    /// Whether a place is that of an `#include`, where what a header of CUDA's declares stands.
    pub(super) fn is_in_header(&self, span: Span) -> bool {
        if span == Span::default() {
            return true;
        }
        let functions = self.signatures.iter().map(|s| (s.span, &s.context));
        let templates = self.templates.iter().map(|t| (t.span, &t.context));
        let mut all = functions.chain(templates);
        all.any(|(at, context)| at == span && is_library(&context.space))
    }

    /// What a name at file scope stands for, seen from the current namespace.
    pub(super) fn find_at_file(&self, name: &str) -> Option<&Entry> {
        let file = self.scopes.first()?;
        let mut space = self.spaces.current.as_str();
        while !space.is_empty() {
            if let Some(entry) = file.get(format!("{space}{name}").as_str()) {
                return Some(entry);
            }
            let outer = space.trim_end_matches("::").rfind("::");
            space = &space[..outer.map_or(0, |at| at + 2)];
        }
        file.get(name).or_else(|| {
            let mut used = self.spaces.used.iter();
            used.find_map(|space| file.get(format!("{space}{name}").as_str()))
        })
    }

    /// What a path stands for, template arguments aside.
    pub(super) fn find_path(&self, path: &Path) -> Option<&Entry> {
        match &path.segments[..] {
            [only] if !path.is_global => self.find(&only.name.name),
            _ if path.is_global => self.scopes.first()?.get(self.canonical(path).as_str()),
            _ => self.find(&self.canonical(path)),
        }
    }

    /// The path with other names of namespaces replaced, without template arguments.
    pub(super) fn canonical(&self, path: &Path) -> String {
        let joined = path.joined();
        if let Some(rest) = joined.strip_prefix("cuda::std::") {
            return format!("std::{rest}");
        }
        match joined.split_once("::") {
            Some((first, rest)) => match self.spaces.aliases.get(first) {
                Some(space) => format!("{space}::{rest}"),
                None => joined,
            },
            None => joined,
        }
    }

    /// The namespace that a path names, with `::` behind; an unknown one is reported.
    fn space(&mut self, path: &Path) -> Option<String> {
        let written = path.joined();
        let (first, rest) = match written.split_once("::") {
            Some((first, rest)) => (first, format!("::{rest}")),
            None => (written.as_str(), String::new()),
        };
        let named = match self.spaces.aliases.get(first) {
            Some(space) => format!("{space}{rest}::"),
            None => format!("{written}::"),
        };
        let mut outer = self.spaces.current.clone();
        loop {
            let whole = format!("{outer}{named}");
            if self.all_spaces.contains(&whole) {
                return Some(whole);
            }
            if outer.is_empty() {
                break;
            }
            let at = outer.trim_end_matches("::").rfind("::");
            outer.truncate(at.map_or(0, |at| at + 2));
        }
        if BUILT_IN.contains(&named.split("::").next().unwrap_or("")) {
            return Some(named);
        }
        let mut error = Diagnostic::error(path.span, format!("no namespace is called `{written}`"));
        let known = self
            .all_spaces
            .iter()
            .map(|space| space.trim_end_matches("::"));
        if let Some(near) = nearest(&written, known.chain(BUILT_IN)).first() {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.report(error);
        None
    }

    /// `using namespace a;`
    pub(super) fn using_space(&mut self, path: &Path) {
        if let Some(space) = self.space(path)
            && !self.spaces.used.contains(&space)
        {
            self.spaces.used.push(space);
        }
    }

    /// `namespace a = b;`
    pub(super) fn space_alias(&mut self, name: &Ident, path: &Path) {
        if let Some(space) = self.space(path) {
            let space = space.trim_end_matches("::").to_string();
            self.spaces.aliases.insert(name.name.clone(), space);
        }
    }

    /// `using a::b;`
    pub(super) fn using_name(&mut self, path: &Path) {
        let Some(last) = path.segments.last() else {
            return;
        };
        match self.find_path(path).map(|entry| entry.symbol.clone()) {
            Some(symbol) => self.declare(&last.name, symbol),
            None if BUILT_IN.contains(&self.canonical(path).split("::").next().unwrap_or("")) => {}
            None => {
                self.unknown_path(path, false);
                self.declare(&last.name, Symbol::Refused);
            }
        }
    }

    /// Reports a path that stands for nothing.
    pub(super) fn unknown_path(&mut self, path: &Path, is_called: bool) {
        let name: Name = self.canonical(path).into();
        self.unknown(&name, path.span, is_called);
    }

    /// Reports template arguments behind something that takes none.
    pub(super) fn no_template<T>(&mut self, name: &str, span: Span) -> Option<T> {
        self.error(span, format!("`{name}` is no template"))
    }
}
