//! What prose quotes, so that it cannot state what no run checks: `{{naive: distinct elements read}}` stands
//! for the formula that the cell `naive` holds against that count, with ` =` behind it for the formula's value
//! at the sizes chosen, and `{{=2*M}}` for the value of any formula.

use std::ops::Range;

use crate::lesson::reader::Findings;
use crate::lesson::{Cell, Formula, Markdown, Subjects};
use crate::source::{Diagnostic, Span, nearest};

/// Reads every quote in the prose; `cells` come with their first byte in the file.
pub(crate) fn fill_quotes(
    cells: &mut [(usize, Cell)],
    subjects: &Subjects,
    findings: &mut Findings,
) {
    for (base, cell) in cells {
        if let Cell::Prose(prose) = cell {
            let place = |at: Range<usize>| Span::new(*base + at.start, *base + at.end);
            prose.markdown = filled(&prose.markdown.written(), place, subjects, findings);
        }
    }
}

/// `markdown` with every quote read; `place` is where a range of its bytes stands in the file.
pub(crate) fn filled(
    markdown: &str,
    place: impl Fn(Range<usize>) -> Span,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Markdown {
    let mut text = Markdown::default();
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((quote, remainder)) = after.split_once("}}") else {
            break;
        };
        text.push_text(before);
        match read(quote, subjects) {
            Ok(Quote::Formula(formula)) => text.push_text(&formula.textbook()),
            Ok(Quote::Value(formula)) => text.push_value(formula),
            Err((message, help)) => {
                let start = (markdown.len() - rest.len()) + before.len();
                let span = place(start..start + quote.len() + 4);
                findings.add(Diagnostic::error(span, message).help(help));
            }
        }
        rest = remainder;
    }
    text.push_text(rest);
    text
}

enum Quote {
    Formula(Formula),
    Value(Formula),
}

/// What `quote` stands for, or a message and a help.
fn read(quote: &str, subjects: &Subjects) -> Result<Quote, (String, String)> {
    if let Some(formula) = quote.trim().strip_prefix('=') {
        return of_formula(formula, subjects).map(Quote::Value);
    }
    match quote.trim_end().strip_suffix('=') {
        Some(count) => of_count(count, subjects).map(Quote::Value),
        None => of_count(quote, subjects).map(Quote::Formula),
    }
}

/// A formula over the sizes.
fn of_formula(text: &str, subjects: &Subjects) -> Result<Formula, (String, String)> {
    let formula = Formula::parse_with(text.trim(), subjects.values).map_err(|error| {
        let help = "the value of a formula is quoted as {{=formula}}, as in {{=2*M}}";
        (format!("this is not a formula: {error}"), help.to_owned())
    })?;
    let names = formula.names().into_iter();
    let mut unknown = names.filter(|name| !subjects.sizes.contains(name));
    match unknown.next() {
        Some(name) => {
            let message = format!("`{name}` is not a size of this lesson");
            Err((message, one_of(name, &subjects.sizes)))
        }
        None => Ok(formula),
    }
}

/// The formula that `cell: count` names.
fn of_count(quote: &str, subjects: &Subjects) -> Result<Formula, (String, String)> {
    let form = "a formula is quoted as {{cell: count}}, as in {{naive: distinct elements read}}, its value as \
                {{cell: count =}} or {{=formula}}";
    let Some((id, measure)) = quote.split_once(':') else {
        return Err((format!("`{quote}` names no formula"), form.to_owned()));
    };
    let (id, measure) = (id.trim(), measure.trim());
    let Some(run) = subjects.runs.iter().find(|run| run.id == id) else {
        let message = format!("there is no cell `{id}`");
        return Err((message, one_of(id, &subjects.run_ids)));
    };
    let checks = run.formulas.iter();
    let names: Vec<&str> = checks.map(|check| check.measure.name()).collect();
    let mut checks = run.formulas.iter();
    match checks.find(|check| check.measure.name() == measure) {
        Some(check) => Ok(check.formula.clone()),
        None => {
            let message = format!("the cell `{id}` has no formula for `{measure}`");
            Err((message, one_of(measure, &names)))
        }
    }
}

/// A help that names what `name` may have been meant to be.
pub(crate) fn one_of(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()).first() {
        Some(guess) => format!("perhaps `{guess}` is meant"),
        None if candidates.is_empty() => "there are none here".to_owned(),
        None => format!("one of `{}`", candidates.join("`, `")),
    }
}
