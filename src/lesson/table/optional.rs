//! Values that may be left out.

use super::{Findings, Placed, Table};
use crate::lesson::Formula;

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

    /// A whole number, not negative, that may be left out.
    pub fn optional_integer(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<u64>> {
        let value = self.take(key)?;
        self.as_integer(key, &value, findings)
    }

    /// Whole numbers, not negative, that may be left out, with the place of the array.
    pub fn optional_integers(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Placed<Vec<u64>>> {
        let array = self.array(key, false, findings)?;
        let (span, count) = (array.span, array.value.len());
        let items = array.value.iter();
        let value: Vec<u64> = items
            .filter_map(|item| Some(self.as_integer(key, item, findings)?.value))
            .collect();
        (value.len() == count).then_some(Placed { value, span })
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
}
