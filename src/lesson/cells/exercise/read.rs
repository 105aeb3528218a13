//! The TOML of an exercise to an [`ExerciseCell`].

use super::cell::{
    Asked, Bound, BoundSide, Bounded, CaseTemplate, Concept, ExerciseCell, ExerciseHelp,
    ExerciseKind, FindingKind, Trials,
};
use crate::launch::{Evidence, Measure};
use crate::lesson::cells::quote::filled;
use crate::lesson::cells::read_run::{read_init, read_run};
use crate::lesson::cells::run::RunCell;
use crate::lesson::cells::scope::Scope;
use crate::lesson::chosen_number::chosen_number;
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::{Placed, Table};
use crate::lesson::sizes::{Size, Sizes};
use crate::lesson::starting_point::StartingPoint;
use crate::source::Span;

/// Hints of an exercise: the concept, where to look, what to do.
const HINTS: usize = 3;

/// The cell, if what it needs is there.
pub(crate) fn read_exercise(id: &str, mut table: Table, scope: &Scope) -> Option<ExerciseCell> {
    let heading = Heading::take(&mut table, scope);
    let mut numbers = read_numbers(&mut table);
    // Formulas of the exercise may name the learner's numbers like sizes.
    let sizes: Vec<Size> = scope.sizes.iter().chain(&numbers).cloned().collect();
    let inside = Scope {
        sizes: &sizes,
        ..scope.clone()
    };
    let bounds = read_bounds(&mut table, &inside);
    let asked = read_asked(&mut table, heading.kind, &inside);
    let texts = Texts::take(&mut table);
    let trials = WrittenTrials::take(&mut table, scope);
    let (run, head) = (read_run(id, &mut table, &inside), table.span);
    table.finish();
    let mut run = run?;
    let start = starting_point(&run, heading.kind, head, scope)?;
    run.source = start.solution.clone();
    set_numbers(&mut numbers, &mut run, head, scope);
    check_whole(heading.kind, &run, &start, asked.as_ref(), head, scope);
    let (question, help) = texts.read(&run, &start, &inside);
    let formulas = std::mem::take(&mut run.formulas);
    let mut cell = ExerciseCell {
        concept: heading.concept?,
        kind: heading.kind?,
        fails: heading.fails?,
        trials: trials.read(&run, scope),
        question: question?,
        start,
        bounds,
        asked,
        numbers,
        help,
        formulas,
        run,
    };
    let text = cell.start.source.text().to_owned();
    cell.put_text(&text);
    Some(cell)
}

/// What an exercise is.
struct Heading {
    concept: Option<Concept>,
    kind: Option<ExerciseKind>,
    fails: Option<FindingKind>,
}

impl Heading {
    fn take(table: &mut Table, scope: &Scope) -> Self {
        Heading {
            concept: read_named(table, "concept", Concept::ALL, Concept::name, scope),
            kind: read_named(table, "kind", ExerciseKind::ALL, ExerciseKind::name, scope),
            fails: read_named(table, "fails", FindingKind::ALL, FindingKind::name, scope),
        }
    }
}

/// What the marks in the source of `run` say.
fn starting_point(
    run: &RunCell,
    kind: Option<ExerciseKind>,
    head: Span,
    scope: &Scope,
) -> Option<StartingPoint> {
    match StartingPoint::read(&run.source) {
        Ok(start) if kind == Some(ExerciseKind::Explain) => Some(start.with_question()),
        Ok(start) => Some(start),
        Err(error) => {
            let name = run.source.name();
            let message = format!("{name}, line {}: {}", error.line, error.message);
            scope.findings.error(head, message);
            None
        }
    }
}

/// Sets the learner's numbers to what the solution has.
fn set_numbers(numbers: &mut [Size], run: &mut RunCell, head: Span, scope: &Scope) {
    for number in numbers {
        // A number of the learner's stands in the source, as `const int T = 32;`: the solution has it where the tables
        // only say its range.
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
}

/// Complains about what this kind of exercise cannot be without.
fn check_whole(
    kind: Option<ExerciseKind>,
    run: &RunCell,
    start: &StartingPoint,
    asked: Option<&Asked>,
    head: Span,
    scope: &Scope,
) {
    let is_explained = kind == Some(ExerciseKind::Explain);
    let has_no_answer = match asked {
        Some(Asked::Counted(asked)) => !run.formulas.iter().any(|check| check.measure == *asked),
        _ => false,
    };
    let wants = [
        (
            !is_explained && run.verify.is_none(),
            "an exercise needs `[verify]`: what its output must hold",
        ),
        (
            is_explained && start.causes.is_empty(),
            "no line of the solution ends in the mark `cause`",
        ),
        (
            has_no_answer,
            "the answer is a count, so `[formulas]` says what it is",
        ),
    ];
    let wants = wants.into_iter().filter(|(is_missing, _)| *is_missing);
    wants.for_each(|(_, message)| scope.findings.error(head, message));
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
fn read_numbers(table: &mut Table) -> Vec<Size> {
    let Some(table) = table.optional_table("numbers", "the list of numbers") else {
        return Vec::new();
    };
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
            // The solution says which it is, once its source is read.
            default: min?,
            min: min?,
            max: max?,
            values: Vec::new(),
        })
    });
    read.collect()
}

/// `"sectors read" = "at most 2*N"`, or `"warps per SM" = "FORMULA at least 48"`.
fn read_bounds(table: &mut Table, scope: &Scope) -> Vec<Bound> {
    let Some(table) = table.optional_table("bounds", "the list of bounds") else {
        return Vec::new();
    };
    let text = table.text;
    let entries: Vec<(Placed<String>, Placed<String>)> = table.entries();
    let bounds = entries.into_iter().filter_map(|(name, written)| {
        let found = BoundSide::ALL.iter().find_map(|&side| {
            // Before `at most` stands a formula, or nothing: then the name is a measure.
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
                // The diagnostic is all that is wanted; there is no value to go on with.
                let _: Option<()> = scope.findings.unknown(&name, message, scope.size_names());
            }
        }
    }
    sizes
}

/// Sizes and inputs of an exercise, as they stand in the file.
struct WrittenTrials<'a> {
    at: Sizes,
    fixed: Vec<String>,
    cases: Vec<Table<'a>>,
}

impl<'a> WrittenTrials<'a> {
    fn take(table: &mut Table<'a>, scope: &Scope) -> Self {
        let at = table.optional_table("at", "the exercise's own sizes");
        let fixed: Vec<Placed<String>> = table.optional("fixed").unwrap_or_default();
        for name in &fixed {
            if !scope.size_names().any(|known| known == name.value) {
                let message = format!("`{}` is not a size of this lesson", name.value);
                let _: Option<()> = scope.findings.unknown(name, message, scope.size_names());
            }
        }
        WrittenTrials {
            at: at.map_or_else(Sizes::new, |table| read_sizes(table, scope)),
            fixed: fixed.into_iter().map(|name| name.value).collect(),
            cases: table.optional_tables("cases", "a case"),
        }
    }

    fn read(self, run: &RunCell, scope: &Scope) -> Trials {
        let cases = self.cases.into_iter();
        Trials {
            at: self.at,
            fixed: self.fixed,
            chosen: cases
                .filter_map(|case| read_case(case, run, scope))
                .collect(),
        }
    }
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
    builds_on: Vec<String>,
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
            builds_on: table.optional("builds_on").unwrap_or_default(),
            hints,
        }
    }

    /// The texts with what they quote: counts of the solution, too, like those of any run.
    fn read(
        self,
        run: &RunCell,
        start: &StartingPoint,
        scope: &Scope,
    ) -> (Option<Markdown>, ExerciseHelp) {
        let runs: Vec<RunCell> = scope.runs.iter().chain([run]).cloned().collect();
        let scope = &Scope {
            run_ids: runs.iter().map(|run| run.id.as_str()).collect(),
            runs: &runs,
            ..scope.clone()
        };
        let markdown = |written: Placed<String>| {
            let text = with_places(&written.value, start);
            filled(&text, |_| written.span, scope)
        };
        let hints = self.hints.into_iter().flat_map(|hints| hints.value);
        let help = ExerciseHelp {
            hints: hints.map(markdown).collect(),
            reasons: self.reasons.map(markdown).unwrap_or_default(),
            builds_on: self.builds_on,
        };
        (self.question.map(markdown), help)
    }
}

/// `text` with `{{hole}}` as the lines of the learner's file that the first hole has. Of a further one nothing can be said:
/// where it begins depends on what the learner writes into those before it.
fn with_places(text: &str, start: &StartingPoint) -> String {
    let Some(hole) = start.holes.first() else {
        return text.to_owned();
    };
    let words = match (hole.start(), hole.end()) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    };
    text.replace("{{hole}}", &words)
}
