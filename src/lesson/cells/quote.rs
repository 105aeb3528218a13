//! What prose quotes, so that it cannot state what no run checks: `{{naive: distinct elements read}}` stands
//! for the formula that the cell `naive` holds against that count, with ` =` behind it for the formula's value
//! at the sizes chosen, and `{{=2*M}}` for the value of any formula. `{{faster: fused, naive}}` stands for how many
//! times as fast a run is as another by their recorded times, `{{time: fused}}` for such a time, and
//! `{{more: sectors read of naive, sectors read of fused}}` for how many times as much is counted.

use std::ops::Range;

use super::run::RunCell;
use super::scope::Scope;
use crate::lesson::comparison::{Compared, Comparison, RecordedTimes, TimedRun};
use crate::lesson::formula::Formula;
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::one_of;
use crate::lesson::sizes::{Sizes, defaults};
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
            // Without `}}` the rest is text, as the author sees it on the page at once.
            break;
        };
        text.push_text(before);
        let start = (markdown.len() - rest.len()) + before.len();
        // With its braces.
        let span = place(start..start + quote.len() + 4);
        match read(quote, scope) {
            Ok(Quote::Formula(formula)) => text.push_text(&formula.textbook()),
            Ok(Quote::Value(formula)) => text.push_value(formula),
            Ok(Quote::Compared(of)) => text.push_comparison(Comparison { span, of }),
            Err((message, help)) => {
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
    Compared(Compared),
}

/// A message, and what to try.
type Mistake = (String, String);

/// What `quote` stands for, or a message and a help.
fn read(quote: &str, scope: &Scope) -> Result<Quote, Mistake> {
    if let Some(formula) = quote.trim().strip_prefix('=') {
        return of_formula(formula, scope).map(Quote::Value);
    }
    let compared = quote.split_once(':');
    match compared.map(|(what, of)| (what.trim(), of)) {
        Some(("faster", of)) => return faster(of, scope).map(Quote::Compared),
        Some(("time", of)) => return time(of, scope).map(Quote::Compared),
        Some(("more", of)) => return more(of, scope).map(Quote::Compared),
        _ => {}
    }
    // `{{naive: sectors read =}}` asks for the value, without `=` for the formula.
    match quote.trim_end().strip_suffix('=') {
        Some(count) => of_count(count, scope).map(Quote::Value),
        None => of_count(quote, scope).map(Quote::Formula),
    }
}

/// A formula over the sizes.
fn of_formula(text: &str, scope: &Scope) -> Result<Formula, Mistake> {
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
fn of_count(quote: &str, scope: &Scope) -> Result<Formula, Mistake> {
    let form = "a formula is quoted as {{cell: count}}, as in {{naive: distinct elements read}}, its value as \
                {{cell: count =}} or {{=formula}}";
    let Some((id, measure)) = quote.split_once(':') else {
        return Err((
            format!("`{quote}` does not name a formula"),
            form.to_owned(),
        ));
    };
    let (id, measure) = (id.trim(), measure.trim());
    let run = run_called(id, scope)?;
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

/// The run cell called `id`.
fn run_called<'a>(id: &str, scope: &Scope<'a>) -> Result<&'a RunCell, Mistake> {
    let found = scope.runs.iter().find(|run| run.id == id);
    found.ok_or_else(|| {
        let message = format!("there is no run cell `{id}`");
        (message, one_of(id, scope.run_ids.iter().copied()))
    })
}

/// `fused, naive at N=4096`: the first run is the faster one.
fn faster(quote: &str, scope: &Scope) -> Result<Compared, Mistake> {
    let form = "two runs are compared as {{faster: fused, naive}}, the faster one first, with sizes as in \
                {{faster: fused, naive at N=4096}}; a library's run beside a cell as {{faster: cuDNN of naive, naive}}";
    let (runs, sizes) = at_sizes(quote, scope)?;
    let Some((first, second)) = runs.split_once(',') else {
        return Err((
            format!("`{}` does not name two runs", quote.trim()),
            form.to_owned(),
        ));
    };
    let runs = [first, second].map(|run| timed_run(run, &sizes, scope));
    let runs = runs
        .into_iter()
        .collect::<Result<Vec<TimedRun>, Mistake>>()?;
    Ok(Compared::Faster(RecordedTimes::new(scope.lesson, runs)))
}

/// `fused at N=4096`, or `chase@1 / H at C=256`: the time of each of H parts of the second launch.
fn time(quote: &str, scope: &Scope) -> Result<Compared, Mistake> {
    let (run, sizes) = at_sizes(quote, scope)?;
    let (run, parts) = match run.split_once('/') {
        Some((run, size)) => (run, parts(size.trim(), &sizes, scope)?),
        None => (run, 1),
    };
    let run = timed_run(run, &sizes, scope)?;
    let times = RecordedTimes::new(scope.lesson, vec![run]);
    Ok(Compared::Time(times, parts))
}

/// What the size `name` is.
fn parts(name: &str, sizes: &Sizes, scope: &Scope) -> Result<u64, Mistake> {
    let size = scope.sizes.iter().find(|size| size.name == name);
    let value = size.map(|size| sizes.get(name).copied().unwrap_or(size.default));
    value.filter(|&value| value > 0).ok_or_else(|| {
        let message = format!("`{name}` is not a size, so no time can be divided by it");
        (message, one_of(name, scope.names()))
    })
}

/// `sectors read of naive, sectors read of fused`.
fn more(quote: &str, scope: &Scope) -> Result<Compared, Mistake> {
    let form = "two counts are compared as {{more: sectors read of naive, sectors read of fused}}";
    let sides = quote.split_once(',').and_then(|(more, less)| {
        let side = |text: &str| {
            let (measure, cell) = text.trim().rsplit_once(" of ")?;
            Some((measure.trim().to_owned(), cell.trim().to_owned()))
        };
        Some([side(more)?, side(less)?])
    });
    let Some([more, less]) = sides else {
        return Err((
            format!("`{}` does not name two counts", quote.trim()),
            form.to_owned(),
        ));
    };
    let counted = |(measure, cell): (String, String)| {
        let formula = of_count(&format!("{cell}: {measure}"), scope);
        formula.map(|formula| (format!("{measure} of `{cell}`"), formula))
    };
    Ok(Compared::More(Box::new([counted(more)?, counted(less)?])))
}

/// What stands before ` at `, and the lesson's own sizes but for those behind it.
fn at_sizes<'q>(quote: &'q str, scope: &Scope) -> Result<(&'q str, Sizes), Mistake> {
    let mut sizes = defaults(scope.sizes);
    let Some((before, behind)) = quote.split_once(" at ") else {
        return Ok((quote, sizes));
    };
    for pair in behind.split_whitespace() {
        let read = pair.split_once('=').and_then(|(name, value)| {
            let value = value.trim_end_matches(',').parse::<u64>().ok()?;
            let size = scope.sizes.iter().find(|size| size.name == name)?;
            Some((size, value))
        });
        match read {
            Some((size, value)) => size.set(&mut sizes, value),
            None => {
                let help = "sizes of the lesson follow `at`, as in `at M=4096 N=781`";
                return Err((format!("`{pair}` is not a size"), help.to_owned()));
            }
        }
    }
    Ok((before, sizes))
}

/// `fused`, `cuDNN of fused`, or `chase@1` for the second launch of `chase`.
fn timed_run(text: &str, sizes: &Sizes, scope: &Scope) -> Result<TimedRun, Mistake> {
    let (library, cell) = match text.trim().split_once(" of ") {
        Some((library, cell)) => (Some(library.trim().to_owned()), cell.trim()),
        None => (None, text.trim()),
    };
    let (cell, launch) = match cell.split_once('@') {
        None => (cell, None),
        Some((cell, launch)) => {
            let number = launch.trim().parse().map_err(|_| {
                let help = "write `chase@0` for the first launch of `chase`";
                (format!("`{launch}` is not a launch"), help.to_owned())
            })?;
            (cell.trim(), Some(number))
        }
    };
    let run = run_called(cell, scope)?;
    Ok(TimedRun {
        cell: cell.to_owned(),
        launch,
        library,
        sizes: run.own_sizes(sizes),
        implied: run.own_sizes(&Sizes::new()),
    })
}
