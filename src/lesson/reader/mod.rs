//! TOML tables inside a lesson's file, read key by key, with the place of everything.
//!
//! A reader takes what it knows out of a [`Table`] and then calls [`Table::finish`], which complains
//! about the rest. Nothing here fails: what does not fit becomes a diagnostic and the value is
//! missing.

mod by_key;
mod convert;
mod optional;

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Formula, NamedValue};
use crate::source::{Diagnostic, Span, nearest};

/// Diagnostics of a file, as they are found.
#[derive(Default)]
pub(crate) struct Findings {
    /// All of them, in the order found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// Keeps one.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// A value and its place in the lesson's file.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place. For a string with its quotes.
    pub span: Span,
}

/// Where TOML stands in the lesson's file, and what the file says there.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The whole file.
    pub file: &'a str,
    /// Where the TOML begins in it.
    pub base: usize,
    /// What formulas may use by name beside sizes.
    pub values: &'a [Arc<NamedValue>],
}

impl Context<'_> {
    fn span(self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    /// The place of `inner` bytes of a string's content, if it is written without escapes; of the
    /// closing quote where `inner` is the end.
    fn inside(self, string: &Placed<String>, inner: &std::ops::Range<usize>) -> Span {
        let raw = self.file.get(string.span.range()).unwrap_or("");
        let start = string.span.start as usize;
        match raw.find(string.value.as_str()) {
            Some(quotes) if !string.value.is_empty() => {
                let end = inner.end.max(inner.start + 1);
                Span::new(start + quotes + inner.start, start + quotes + end)
            }
            _ => string.span,
        }
    }
}

/// A table being read.
pub(crate) struct Table<'a> {
    context: Context<'a>,
    entries: Vec<(Placed<String>, Spanned<DeValue<'a>>)>,
    known: Vec<&'static str>,
    /// Its place in the file.
    pub span: Span,
    /// What it describes, for messages: "a buffer".
    what: &'static str,
}

impl<'a> Table<'a> {
    /// Parses `text`, which stands in the lesson's file as `context` says.
    pub fn parse(
        text: &'a str,
        context: Context<'a>,
        what: &'static str,
        findings: &mut Findings,
    ) -> Option<Self> {
        match DeTable::parse(text) {
            Ok(table) => {
                let span = context.span(0..text.trim_end().len());
                Some(Self::new(table.into_inner(), span, context, what))
            }
            Err(error) => {
                let at = error.span().unwrap_or(0..text.trim_end().len());
                let message = format!("this is not TOML: {}", error.message());
                findings.add(
                    Diagnostic::error(context.span(at), message)
                        .note(format!("{what} is described in TOML: `key = value` lines")),
                );
                None
            }
        }
    }

    fn new(table: DeTable<'a>, span: Span, context: Context<'a>, what: &'static str) -> Self {
        let placed_key = |key: Spanned<toml::de::DeString<'a>>| Placed {
            span: context.span(key.span()),
            value: key.into_inner().into_owned(),
        };
        let mut entries: Vec<_> = table
            .into_iter()
            .map(|(key, value)| (placed_key(key), value))
            .collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        Table {
            context,
            entries,
            known: Vec::new(),
            span,
            what,
        }
    }

    /// Complains about every key that nobody took.
    pub fn finish(self, findings: &mut Findings) {
        for (key, _) in &self.entries {
            let known = self.known.join("`, `");
            let message = format!("{} has no `{}`", self.what, key.value);
            let diagnostic = Diagnostic::error(key.span, message);
            let guesses = nearest(&key.value, self.known.iter().copied());
            findings.add(match guesses.first() {
                Some(guess) => diagnostic.help(format!("perhaps `{guess}` is meant")),
                None => diagnostic.help(format!("it has `{known}`")),
            });
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'a>>> {
        self.known.push(key);
        let at = self
            .entries
            .iter()
            .position(|(found, _)| found.value == key)?;
        Some(self.entries.remove(at).1)
    }

    /// Whether the value of `key`, if it is there, is a string.
    fn holds_string(&self, key: &str) -> bool {
        let mut entries = self.entries.iter();
        let entry = entries.find(|(found, _)| found.value == key);
        entry.is_some_and(|(_, value)| matches!(value.get_ref(), DeValue::String(_)))
    }

    fn require(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Spanned<DeValue<'a>>> {
        let value = self.take(key);
        if value.is_none() {
            let message = format!("{} needs `{key}`", self.what);
            findings.add(Diagnostic::error(self.span, message));
        }
        value
    }

    /// A required string.
    pub fn string(&mut self, key: &'static str, findings: &mut Findings) -> Option<Placed<String>> {
        let value = self.require(key, findings)?;
        self.as_string(value, findings)
    }

    /// A required whole number, not negative.
    pub fn integer(&mut self, key: &'static str, findings: &mut Findings) -> Option<Placed<u64>> {
        let value = self.require(key, findings)?;
        self.as_integer(key, &value, findings)
    }

    /// A required number.
    pub fn number(&mut self, key: &'static str, findings: &mut Findings) -> Option<f64> {
        let value = self.require(key, findings)?;
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => integer.as_str().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            let span = self.context.span(value.span());
            findings.add(Diagnostic::error(span, format!("`{key}` is a number")));
        }
        number
    }

    /// A required formula: a string, or a whole number.
    pub fn formula(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<Formula>> {
        let value = self.require(key, findings)?;
        self.as_formula(value, findings)
    }

    /// A required array of formulas, with the place of the array.
    pub fn formulas(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<Vec<Placed<Formula>>>> {
        let array = self.array(key, true, findings)?;
        self.as_formulas(array, findings)
    }

    /// Where bytes of a string's content stand in the file.
    pub fn inside(&self, string: &Placed<String>, inner: &std::ops::Range<usize>) -> Span {
        self.context.inside(string, inner)
    }

    fn as_formulas(
        &self,
        array: Placed<Vec<Spanned<DeValue<'a>>>>,
        findings: &mut Findings,
    ) -> Option<Placed<Vec<Placed<Formula>>>> {
        let (span, count) = (array.span, array.value.len());
        let items = array.value.into_iter();
        let value: Vec<_> = items
            .filter_map(|item| self.as_formula(item, findings))
            .collect();
        (value.len() == count).then_some(Placed { value, span })
    }

    /// A required array of strings.
    pub fn strings(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Vec<Placed<String>>> {
        let items = self.array(key, true, findings)?.value.into_iter();
        Some(
            items
                .filter_map(|item| self.as_string(item, findings))
                .collect(),
        )
    }

    /// An array of strings, empty if left out.
    pub fn optional_strings(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Vec<Placed<String>> {
        let array = self.array(key, false, findings);
        let items = array.map(|array| array.value).into_iter().flatten();
        items
            .filter_map(|item| self.as_string(item, findings))
            .collect()
    }

    /// An array of tables, written `[[key]]`; one that is not required is empty if left out.
    pub fn tables(
        &mut self,
        key: &'static str,
        what: &'static str,
        required: bool,
        findings: &mut Findings,
    ) -> Vec<Table<'a>> {
        let array = self.array(key, required, findings);
        let items = array.map(|array| array.value).into_iter().flatten();
        items
            .filter_map(|item| {
                let span = self.context.span(item.span());
                self.as_table(item, span, what, findings)
            })
            .collect()
    }

    /// A table that may be left out, written `[key]`.
    pub fn optional_table(
        &mut self,
        key: &'static str,
        what: &'static str,
        findings: &mut Findings,
    ) -> Option<Table<'a>> {
        let value = self.take(key)?;
        let span = self.context.span(value.span());
        self.as_table(value, span, what, findings)
    }
}
