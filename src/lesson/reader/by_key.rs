//! Tables whose keys are names that the lesson gives: every entry is of one kind.

use super::{Findings, Placed, Table};
use crate::lesson::Formula;

impl<'a> Table<'a> {
    /// Takes every entry as a table of its own, in the order of the file.
    pub fn tables_by_key(
        mut self,
        what: &'static str,
        findings: &mut Findings,
    ) -> Vec<(Placed<String>, Table<'a>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, value)| {
                let span = key.span;
                let table = self.as_table(value, span, what, findings)?;
                Some((key, table))
            })
            .collect()
    }

    /// Takes every entry as a formula, in the order of the file.
    pub fn formulas_by_key(
        mut self,
        findings: &mut Findings,
    ) -> Vec<(Placed<String>, Placed<Formula>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, value)| {
                let formula = self.as_formula(value, findings)?;
                Some((key, formula))
            })
            .collect()
    }

    /// Takes every entry as a string, in the order of the file.
    pub fn strings_by_key(
        &mut self,
        findings: &mut Findings,
    ) -> Vec<(Placed<String>, Placed<String>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, value)| Some((key, self.as_string(value, findings)?)))
            .collect()
    }

    /// Takes every entry as a whole number, not negative, in the order of the file.
    pub fn integers_by_key(
        mut self,
        findings: &mut Findings,
    ) -> Vec<(Placed<String>, Placed<u64>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, value)| {
                let number = self.as_integer(&key.value, &value, findings)?;
                Some((key, number))
            })
            .collect()
    }
}
