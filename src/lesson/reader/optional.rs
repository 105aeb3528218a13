//! Values that may be left out.

use super::{Findings, Placed, Table};
use crate::lesson::Formula;
use crate::source::Diagnostic;

impl Table<'_> {
    /// A string that may be left out.
    pub fn optional_string(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<String>> {
        let value = self.take(key)?;
        self.as_string(value, findings)
    }

    /// A required string, or an array of strings.
    pub fn string_or_strings(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Vec<Placed<String>>> {
        let is_string = self.holds_string(key);
        match is_string {
            true => Some(vec![self.string(key, findings)?]),
            false => self.strings(key, findings),
        }
    }

    /// A whole number, not negative, that may be left out.
    pub fn optional_integer(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<u64>> {
        let value = self.take(key)?;
        self.as_integer(key, &value, findings)
    }

    /// A formula that may be left out: a string, or a whole number.
    pub fn optional_formula(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<Formula>> {
        let value = self.take(key)?;
        self.as_formula(value, findings)
    }

    /// An array of formulas that may be left out.
    pub fn optional_formulas(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<Vec<Placed<Formula>>>> {
        let array = self.array(key, false, findings)?;
        self.as_formulas(array, findings)
    }

    /// An array of whole numbers, at least one; nothing if left out.
    pub fn optional_integers(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Vec<Placed<u64>>> {
        let array = self.array(key, false, findings)?;
        if array.value.is_empty() {
            findings.add(Diagnostic::error(
                array.span,
                format!("`{key}` lists at least one number"),
            ));
        }
        let items = array.value.iter();
        let numbers = items.filter_map(|item| self.as_integer(key, item, findings));
        Some(numbers.collect())
    }
}
