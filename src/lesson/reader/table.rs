//! A TOML table, read key by key.
//!
//! A reader takes what it knows out of a [`Table`] and then calls [`Table::finish`], which complains about the
//! rest. What does not fit becomes a diagnostic and the value is missing.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{CHOSEN, CellKey, Findings, Placed};
use crate::lesson::formula::{ConstantTemplate, Formula, FormulaError, NamedValue};
use crate::source::{Diagnostic, Span, nearest};

/// A value as the TOML parser leaves it: numbers are text, everything has its place.
pub(crate) type TomlValue<'a> = Spanned<DeValue<'a>>;

/// A piece of TOML in the lesson's file.
#[derive(Clone, Copy)]
pub(crate) struct TomlText<'a> {
    /// The whole file.
    pub file: &'a str,
    /// The first byte of the TOML in it.
    pub base: usize,
    /// What formulas may use by name beside sizes.
    pub values: &'a [Arc<NamedValue>],
    /// Where mistakes go.
    pub findings: &'a Findings,
}

impl<'a> TomlText<'a> {
    fn span(self, range: Range<usize>) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    /// The place of `inner` bytes of a string's content, if it is written without escapes; of the
    /// closing quote where `inner` is the end.
    pub fn inside(self, string: &Placed<String>, inner: &Range<usize>) -> Span {
        let raw = self.file.get(string.span.range()).unwrap_or("");
        let start = string.span.start as usize;
        match raw.find(string.value.as_str()) {
            // With escapes the content is not in the file as it is: then the whole string is the place.
            Some(quotes) if !string.value.is_empty() => {
                // The end of the text has no byte of its own: it is told at the quote behind it.
                let end = inner.end.max(inner.start + 1);
                Span::new(start + quotes + inner.start, start + quotes + end)
            }
            _ => string.span,
        }
    }

    /// The formula that a string holds from byte `start` on: of `rope_cos:D/2` from byte 9 `D/2`.
    pub fn formula(self, text: &Placed<String>, start: usize) -> Option<Placed<Formula>> {
        match Formula::parse_with(&text.value[start..], self.values) {
            Ok(value) => Some(Placed {
                value,
                span: text.span,
            }),
            Err(FormulaError { at, message }) => {
                let at = self.inside(text, &(at.start + start..at.end + start));
                let message = format!("this is not a formula: {message}");
                self.findings.error(at, message);
                None
            }
        }
    }
}

/// What a key may hold.
pub(crate) trait FromToml<'a>: Sized {
    /// The value of `key`; where it is something else, a diagnostic says what is expected.
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self>;

    /// What that is, in a word or two, for the reference of cells.
    fn kind() -> String;
}

impl<'a> FromToml<'a> for TomlValue<'a> {
    fn from_toml(_: &str, value: TomlValue<'a>, _: TomlText<'a>) -> Option<Self> {
        Some(value)
    }

    fn kind() -> String {
        "table".to_owned()
    }
}

impl<'a, T: FromToml<'a>> FromToml<'a> for Placed<T> {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let span = text.span(value.span());
        let value = T::from_toml(key, value, text)?;
        Some(Placed { value, span })
    }

    fn kind() -> String {
        T::kind()
    }
}

impl<'a> FromToml<'a> for String {
    fn from_toml(_: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let span = text.span(value.span());
        match value.into_inner() {
            DeValue::String(string) => Some(string.into_owned()),
            _ => {
                let message = "a string in quotes is expected here";
                text.findings.error(span, message);
                None
            }
        }
    }

    fn kind() -> String {
        "text".to_owned()
    }
}

impl<'a> FromToml<'a> for u64 {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let number = match value.get_ref() {
            DeValue::Integer(integer) => {
                u64::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
            _ => None,
        };
        if number.is_none() {
            let message = format!("`{key}` is a whole number, not negative");
            text.findings.error(text.span(value.span()), message);
        }
        number
    }

    fn kind() -> String {
        "whole number".to_owned()
    }
}

impl<'a> FromToml<'a> for bool {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        if let DeValue::Boolean(boolean) = *value.get_ref() {
            return Some(boolean);
        }
        let message = format!("`{key}` is `true` or `false`");
        text.findings.error(text.span(value.span()), message);
        None
    }

    fn kind() -> String {
        "true or false".to_owned()
    }
}

impl<'a> FromToml<'a> for f64 {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => integer.as_str().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            let message = format!("`{key}` is a number");
            text.findings.error(text.span(value.span()), message);
        }
        number
    }

    fn kind() -> String {
        "number".to_owned()
    }
}

impl<'a> FromToml<'a> for Formula {
    fn from_toml(_: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let span = text.span(value.span());
        let formula = match value.into_inner() {
            DeValue::String(string) => string.into_owned(),
            // A formula shows its text: `0x40` would be shown as something that no formula takes.
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().to_owned(),
            _ => {
                let message = "a formula is expected here, such as \"M*N\" or 256";
                text.findings.error(span, message);
                return None;
            }
        };
        let formula = Placed {
            value: formula,
            span,
        };
        Some(text.formula(&formula, 0)?.value)
    }

    fn kind() -> String {
        "formula".to_owned()
    }
}

impl<'a> FromToml<'a> for ConstantTemplate {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        if let DeValue::String(written) = value.get_ref()
            && written.starts_with("tl.")
        {
            return Some(ConstantTemplate::Type(written.to_string()));
        }
        Formula::from_toml(key, value, text).map(ConstantTemplate::Formula)
    }

    fn kind() -> String {
        "formula, or type such as \"tl.float32\"".to_owned()
    }
}

impl<'a, T: FromToml<'a>> FromToml<'a> for Vec<T> {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let span = text.span(value.span());
        let DeValue::Array(array) = value.into_inner() else {
            text.findings.error(span, format!("`{key}` is an array"));
            return None;
        };
        // Every item is read before the first that does not fit counts: each gets its diagnostic.
        let items: Vec<Option<T>> = array
            .into_iter()
            .map(|item| T::from_toml(key, item, text))
            .collect();
        items.into_iter().collect()
    }

    fn kind() -> String {
        format!("list of {}", T::kind())
    }
}

/// One string, or an array of them.
pub(crate) struct OneOrMore(pub Vec<String>);

impl<'a> FromToml<'a> for OneOrMore {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        let strings = match value.get_ref() {
            DeValue::String(_) => vec![String::from_toml(key, value, text)?],
            _ => Vec::from_toml(key, value, text)?,
        };
        Some(OneOrMore(strings))
    }

    fn kind() -> String {
        "text, or list of text".to_owned()
    }
}

/// One whole number, a list of them, or those of `{ from = 256, to = 1024, step = 256 }`.
pub(crate) struct Numbers(pub Vec<u64>);

/// Most numbers of such a range.
const MOST_NUMBERS: u64 = 1024;

impl<'a> FromToml<'a> for Numbers {
    fn from_toml(key: &str, value: TomlValue<'a>, text: TomlText<'a>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Table(_) => {}
            DeValue::Array(array) if array.is_empty() => {
                let span = text.span(value.span());
                text.findings.error(span, "at least one number is expected");
                return None;
            }
            DeValue::Array(_) => return Vec::from_toml(key, value, text).map(Numbers),
            _ => return Some(Numbers(vec![u64::from_toml(key, value, text)?])),
        }
        let mut table = Table::of_value(value, text, "a range of numbers")?;
        let (from, to): (Option<u64>, Option<u64>) = (table.required("from"), table.required("to"));
        let step: Option<u64> = table.required("step");
        let span = table.span;
        table.finish();
        let (from, to, step) = (from?, to?, step?);
        // The last test bounds the list before it is made: `to` may be any number.
        if step == 0 || from > to || (to - from) / step >= MOST_NUMBERS {
            let message =
                format!("a range goes up by a step above 0, to at most {MOST_NUMBERS} numbers");
            text.findings.error(span, message);
            return None;
        }
        Some(Numbers((from..=to).step_by(step as usize).collect()))
    }

    fn kind() -> String {
        "whole number, or list of whole number".to_owned()
    }
}

/// A table being read.
pub(crate) struct Table<'a> {
    /// The TOML that it is part of.
    pub text: TomlText<'a>,
    /// Its place in the file, which a key that is missing is reported at.
    pub span: Span,
    /// What it describes, for messages: "a buffer".
    what: &'static str,
    /// What nobody has taken yet, in the order of the file.
    entries: Vec<(Placed<String>, TomlValue<'a>)>,
    /// The keys that readers asked for.
    asked: Vec<&'static str>,
}

impl<'a> Table<'a> {
    /// Parses `toml`, which stands in the lesson's file as `text` says.
    pub fn parse(toml: &'a str, text: TomlText<'a>, what: &'static str) -> Option<Self> {
        // Blanks behind the text belong to no table: an error at its end is told behind its last line.
        let end = toml.trim_end().len();
        match DeTable::parse(toml) {
            Ok(table) => Some(Self::new(table.into_inner(), text.span(0..end), text, what)),
            Err(error) => {
                let at = text.span(error.span().unwrap_or(0..end));
                let message = format!("this is not TOML: {}", error.message());
                text.findings.add(
                    Diagnostic::error(at, message)
                        .note(format!("{what} is described in TOML: `key = value` lines")),
                );
                None
            }
        }
    }

    fn new(table: DeTable<'a>, span: Span, text: TomlText<'a>, what: &'static str) -> Self {
        let entry = |(key, value): (Spanned<toml::de::DeString<'a>>, _)| {
            let span = text.span(key.span());
            let value_of_key = key.into_inner().into_owned();
            let key = Placed {
                value: value_of_key,
                span,
            };
            (key, value)
        };
        let mut entries: Vec<_> = table.into_iter().map(entry).collect();
        // The parser does not keep the order of the file, by which messages, sizes and buffers go.
        entries.sort_by_key(|(key, _)| key.span.start);
        Table {
            text,
            span,
            what,
            entries,
            asked: Vec::new(),
        }
    }

    fn of_value(value: TomlValue<'a>, text: TomlText<'a>, what: &'static str) -> Option<Self> {
        let span = text.span(value.span());
        match value.into_inner() {
            DeValue::Table(table) => Some(Self::new(table, span, text, what)),
            _ => {
                let message = format!("{what} is a table of `key = value` lines");
                text.findings.error(span, message);
                None
            }
        }
    }

    /// Says more exactly what it describes, as soon as that is known: what is looked for from here on belongs to it.
    pub fn describes(&mut self, what: &'static str) {
        self.what = what;
    }

    /// Complains about every key that nobody took.
    pub fn finish(self) {
        for (key, _) in &self.entries {
            let message = format!("{} has no `{}`", self.what, key.value);
            let guesses = nearest(&key.value, self.asked.iter().copied());
            let help = match guesses.first() {
                Some(guess) => format!("perhaps `{guess}` is meant"),
                None => format!("it has `{}`", self.asked.join("`, `")),
            };
            let diagnostic = Diagnostic::error(key.span, message);
            self.text.findings.add(diagnostic.help(help));
        }
    }

    fn take<T: FromToml<'a>>(
        &mut self,
        key: &'static str,
        is_required: bool,
    ) -> Option<TomlValue<'a>> {
        // Also keys that are missing: guesses for misspelt ones come from this list, and the reference of cells.
        self.asked.push(key);
        self.text.findings.add_key(|| CellKey {
            of: self.what,
            name: key,
            kind: T::kind(),
            is_required,
        });
        // Taken out, not looked up: what is left at the end is what nobody knows.
        let mut entries = self.entries.iter();
        let at = entries.position(|(found, _)| found.value == key)?;
        Some(self.entries.remove(at).1)
    }

    /// The value of a key that has to be there.
    pub fn required<T: FromToml<'a>>(&mut self, key: &'static str) -> Option<T> {
        let value = self.take::<T>(key, true);
        if value.is_none() {
            let message = format!("{} needs `{key}`", self.what);
            self.text.findings.error(self.span, message);
        }
        T::from_toml(key, value?, self.text)
    }

    /// The value of a key that may be left out.
    pub fn optional<T: FromToml<'a>>(&mut self, key: &'static str) -> Option<T> {
        T::from_toml(key, self.take::<T>(key, false)?, self.text)
    }

    /// An array of whole numbers, at least one; nothing if left out.
    pub fn optional_numbers(&mut self, key: &'static str) -> Option<Vec<Placed<u64>>> {
        let numbers: Placed<Vec<Placed<u64>>> = self.optional(key)?;
        if numbers.value.is_empty() {
            let message = format!("`{key}` lists at least one number");
            self.text.findings.error(numbers.span, message);
        }
        Some(numbers.value)
    }

    /// An array of tables that has to be there, written `[[key]]`.
    pub fn required_tables(&mut self, key: &'static str, what: &'static str) -> Vec<Table<'a>> {
        self.required(key)
            .map_or_else(Vec::new, |items| self.each(items, what))
    }

    /// An array of tables, empty if left out.
    pub fn optional_tables(&mut self, key: &'static str, what: &'static str) -> Vec<Table<'a>> {
        self.optional(key)
            .map_or_else(Vec::new, |items| self.each(items, what))
    }

    fn each(&self, items: Vec<TomlValue<'a>>, what: &'static str) -> Vec<Table<'a>> {
        let tables = items.into_iter();
        tables
            .filter_map(|item| Table::of_value(item, self.text, what))
            .collect()
    }

    /// A table that may be left out, written `[key]`.
    pub fn optional_table(&mut self, key: &'static str, what: &'static str) -> Option<Table<'a>> {
        Table::of_value(self.take::<TomlValue>(key, false)?, self.text, what)
    }

    /// Keys that the lesson chooses, each with such a value.
    fn add_chosen(&self, kind: impl FnOnce() -> String) {
        self.text.findings.add_key(|| CellKey {
            of: self.what,
            name: CHOSEN,
            kind: kind(),
            is_required: false,
        });
    }

    /// Every entry of a table whose keys the lesson chooses, in the order of the file.
    pub fn entries<T: FromToml<'a>>(self) -> Vec<(Placed<String>, T)> {
        let text = self.text;
        self.add_chosen(T::kind);
        let entries = self.entries.into_iter();
        entries
            .filter_map(|(key, value)| {
                let value = T::from_toml(&key.value, value, text)?;
                Some((key, value))
            })
            .collect()
    }

    /// The same of entries that are tables themselves, each of which is reported at its key.
    pub fn tables_by_key(self, what: &'static str) -> Vec<(Placed<String>, Table<'a>)> {
        let text = self.text;
        self.add_chosen(|| what.to_owned());
        let entries = self.entries.into_iter();
        entries
            .filter_map(|(key, value)| {
                let mut table = Table::of_value(value, text, what)?;
                // The parser's place of a table may be far from its name.
                table.span = key.span;
                Some((key, table))
            })
            .collect()
    }
}
