//! Values of TOML to what a lesson means by them; what does not fit becomes a diagnostic.

use std::sync::Arc;

use toml::Spanned;
use toml::de::DeValue;

use super::{Findings, Placed, Table};
use crate::lesson::{Formula, FormulaError, NamedValue};
use crate::source::Diagnostic;
use crate::source::Span;

impl<'a> Table<'a> {
    pub(crate) fn array(
        &mut self,
        key: &'static str,
        required: bool,
        findings: &mut Findings,
    ) -> Option<Placed<Vec<Spanned<DeValue<'a>>>>> {
        let value = if required {
            self.require(key, findings)?
        } else {
            self.take(key)?
        };
        let span = self.context.span(value.span());
        match value.into_inner() {
            DeValue::Array(array) => Some(Placed {
                value: array.into_iter().collect(),
                span,
            }),
            _ => {
                findings.add(Diagnostic::error(span, format!("`{key}` is an array")));
                None
            }
        }
    }

    pub(crate) fn as_string(
        &self,
        value: Spanned<DeValue<'a>>,
        findings: &mut Findings,
    ) -> Option<Placed<String>> {
        let span = self.context.span(value.span());
        match value.into_inner() {
            DeValue::String(string) => Some(Placed {
                value: string.into_owned(),
                span,
            }),
            _ => {
                findings.add(Diagnostic::error(
                    span,
                    "a string in quotes is expected here",
                ));
                None
            }
        }
    }

    pub(crate) fn as_integer(
        &self,
        key: &str,
        value: &Spanned<DeValue<'a>>,
        findings: &mut Findings,
    ) -> Option<Placed<u64>> {
        let span = self.context.span(value.span());
        let number = match value.get_ref() {
            DeValue::Integer(integer) => {
                u64::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
            _ => None,
        };
        if number.is_none() {
            let message = format!("`{key}` is a whole number, not negative");
            findings.add(Diagnostic::error(span, message));
        }
        number.map(|value| Placed { value, span })
    }

    pub(crate) fn as_formula(
        &self,
        value: Spanned<DeValue<'a>>,
        findings: &mut Findings,
    ) -> Option<Placed<Formula>> {
        let span = self.context.span(value.span());
        let text = match value.into_inner() {
            DeValue::String(string) => string.into_owned(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().to_owned(),
            _ => {
                let message = "a formula is expected here, such as \"M*N\" or 256";
                findings.add(Diagnostic::error(span, message));
                return None;
            }
        };
        self.formula_in(&Placed { value: text, span }, findings)
    }

    /// The formula that a string of this table holds.
    pub fn formula_in(
        &self,
        text: &Placed<String>,
        findings: &mut Findings,
    ) -> Option<Placed<Formula>> {
        self.formula_from(text, 0, self.context.values, findings)
    }

    /// The formula that a string of this table holds from byte `start` on, over `values`.
    pub fn formula_from(
        &self,
        text: &Placed<String>,
        start: usize,
        values: &[Arc<NamedValue>],
        findings: &mut Findings,
    ) -> Option<Placed<Formula>> {
        match Formula::parse_with(&text.value[start..], values) {
            Ok(value) => Some(Placed {
                value,
                span: text.span,
            }),
            Err(FormulaError { at, message }) => {
                let at = at.start + start..at.end + start;
                let at = self.context.inside(text, &at);
                findings.add(Diagnostic::error(
                    at,
                    format!("this is not a formula: {message}"),
                ));
                None
            }
        }
    }

    /// What its formulas may use by name beside sizes.
    pub fn values(&self) -> &'a [Arc<NamedValue>] {
        self.context.values
    }

    pub(crate) fn as_table(
        &self,
        value: Spanned<DeValue<'a>>,
        span: Span,
        what: &'static str,
        findings: &mut Findings,
    ) -> Option<Table<'a>> {
        match value.into_inner() {
            DeValue::Table(table) => Some(Table::new(table, span, self.context, what)),
            _ => {
                let message = format!("{what} is a table of `key = value` lines");
                findings.add(Diagnostic::error(span, message));
                None
            }
        }
    }
}
