//! Formulas quoted in prose: `{{naive: distinct elements read}}` stands for the formula that the
//! cell `naive` holds against that count, so that prose cannot state one that no run checks.

use super::table::Findings;
use super::{Cell, RunCell};
use crate::source::{Diagnostic, Span, nearest};

/// Replaces every quote in the prose; `cells` come with their first byte in the file.
pub(super) fn fill_quotes(cells: &mut [(usize, Cell)], findings: &mut Findings) {
    let runs: Vec<RunCell> = cells
        .iter()
        .filter_map(|(_, cell)| match cell {
            Cell::Run(run) => Some((**run).clone()),
            _ => None,
        })
        .collect();
    for (base, cell) in cells {
        if let Cell::Prose(prose) = cell {
            prose.markdown = filled(&prose.markdown, *base, &runs, findings);
        }
    }
}

fn filled(markdown: &str, base: usize, runs: &[RunCell], findings: &mut Findings) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((quote, remainder)) = after.split_once("}}") else {
            break;
        };
        text.push_str(before);
        match find(quote, runs) {
            Ok(formula) => text.push_str(&formula),
            Err((message, help)) => {
                let start = base + (markdown.len() - rest.len()) + before.len();
                let span = Span::new(start, start + quote.len() + 4);
                findings.add(Diagnostic::error(span, message).help(help));
            }
        }
        rest = remainder;
    }
    text.push_str(rest);
    text
}

/// The formula that `quote` names, or a message and a help.
fn find(quote: &str, runs: &[RunCell]) -> Result<String, (String, String)> {
    let form = "a formula is quoted as {{cell: count}}, as in {{naive: distinct elements read}}";
    let Some((id, measure)) = quote.split_once(':') else {
        return Err((format!("`{quote}` names no formula"), form.to_owned()));
    };
    let (id, measure) = (id.trim(), measure.trim());
    let Some(run) = runs.iter().find(|run| run.id == id) else {
        let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        let message = format!("there is no cell `{id}`");
        return Err((message, one_of(id, &ids)));
    };
    let names: Vec<&str> = run
        .formulas
        .iter()
        .map(|check| check.measure.name())
        .collect();
    match run
        .formulas
        .iter()
        .find(|check| check.measure.name() == measure)
    {
        Some(check) => Ok(check.formula.textbook()),
        None => {
            let message = format!("the cell `{id}` has no formula for `{measure}`");
            Err((message, one_of(measure, &names)))
        }
    }
}

/// A help that names what `name` may have been meant to be.
pub(super) fn one_of(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()).first() {
        Some(guess) => format!("perhaps `{guess}` is meant"),
        None if candidates.is_empty() => "there are none here".to_owned(),
        None => format!("one of `{}`", candidates.join("`, `")),
    }
}
