//! The named values of a lesson: formulas that stand in its front matter once, and in others by name.

use std::sync::Arc;

use crate::lesson::cells::check_sizes;
use crate::lesson::reader::{Findings, Placed, Table};
use crate::lesson::{NamedValue, Size};
use crate::source::Diagnostic;

/// The entries of `[values]`, each of which may use those above it.
pub(crate) fn read_values(
    mut table: Table,
    sizes: &[Size],
    findings: &mut Findings,
) -> Vec<Arc<NamedValue>> {
    let entries = table.strings_by_key(findings);
    let mut values: Vec<Arc<NamedValue>> = Vec::new();
    for (name, text) in entries {
        check_name(&name, sizes, findings);
        let Some(formula) = table.formula_from(&text, 0, &values, findings) else {
            continue;
        };
        let known = sizes.iter().map(|size| size.name.as_str());
        let known = known.chain(values.iter().map(|value| value.name.as_str()));
        check_sizes(&formula, &known.collect::<Vec<_>>(), findings);
        values.push(Arc::new(NamedValue {
            name: name.value,
            formula: formula.value,
        }));
    }
    values
}

fn check_name(name: &Placed<String>, sizes: &[Size], findings: &mut Findings) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let text = &name.value;
    if !text.starts_with(begins) || !text.chars().all(is_word) {
        let message = format!("`{text}` is not a name that a formula can use");
        let help = "use letters, digits and `_`, a letter first";
        findings.add(Diagnostic::error(name.span, message).help(help));
    } else if sizes.iter().any(|size| size.name == *text) {
        let message = format!("there is a size `{text}` already");
        findings.add(Diagnostic::error(name.span, message));
    }
}
