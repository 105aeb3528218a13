//! Values that may be left out.

use super::{Findings, Placed, Table};

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
}
