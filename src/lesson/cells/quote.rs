//! What prose quotes, so that it cannot state what no run checks: `{{naive: distinct elements read}}` stands
//! for the formula that the cell `naive` holds against that count, with ` =` behind it for the formula's value
//! at the sizes chosen, and `{{=2*M}}` for the value of any formula.

use std::ops::Range;

use super::scope::Scope;
use crate::lesson::formula::Formula;
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::one_of;
use crate::source::{Diagnostic, Span};

/// `markdown` with every quote read; `place` is where a range of its bytes stands in the file.
pub(crate) fn filled(
    markdown: &str,
    place: impl Fn(Range<usize>) -> Span,
    scope: &Scope,
) -> Markdown {
    let mut text = Markdown::default();
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((quote, remainder)) = after.split_once("}}") else {
            break;
        };
        text.push_text(before);
        match read(quote, scope) {
            Ok(Quote::Formula(formula)) => text.push_text(&formula.textbook()),
            Ok(Quote::Value(formula)) => text.push_value(formula),
            Err((message, help)) => {
                let start = (markdown.len() - rest.len()) + before.len();
                // With its braces.
                let span = place(start..start + quote.len() + 4);
                scope
                    .findings
                    .add(Diagnostic::error(span, message).help(help));
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
fn read(quote: &str, scope: &Scope) -> Result<Quote, (String, String)> {
    if let Some(formula) = quote.trim().strip_prefix('=') {
        return of_formula(formula, scope).map(Quote::Value);
    }
    // `{{naive: sectors read =}}` asks for the value, without `=` for the formula.
    match quote.trim_end().strip_suffix('=') {
        Some(count) => of_count(count, scope).map(Quote::Value),
        None => of_count(quote, scope).map(Quote::Formula),
    }
}

/// A formula over the sizes.
fn of_formula(text: &str, scope: &Scope) -> Result<Formula, (String, String)> {
    let formula = Formula::parse_with(text.trim(), scope.values).map_err(|error| {
        let help = "the value of a formula is quoted as {{=formula}}, as in {{=2*M}}";
        (format!("this is not a formula: {error}"), help.to_owned())
    })?;
    let names = formula.names().into_iter();
    let mut unknown = names.filter(|name| !scope.names().any(|known| known == *name));
    match unknown.next() {
        Some(name) => {
            let message = format!("`{name}` is not a size of this lesson");
            Err((message, one_of(name, scope.names())))
        }
        None => Ok(formula),
    }
}

/// The formula that `cell: count` names.
fn of_count(quote: &str, scope: &Scope) -> Result<Formula, (String, String)> {
    let form = "a formula is quoted as {{cell: count}}, as in {{naive: distinct elements read}}, its value as \
                {{cell: count =}} or {{=formula}}";
    let Some((id, measure)) = quote.split_once(':') else {
        return Err((format!("`{quote}` names no formula"), form.to_owned()));
    };
    let (id, measure) = (id.trim(), measure.trim());
    let Some(run) = scope.runs.iter().find(|run| run.id == id) else {
        let message = format!("there is no cell `{id}`");
        return Err((message, one_of(id, scope.run_ids.iter().copied())));
    };
    let mut checks = run.formulas.iter();
    match checks.find(|check| check.measure.name() == measure) {
        Some(check) => Ok(check.formula.clone()),
        None => {
            let names = run.formulas.iter().map(|check| check.measure.name());
            let message = format!("the cell `{id}` has no formula for `{measure}`");
            Err((message, one_of(measure, names)))
        }
    }
}
