//! What a lesson gives a kernel's parameter, from its text.

use std::sync::Arc;

use crate::launch::Number;
use crate::lesson::{ArgumentTemplate, Formula, FormulaError, NamedValue};

impl ArgumentTemplate {
    /// Reads the name of one of `buffers`, a formula that may use `values`, or a number such as `0.5` or `-1`.
    ///
    /// # Errors
    /// Why it is no formula.
    pub fn read(
        text: &str,
        buffers: &[String],
        values: &[Arc<NamedValue>],
    ) -> Result<Self, FormulaError> {
        if let Some(buffer) = buffers.iter().position(|buffer| buffer == text) {
            return Ok(ArgumentTemplate::Buffer(buffer));
        }
        Formula::parse_with(text, values)
            .map(ArgumentTemplate::Formula)
            .or_else(|error| {
                let number = decimal(text).map(ArgumentTemplate::Number);
                number.ok_or(error)
            })
    }
}

/// A number with a sign, a fraction or an exponent.
fn decimal(text: &str) -> Option<Number> {
    let begins = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    let text = Some(text.trim()).filter(|text| text.starts_with(begins))?;
    let float = || Some(text.parse().ok()?).filter(|float: &f64| float.is_finite());
    let integer = text.parse().ok().map(Number::Integer);
    integer.or_else(|| float().map(Number::Float))
}
