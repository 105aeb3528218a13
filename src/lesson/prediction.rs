//! A question about what a run will count, asked before it runs. The right answer is what the run
//! counts, or what a formula gives at the sizes; never text.

use std::collections::BTreeSet;

use super::quote::filled;
use super::table::{Findings, Placed, Table};
use super::{CellResult, Formula, Guess, Markdown, Measure, RunCell, Sizes, Subjects};
use crate::device::{Gpu, gpu_or_usual};
use crate::launch::{Ending, Evidence};
use crate::source::{Diagnostic, Span};

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

/// The right answer, and how it came to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Its value.
    pub value: u64,
    /// The formula that it equals, if there is one.
    pub formula: Option<Formula>,
    /// How it came to be.
    pub evidence: Evidence,
    /// The sizes it belongs to.
    pub sizes: Sizes,
    /// The GPU it belongs to.
    pub gpu: &'static Gpu,
}

/// How far a guess is from the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// What was guessed.
    pub guess: u64,
    /// What is right.
    pub truth: u64,
}

impl PredictionCell {
    /// `sizes`, with those at their defaults that are left out there.
    pub fn complete(&self, sizes: &Sizes) -> Sizes {
        let mut all = self.defaults.clone();
        all.extend(sizes.iter().map(|(name, &value)| (name.clone(), value)));
        all
    }

    /// The run cell that has to run for the answer, if one has to.
    pub fn runs(&self) -> Option<&str> {
        match &self.answer {
            Answer::Counted(counted) => Some(&counted.cell),
            Answer::Formula(_) => None,
        }
    }

    /// The right answer at `sizes` on `gpu`, or of `result`, which is what its run cell gave.
    ///
    /// # Errors
    /// Why there is none: one sentence without a full stop.
    pub fn truth(
        &self,
        sizes: &Sizes,
        gpu: &'static Gpu,
        result: Option<&CellResult>,
    ) -> Result<Truth, String> {
        match (&self.answer, result) {
            (Answer::Formula(formula), _) => Ok(Truth {
                value: formula
                    .evaluate(&self.complete(sizes), gpu)
                    .map_err(|error| error.to_string())?,
                formula: Some(formula.clone()),
                evidence: Evidence::Computed,
                sizes: self.complete(sizes),
                gpu,
            }),
            (Answer::Counted(counted), Some(result)) => {
                counted.truth(result, self.complete(&result.sizes))
            }

            (Answer::Counted(counted), None) => Err(format!("`{}` has not run", counted.cell)),
        }
    }

    /// What is asked for, in words: `naive: distinct elements read`.
    pub fn subject(&self) -> String {
        match &self.answer {
            Answer::Formula(_) => "the formula".to_owned(),
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

    /// The guess that is choice `index` at `sizes` on `gpu`.
    pub fn choose(&self, index: usize, sizes: &Sizes, gpu: &Gpu) -> Option<Guess> {
        Guess::of_formula(self.choices.get(index)?, &self.complete(sizes), gpu)
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
        };
        match (formula, self) {
            (Some(formula), _) => formula.uses(),
            (None, Answer::Counted(counted)) => of_run(&counted.cell),
            (None, Answer::Formula(_)) => BTreeSet::new(),
        }
    }
}

impl RunCounts {
    fn truth(&self, result: &CellResult, sizes: Sizes) -> Result<Truth, String> {
        let outcome = &result.outcome;
        if outcome.ending != Ending::Finished || !outcome.is_counted() {
            return Err(format!("`{}` did not run to its end", self.cell));
        }
        let counts = outcome.counts();
        let values = self.measures.iter().map(|measure| {
            let value = measure.of(&counts);
            value.ok_or_else(|| format!("this run of `{}` has no {}", self.cell, measure.name()))
        });
        let modelled = self
            .measures
            .iter()
            .any(|measure| measure.evidence() == Evidence::Modelled);
        Ok(Truth {
            value: values.sum::<Result<u64, String>>()?,
            formula: self.formula.clone(),
            evidence: if modelled {
                Evidence::Modelled
            } else {
                Evidence::Counted
            },
            sizes,
            gpu: gpu_or_usual(&outcome.simulated),
        })
    }
}

impl Gap {
    /// Between `guess` and `truth`, at the sizes of the truth.
    pub fn new(guess: &Guess, truth: &Truth) -> Self {
        Gap {
            guess: guess.value(&truth.sizes, truth.gpu),
            truth: truth.value,
        }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.guess == self.truth
    }

    /// The larger by the smaller; nothing where one of them is zero.
    pub fn factor(&self) -> Option<f64> {
        let (low, high) = (self.guess.min(self.truth), self.guess.max(self.truth));
        (low > 0).then(|| high as f64 / low as f64)
    }

    /// In words: `exactly right`, or how far below or above.
    pub fn verdict(&self) -> &'static str {
        match self.guess.cmp(&self.truth) {
            std::cmp::Ordering::Equal => "exactly right",
            std::cmp::Ordering::Less => "too low",
            std::cmp::Ordering::Greater => "too high",
        }
    }
}

/// The cell, if what it needs is there; what is wrong goes to `findings`.
pub(super) fn read_prediction(
    id: &str,
    head: Span,
    mut table: Table,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Option<PredictionCell> {
    table.span = head;
    let title = table.optional_string("title", findings);
    let question = table.string("question", findings);
    let answer = table.string("answer", findings);
    let answer = answer.and_then(|answer| read_answer(&table, &answer, subjects, findings));
    let choices = table.optional_formulas("choices", findings);
    let explain = table.optional_string("explain", findings);
    let filled = |text: Option<Placed<String>>, findings: &mut Findings| {
        text.map(|text| {
            let place = |at| table.inside(&text, &at);
            filled(&text.value, place, subjects, findings)
        })
    };
    let (question, explain) = (filled(question, findings), filled(explain, findings));
    table.finish(findings);
    if let Some(choices) = &choices {
        if choices.value.len() == 1 {
            let message = "one choice is no choice: two or more are expected, or none at all";
            findings.add(Diagnostic::error(choices.span, message));
        }
        for choice in &choices.value {
            subjects.check_sizes(choice, findings);
        }
    }
    let choices = choices.map(|choices| choices.value).unwrap_or_default();
    let choices: Vec<Formula> = choices.into_iter().map(|choice| choice.value).collect();
    let (question, answer) = (question?, answer?);
    let asked = question.formulas().chain(&choices);
    let mut uses = answer.uses(subjects.runs);
    uses.extend(asked.flat_map(Formula::uses));
    Some(PredictionCell {
        id: id.to_owned(),
        title: title.map_or_else(|| "Predict".to_owned(), |title| title.value),
        uses,
        question,
        defaults: subjects.defaults.clone(),
        answer,
        choices,
        explain: explain.unwrap_or_default(),
    })
}

/// `cell: measure + measure`, or a formula.
fn read_answer(
    table: &Table,
    answer: &Placed<String>,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Option<Answer> {
    let Some((cell, measures)) = answer.value.split_once(':') else {
        let formula = table.formula_in(answer, findings)?;
        subjects.check_sizes(&formula, findings);
        return Some(Answer::Formula(formula.value));
    };
    let cell = Placed {
        value: cell.trim().to_owned(),
        span: answer.span,
    };
    let run = subjects.run(&cell, findings);
    let names = measures.split('+').map(|name| Placed {
        value: name.trim().to_owned(),
        span: answer.span,
    });
    let measures: Vec<Option<Measure>> = names
        .map(|name| Subjects::measure(&name, findings))
        .collect();
    let measures: Vec<Measure> = measures.into_iter().collect::<Option<_>>()?;
    let held = run.into_iter().flat_map(|run| &run.formulas);
    let formula = match measures[..] {
        [one] => held.clone().find(|check| check.measure == one),
        _ => None,
    };
    Some(Answer::Counted(RunCounts {
        cell: cell.value,
        measures,
        formula: formula.map(|check| check.formula.clone()),
    }))
}
