//! Names looked up and declared, with what is said where that fails.

use crate::source::{Diagnostic, Span, nearest};

use super::checker::Checker;
use super::frame::Side;
use super::namespaces::is_library;
use super::reports::Topic;
use super::symbol::{Entry, Symbol};
use crate::cuda::ast::{Ident, Path};
use crate::cuda::builtin::{self, unsupported};
use crate::cuda::lex::Name;
use crate::cuda::preprocess::{is_host_header, is_known_header};

/// Words that begin statements, for suggestions.
const STATEMENTS: [&str; 6] = ["if", "for", "while", "return", "break", "continue"];

/// How the message about an unknown namespace begins.
pub const NO_NAMESPACE: &str = "no namespace is called";

impl Checker {
    /// What a name stands for here, if it stands for something. Nothing at all if it only will
    /// further down, which is reported.
    pub fn known(&mut self, name: &str, found: Option<Entry>, span: Span) -> Option<Option<Entry>> {
        match found.as_ref().map(|entry| &entry.symbol) {
            Some(Symbol::Host(why)) => {
                let why = why.clone();
                return self.is_for_host(name, &why, span);
            }
            Some(Symbol::Refused(cause)) => {
                self.reports.repeat_finally(&cause.clone());
                return None;
            }
            Some(Symbol::Outer) => {
                let message =
                    format!("`{name}` belongs to what is around, and is out of reach here");
                let error = Diagnostic::error(span, message);
                return self.refuse(error.help("pass it as an argument, or keep it in a field"));
            }
            _ => {}
        }
        // Everything at file scope is declared before any body is checked, so the order is checked here.
        let Some(later) = found.as_ref().filter(|entry| entry.item > self.names.item) else {
            return Some(found);
        };
        let message = format!("`{name}` is used before it is declared");
        let error = Diagnostic::error(span, message)
            .also(later.span, "declared here")
            .help("move the declaration up, before its first use");
        self.refuse(error)
    }

    /// Reports the use of something for the host, once for all uses.
    pub fn is_for_host<T>(&mut self, name: &str, why: &Diagnostic, span: Span) -> Option<T> {
        let is_at_file = self.host.is_program && self.frame.function.written.is_none();
        if self.frame.side == Side::Host || is_at_file {
            // Once for the declaration, whoever uses it by which name: that is what is wrong.
            let topic = Topic::Host(why.span(), Name::default());
            self.reports.add_once(topic, || match why.span() == span {
                true => why.clone(),
                false => why.clone().also(span, format!("`{name}` is used here")),
            });
            return None;
        }
        let is_wrong = self.aside.places.contains(&why.span());
        self.reports
            .add_once(Topic::Host(why.span(), name.into()), || {
                if is_wrong {
                    return why.clone().also(span, format!("`{name}` is needed here"));
                }
                let message = format!("`{name}` is for the host: a kernel cannot use it");
                let mut error = Diagnostic::error(span, message).also(why.span(), &why.message);
                error.help.clone_from(&why.help);
                error
            });
        None
    }

    /// Declares a name in the innermost scope; a name that is already there is reported.
    pub fn declare(&mut self, name: &Ident, symbol: Symbol) {
        let again = symbol.clone();
        // What was refused before has been told.
        if let Some(before) = self.names.declare(name, symbol)
            && !matches!(before.symbol, Symbol::Refused(_))
            && !before.symbol.may_stand_again(&again)
            && !(self.host.is_program && matches!(before.symbol, Symbol::Host(_)))
        {
            let message = format!("`{}` is declared twice in one scope", name.name);
            self.report(
                Diagnostic::error(name.span, message)
                    .label("declared again here")
                    .also(before.span, "first declared here"),
            );
        }
    }

    /// Reports a name that stands for nothing, once in a function.
    pub fn unknown(&mut self, name: &Name, span: Span, is_called: bool) {
        let topic = Topic::Unknown(self.frame.function.number, name.clone());
        if self.reports.repeat_topic(&topic) {
            return;
        }
        let error = self.known_to_be_missing(name, span).unwrap_or_else(|| {
            let what = if is_called { "function" } else { "name" };
            let message = format!("the {what} `{name}` is not defined");
            let error = Diagnostic::error(span, message).label("not found");
            // A function for a function, and a variable or constant for one.
            let is_alike = |symbol: &Symbol| match symbol {
                Symbol::Functions(_) => is_called,
                Symbol::Type(..) | Symbol::Reference(..) | Symbol::TypeTemplate(_) => is_called,
                Symbol::Local(_) => true,
                _ => !is_called,
            };
            let declared = self.names.scopes.iter().flatten();
            let declared = declared.filter(|(_, entry)| is_alike(&entry.symbol));
            let mut candidates: Vec<&str> = declared.map(|(name, _)| &**name).collect();
            candidates.extend(builtin::names().filter(|n| builtin::is_function(n) == is_called));
            candidates.extend(STATEMENTS);
            match nearest(name, candidates).first() {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        });
        self.reports.add_once(topic, || error);
    }

    /// What is said of a name that stands for nothing and belongs to a library: which header it needs, or what to do
    /// without it.
    fn known_to_be_missing(&self, name: &str, span: Span) -> Option<Diagnostic> {
        let refused = unsupported::refused(name).or_else(|| unsupported::refused_library(name));
        if let Some((what, help)) = refused {
            return Some(Diagnostic::error(span, what).help(help));
        }
        let header = match self.frame.side {
            Side::Gpu => None,
            Side::Both | Side::Host => unsupported::header_of(name),
        };
        let Some(header) = header else {
            let (what, help) = unsupported::refused_namespace(name)?;
            return Some(Diagnostic::error(span, format!("`{name}` {what}")).help(help));
        };
        Some(match is_host_header(&header) || is_known_header(&header) {
            true => Diagnostic::error(span, format!("`{name}` is not declared"))
                .help(format!("write `#include <{header}>` at the top")),
            false => Diagnostic::error(span, format!("`{name}` is not supported")),
        })
    }

    /// The namespace that a path names; an unknown one is reported.
    fn namespace(&mut self, path: &Path) -> Option<String> {
        let written = path.joined();
        let found = self.names.namespaces.named(&written);
        if found.is_none() {
            let message = format!("{NO_NAMESPACE} `{written}`");
            let mut error = Diagnostic::error(path.span, message);
            if let Some(near) = nearest(&written, self.names.namespaces.known()).first() {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.report(error);
        }
        found
    }

    /// `using namespace a;`
    pub fn using_namespace(&mut self, path: &Path) {
        if matches!(
            self.names.find_path(path),
            Some(Entry {
                symbol: Symbol::Type(..),
                ..
            })
        ) {
            return self.using_enumeration(path);
        }
        if let Some(namespace) = self.namespace(path) {
            self.names.namespaces.open(namespace);
        }
    }

    /// `using enum a::E;`: its constants by their plain names.
    fn using_enumeration(&mut self, path: &Path) {
        let prefix = format!(
            "{}::",
            path.segments.last().map_or("", |last| &last.name.name)
        );
        let all = self.names.scopes.iter().flatten();
        let constants = all.filter_map(|(name, entry)| {
            let (_, plain) = name.rsplit_once(&prefix)?;
            matches!(entry.symbol, Symbol::Constant(..)).then(|| (plain.into(), entry.clone()))
        });
        for (name, entry) in constants.collect::<Vec<(Name, Entry)>>() {
            let span = path.span;
            self.declare(&Ident { name, span }, entry.symbol);
        }
    }

    /// `namespace a = b;`
    pub fn namespace_alias(&mut self, name: &Ident, path: &Path) {
        if let Some(namespace) = self.namespace(path) {
            let namespaces = &mut self.names.namespaces;
            if !namespaces.add_alias(&name.name, &namespace) {
                let message = format!("`{}` is another namespace already", name.name);
                self.report(Diagnostic::error(name.span, message).help("choose another name"));
            }
        }
    }

    /// `using a::b;`
    pub fn using_name(&mut self, path: &Path) {
        let Some(last) = path.segments.last() else {
            return;
        };
        let before = self.reports.mark();
        match self.names.find_path(path).map(|entry| entry.symbol.clone()) {
            // [namespace.udecl]: it may stand again, for the same.
            Some(symbol) => {
                let name = self.names.in_innermost_scope(&last.name.name);
                let known = self.names.scopes.last().and_then(|scope| scope.get(&name));
                let span = self.names.find_path(path).map(|entry| entry.span);
                if !known.is_some_and(|known| known.is_same(&symbol, span)) {
                    // Its place is that of what it names: so a second one is known as the same.
                    let name = Ident {
                        span: span.unwrap_or(path.span),
                        ..last.name.clone()
                    };
                    self.declare(&name, symbol);
                }
            }
            // What the headers of CUDA's declare needs no declaration here.
            None if is_library(&self.names.namespaces.canonical(path)) => {}
            None => {
                self.unknown_path(path);
                let refused = self.refused_since(before, path.span);
                self.declare(&last.name, refused);
            }
        }
    }

    /// Reports a path that stands for nothing.
    pub fn unknown_path(&mut self, path: &Path) {
        let name: Name = self.names.namespaces.canonical(path).into();
        self.unknown(&name, path.span, false);
    }

    /// Reports template arguments behind something that takes none.
    pub fn no_template<T>(&mut self, name: &str, span: Span) -> Option<T> {
        self.error(span, format!("`{name}` is not a template"))
    }
}
