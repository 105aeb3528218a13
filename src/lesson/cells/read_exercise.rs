//! The TOML of an exercise to an [`ExerciseCell`].

use super::exercise::{
    Asked, Bound, BoundSide, Bounded, CaseTemplate, Concept, ExerciseCell, ExerciseHelp,
    ExerciseKind, FindingKind, Trials,
};
use super::quote::filled;
use super::read_run::{read_init, read_run};
use super::run::RunCell;
use super::scope::Scope;
use crate::launch::{Evidence, Measure};
use crate::lesson::chosen_number::chosen_number;
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::{Placed, Table};
use crate::lesson::sizes::{Size, Sizes};
use crate::lesson::starting_point::StartingPoint;

/// Hints of an exercise: the concept, where to look, what to do.
const HINTS: usize = 3;

/// The cell, if what it needs is there.
pub(crate) fn read_exercise(id: &str, mut table: Table, scope: &Scope) -> Option<ExerciseCell> {
    let concept = read_named(&mut table, "concept", Concept::ALL, Concept::name, scope);
    let kind = read_named(
        &mut table,
        "kind",
        ExerciseKind::ALL,
        ExerciseKind::name,
        scope,
    );
    let fails = read_named(
        &mut table,
        "fails",
        FindingKind::ALL,
        FindingKind::name,
        scope,
    );
    let numbers = table.optional_table("numbers", "the list of numbers");
    let mut numbers = numbers.map_or_else(Vec::new, read_numbers);
    // Formulas of the exercise may name the learner's numbers like sizes.
    let sizes: Vec<Size> = scope.sizes.iter().chain(&numbers).cloned().collect();
    let inside = Scope {
        sizes: &sizes,
        ..scope.clone()
    };
    let bounds = table.optional_table("bounds", "the list of bounds");
    let bounds = bounds.map_or_else(Vec::new, |table| read_bounds(table, &inside));
    let asked = read_asked(&mut table, kind, &inside);
    let texts = Texts::take(&mut table);
    let at = table.optional_table("at", "the exercise's own sizes");
    let at = at.map_or_else(Sizes::new, |table| read_sizes(table, scope));
    let fixed = table.optional("fixed").unwrap_or_default();
    let cases = table.optional_tables("cases", "a case");
    let run = read_run(id, &mut table, &inside);
    let head = table.span;
    table.finish();
    let mut run = run?;
    if run.verify.is_none() && kind != Some(ExerciseKind::Explain) {
        let message = "an exercise needs `[verify]`: what its output must hold";
        scope.findings.error(head, message);
    }
    let start = match StartingPoint::read(&run.source) {
        Ok(start) if kind == Some(ExerciseKind::Explain) => start.with_question(),
        Ok(start) => start,
        Err(error) => {
            let name = run.source.name();
            let message = format!("{name}, line {}: {}", error.line, error.message);
            scope.findings.error(head, message);
            return None;
        }
    };
    run.source = start.solution.clone();
    for number in &mut numbers {
        match chosen_number(&run.source, &number.name).and_then(|chosen| chosen.value) {
            Some(value) if number.takes(value) => number.default = value,
            _ => {
                let (name, range) = (&number.name, number.range());
                let message = format!("the solution does not set `{name}` to one of {range}");
                scope.findings.error(head, message);
            }
        }
        run.choices.insert(number.name.clone(), number.default);
    }
    // Hints quote the counts of the solution like those of any run.
    let runs: Vec<RunCell> = scope.runs.iter().chain([&run]).cloned().collect();
    let quoting = Scope {
        run_ids: runs.iter().map(|run| run.id.as_str()).collect(),
        runs: &runs,
        ..inside
    };
    if let Some(Asked::Counted(measure)) = asked
        && run.formula_of(measure).is_none()
    {
        let message = format!(
            "the answer is `{}`, so `[formulas]` says what it is",
            measure.name()
        );
        scope.findings.error(head, message);
    }
    if kind == Some(ExerciseKind::Explain) && start.causes.is_empty() {
        let message = "no line of the solution ends in the mark `cause`";
        scope.findings.error(head, message);
    }
    let (question, help) = texts.read(&start, &quoting);
    let cases = cases.into_iter();
    let chosen = cases
        .filter_map(|case| read_case(case, &run, scope))
        .collect();
    Some(ExerciseCell {
        concept: concept?,
        kind: kind?,
        fails: fails?,
        trials: Trials { at, chosen, fixed },
        question: question?,
        start,
        bounds,
        asked,
        numbers,
        help,
        run,
    })
}

/// What one of `all` is called by the value of `key`.
fn read_named<T: Copy>(
    table: &mut Table,
    key: &'static str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    scope: &Scope,
) -> Option<T> {
    let written: Placed<String> = table.required(key)?;
    let mut known = all.iter().copied();
    known.find(|&one| name(one) == written.value).or_else(|| {
        let message = format!("`{}` is not a {key} of exercises", written.value);
        let names = all.iter().map(|&one| name(one));
        scope.findings.unknown(&written, message, names)
    })
}

/// `[numbers.T]` tables; what the solution sets them to is not known yet.
fn read_numbers(table: Table) -> Vec<Size> {
    let tables = table.tables_by_key("a number").into_iter();
    let read = tables.filter_map(|(name, mut table)| {
        let (label, min, max) = (
            table.required("label"),
            table.required("min"),
            table.required("max"),
        );
        table.finish();
        Some(Size {
            name: name.value,
            label: label?,
            default: min?,
            min: min?,
            max: max?,
            values: Vec::new(),
        })
    });
    read.collect()
}

/// `"sectors read" = "at most 2*N"`, or `"warps per SM" = "FORMULA at least 48"`.
fn read_bounds(table: Table, scope: &Scope) -> Vec<Bound> {
    let text = table.text;
    let entries: Vec<(Placed<String>, Placed<String>)> = table.entries();
    let bounds = entries.into_iter().filter_map(|(name, written)| {
        let found = BoundSide::ALL.iter().find_map(|&side| {
            let at = written.value.find(side.name())?;
            Some((side, at))
        });
        let Some((side, at)) = found else {
            let message = "a bound is `at most FORMULA` or `at least FORMULA`";
            scope.findings.error(written.span, message);
            return None;
        };
        let limit = scope.formula(text.formula(&written, at + side.name().len())?);
        let left = Placed {
            value: written.value[..at].trim().to_owned(),
            span: written.span,
        };
        let of = match left.value.is_empty() {
            true => Bounded::Counted(counted(&name, scope)?),
            false => Bounded::Computed(name.value, scope.formula(text.formula(&left, 0)?)),
        };
        Some(Bound { of, side, limit })
    });
    bounds.collect()
}

/// A measure that is counted, not modelled: a right answer must not fail for what a model is off by.
fn counted(name: &Placed<String>, scope: &Scope) -> Option<Measure> {
    let measure = scope.measure(name)?;
    if measure.evidence() != Evidence::Counted {
        let message = format!("{} are modelled, so nothing is bound to them", name.value);
        scope.findings.error(name.span, message);
    }
    Some(measure)
}

/// What is asked in an exercise that is explained: a measure of its run, or a formula.
fn read_asked(table: &mut Table, kind: Option<ExerciseKind>, scope: &Scope) -> Option<Asked> {
    if kind != Some(ExerciseKind::Explain) {
        return None;
    }
    let answer: Placed<String> = table.required("answer")?;
    match Measure::from_name(&answer.value) {
        Some(_) => counted(&answer, scope).map(Asked::Counted),
        None => {
            let formula = table.text.formula(&answer, 0)?;
            Some(Asked::Formula(scope.formula(formula)))
        }
    }
}

/// Values of the lesson's sizes.
fn read_sizes(table: Table, scope: &Scope) -> Sizes {
    let entries: Vec<(Placed<String>, Placed<u64>)> = table.entries();
    let mut sizes = Sizes::new();
    for (name, value) in entries {
        match scope.sizes.iter().find(|size| size.name == name.value) {
            Some(size) if size.takes(value.value) => {
                sizes.insert(name.value, value.value);
            }
            Some(size) => {
                let message = format!("{} goes from {}", name.value, size.range());
                scope.findings.error(value.span, message);
            }
            None => {
                let message = format!("`{}` is not a size of this lesson", name.value);
                let _: Option<()> = scope.findings.unknown(&name, message, scope.size_names());
            }
        }
    }
    sizes
}

/// Sizes and inputs that an author chose.
fn read_case(mut table: Table, run: &RunCell, scope: &Scope) -> Option<CaseTemplate> {
    let title = table.required("title");
    let sizes = table.optional_table("sizes", "the sizes of a case");
    let inits = table.optional_table("init", "what buffers begin with");
    table.finish();
    let sizes = sizes.map_or_else(Sizes::new, |table| read_sizes(table, scope));
    let inits = inits.map(|table| (table.text, table.entries::<Placed<String>>()));
    let inits = inits.into_iter().flat_map(|(text, entries)| {
        let read = entries.into_iter().filter_map(move |(name, init)| {
            let found = run
                .buffers
                .iter()
                .position(|buffer| buffer.name == name.value);
            let Some(at) = found else {
                let message = format!("there is no buffer `{}`", name.value);
                let names = run.buffers.iter().map(|buffer| buffer.name.as_str());
                return scope.findings.unknown(&name, message, names);
            };
            let element = run.buffers[at].element;
            Some((at, read_init(&text, &init, element, scope)?))
        });
        read.collect::<Vec<_>>()
    });
    Some(CaseTemplate {
        title: title?,
        sizes,
        inits: inits.collect(),
    })
}

/// What an exercise says to its learner, as it stands in the file.
struct Texts {
    question: Option<Placed<String>>,
    hints: Option<Placed<Vec<Placed<String>>>>,
    reasons: Option<Placed<String>>,
}

impl Texts {
    fn take(table: &mut Table) -> Self {
        let hints: Option<Placed<Vec<Placed<String>>>> = table.required("hints");
        if let Some(hints) = hints.as_ref().filter(|hints| hints.value.len() != HINTS) {
            let message = "three hints are expected: the concept, where to look, what to do";
            table.text.findings.error(hints.span, message);
        }
        Texts {
            question: table.required("question"),
            reasons: table.required("reasons"),
            hints,
        }
    }

    fn read(self, start: &StartingPoint, scope: &Scope) -> (Option<Markdown>, ExerciseHelp) {
        let markdown = |written: Placed<String>| {
            let text = with_places(&written.value, start);
            filled(&text, |_| written.span, scope)
        };
        let hints = self.hints.into_iter().flat_map(|hints| hints.value);
        let help = ExerciseHelp {
            hints: hints.map(markdown).collect(),
            reasons: self.reasons.map(markdown).unwrap_or_default(),
        };
        (self.question.map(markdown), help)
    }
}

/// `text` with `{{hole}}` as the lines of the learner's file that the first hole has, and `{{hole 2}}` as those of the
/// second.
fn with_places(text: &str, start: &StartingPoint) -> String {
    let holes = start.holes.iter().enumerate().rev();
    holes.fold(text.to_owned(), |text, (at, lines)| {
        let words = match (lines.start(), lines.end()) {
            (first, last) if first == last => format!("line {first}"),
            (first, last) => format!("lines {first} to {last}"),
        };
        let numbered = text.replace(&format!("{{{{hole {}}}}}", at + 1), &words);
        match at {
            0 => numbered.replace("{{hole}}", &words),
            _ => numbered,
        }
    })
}
