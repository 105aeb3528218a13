//! A question about what a run will count, asked before it runs. The right answer is what the run
//! counts, or what a formula gives at the sizes; never text.

use std::collections::BTreeSet;

use super::quote::filled;
use super::run::RunCell;
use super::scope::Scope;
use crate::device::{Gpu, grouped};
use crate::launch::Measure;
use crate::lesson::formula::Formula;
use crate::lesson::markdown::Markdown;
use crate::lesson::reader::{Placed, Table};
use crate::lesson::sizes::{Sizes, completed, equations};

/// A question with an answer that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionCell {
    /// Its name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is asked.
    pub question: Markdown,
    /// What the right answer is.
    pub answer: Answer,
    /// What may be chosen; any number may be typed where this is empty.
    pub choices: Vec<Formula>,
    /// Sizes that take listed values, at their defaults.
    pub defaults: Sizes,
    /// Names of the sizes and values that the question, the choices and the answer go by.
    pub uses: BTreeSet<String>,
    /// What there is to say once the answer is known.
    pub explain: Markdown,
}

/// Where the right answer comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A formula over the sizes.
    Formula(Formula),
    /// What a run counts.
    Counted(RunCounts),
    /// How long all launches of a run cell take together on a real GPU, in nanoseconds.
    Timed(String),
}

/// What a run cell counts, one measure or several together.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCounts {
    /// The run cell.
    pub cell: String,
    /// What is counted, in one sum.
    pub measures: Vec<Measure>,
    /// The formula that the cell holds against it, if it is one measure and has one.
    pub formula: Option<Formula>,
}

impl PredictionCell {
    /// `sizes`, with those at their defaults that are left out there.
    pub fn complete(&self, sizes: &Sizes) -> Sizes {
        completed(&self.defaults, sizes)
    }

    /// Those of `sizes` that it goes by: `M = 4,096, N = 781`.
    pub fn at(&self, sizes: &Sizes) -> String {
        equations(sizes.iter().filter(|(name, _)| self.uses.contains(*name)))
    }

    /// The run cell that has to run for the answer, if one has to.
    pub fn runs(&self) -> Option<&str> {
        match &self.answer {
            Answer::Counted(counted) => Some(&counted.cell),
            Answer::Timed(cell) => Some(cell),
            Answer::Formula(_) => None,
        }
    }

    /// What stands behind numbers of its answer: a unit, or nothing.
    pub fn unit(&self) -> &'static str {
        match self.answer {
            Answer::Timed(_) => " ns",
            _ => "",
        }
    }

    /// What is asked for, in words: `naive: distinct elements read`.
    pub fn subject(&self) -> String {
        match &self.answer {
            Answer::Formula(_) => "the formula".to_owned(),
            Answer::Timed(cell) => format!("{cell}: time of all launches together, the median"),
            Answer::Counted(counted) => {
                let names = counted.measures.iter().map(|measure| measure.name());
                format!(
                    "{}: {}",
                    counted.cell,
                    names.collect::<Vec<_>>().join(" + ")
                )
            }
        }
    }

    /// How `choice` reads, and behind it what it is at `sizes` on `gpu`: `5MN`, `= 500`. A plain number is said
    /// once.
    pub fn choice_text(&self, choice: &Formula, sizes: &Sizes, gpu: &Gpu) -> [String; 2] {
        let value = choice.evaluate(sizes, gpu);
        let value = value.map(|value| grouped(value) + self.unit());
        let value = value.unwrap_or_else(|_| "no value here".to_owned());
        match choice.is_number() {
            true => [value, String::new()],
            false => [choice.textbook(), format!("= {value}")],
        }
    }
}

impl Answer {
    /// The sizes it goes by: those of its formula, else all that its run cell uses.
    fn uses(&self, runs: &[RunCell]) -> BTreeSet<String> {
        let of_run = |id: &str| {
            let run = runs.iter().find(|run| run.id == id);
            run.map(RunCell::used_sizes).unwrap_or_default()
        };
        let formula = match self {
            Answer::Formula(formula) => Some(formula),
            Answer::Counted(counted) => counted.formula.as_ref(),
            Answer::Timed(_) => None,
        };
        match (formula, self) {
            (Some(formula), _) => formula.uses(),
            (None, Answer::Counted(RunCounts { cell, .. }) | Answer::Timed(cell)) => of_run(cell),
            (None, Answer::Formula(_)) => BTreeSet::new(),
        }
    }
}

/// The cell, if what it needs is there.
pub(crate) fn read_prediction(id: &str, mut table: Table, scope: &Scope) -> Option<PredictionCell> {
    let title = table.optional("title");
    let question: Option<Placed<String>> = table.required("question");
    let answer: Option<Placed<String>> = table.required("answer");
    let choices = table.optional("choices");
    let explain: Option<Placed<String>> = table.optional("explain");
    let answer = answer.and_then(|answer| read_answer(&table, &answer, scope));
    let text = table.text;
    let with_quotes = |written: Placed<String>| {
        let place = |at| text.inside(&written, &at);
        filled(&written.value, place, scope)
    };
    let (question, explain) = (question.map(with_quotes), explain.map(with_quotes));
    table.finish();
    let choices = choices.map_or_else(Vec::new, |choices| read_choices(choices, scope));
    let (question, answer) = (question?, answer?);
    let asked = question.formulas().chain(&choices);
    let mut uses = answer.uses(scope.runs);
    uses.extend(asked.flat_map(Formula::uses));
    Some(PredictionCell {
        id: id.to_owned(),
        title: title.unwrap_or_else(|| "Predict".to_owned()),
        question,
        answer,
        choices,
        defaults: scope.defaults(),
        uses,
        explain: explain.unwrap_or_default(),
    })
}

fn read_choices(choices: Placed<Vec<Placed<Formula>>>, scope: &Scope) -> Vec<Formula> {
    if choices.value.len() == 1 {
        let message = "expected two or more choices, or none";
        scope.findings.error(choices.span, message);
    }
    scope.formulas(choices.value)
}

/// `cell: measure + measure`, `cell: time`, or a formula.
fn read_answer(table: &Table, answer: &Placed<String>, scope: &Scope) -> Option<Answer> {
    let Some((cell, measures)) = answer.value.split_once(':') else {
        let formula = table.text.formula(answer, 0)?;
        return Some(Answer::Formula(scope.formula(formula)));
    };
    let part = |text: &str| Placed {
        value: text.trim().to_owned(),
        span: answer.span,
    };
    let cell = part(cell);
    let run = scope.run(&cell);
    // No measure is called so: a time has no count that a formula could equal.
    if measures.trim() == "time" {
        return Some(Answer::Timed(run?.id.clone()));
    }
    let measures = measures.split('+').map(|name| scope.measure(&part(name)));
    // Each name is looked up before the first that is unknown counts.
    let measures: Vec<Option<Measure>> = measures.collect();
    let measures: Vec<Measure> = measures.into_iter().collect::<Option<_>>()?;
    let mut checks = run.into_iter().flat_map(|run| &run.formulas);
    let check = match measures[..] {
        [one] => checks.find(|check| check.measure == one),
        _ => None,
    };
    Some(Answer::Counted(RunCounts {
        cell: cell.value,
        measures,
        formula: check.map(|check| check.formula.clone()),
    }))
}
