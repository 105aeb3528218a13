//! What cells may speak of: the sizes of the lesson, and its run cells with what they count.

use std::sync::Arc;

use super::quote::one_of;
use crate::lesson::reader::{Findings, Placed};
use crate::lesson::{Formula, Measure, NamedValue, RunCell, Sizes};
use crate::source::Diagnostic;

/// What the names in a cell may mean.
pub(crate) struct Subjects<'a> {
    /// Names of the lesson's sizes and values.
    pub sizes: Vec<&'a str>,
    /// The lesson's named values.
    pub values: &'a [Arc<NamedValue>],
    /// Sizes that take listed values, at their defaults.
    pub defaults: Sizes,
    /// Ids of its run cells, those among them that do not read.
    pub run_ids: Vec<&'a str>,
    /// The run cells that read.
    pub runs: &'a [RunCell],
}

impl<'a> Subjects<'a> {
    /// Complains about names in `formula` that are no sizes.
    pub fn check_sizes(&self, formula: &Placed<Formula>, findings: &mut Findings) {
        check_sizes(formula, &self.sizes, findings);
    }

    /// The run cell called so; nothing, too, where it has mistakes of its own.
    pub fn run(&self, id: &Placed<String>, findings: &mut Findings) -> Option<&'a RunCell> {
        if !self.run_ids.contains(&id.value.as_str()) {
            let message = format!("there is no run cell `{}`", id.value);
            let help = one_of(&id.value, &self.run_ids);
            findings.add(Diagnostic::error(id.span, message).help(help));
        }
        self.runs.iter().find(|run| run.id == id.value)
    }

    /// The measure called so.
    pub fn measure(name: &Placed<String>, findings: &mut Findings) -> Option<Measure> {
        let measure = Measure::from_name(&name.value);
        if measure.is_none() {
            let names: Vec<&str> = Measure::names().collect();
            let message = format!("`{}` is not something that is counted", name.value);
            let help = one_of(&name.value, &names);
            findings.add(Diagnostic::error(name.span, message).help(help));
        }
        measure
    }
}

/// Complains about names in `formula` that are not among `sizes`.
pub(crate) fn check_sizes(formula: &Placed<Formula>, sizes: &[&str], findings: &mut Findings) {
    let unknown = formula.value.names().into_iter();
    for name in unknown.filter(|name| !sizes.contains(name)) {
        let message = format!("`{name}` is not a size of this lesson");
        let help = one_of(name, sizes);
        findings.add(Diagnostic::error(formula.span, message).help(help));
    }
}
