//! A question about what a run will count, asked before it runs. The right answer is what the run
//! counts, or what a formula gives at the sizes; never text.

use std::collections::BTreeSet;

use super::quote::filled;
use crate::device::{Gpu, grouped};
use crate::launch::Evidence;
use crate::lesson::predict::{Answer, RunCounts, Truth, nearest_to, no_time, of_time};
use crate::lesson::reader::{Findings, Placed, Table};
use crate::lesson::sizes::{completed, equations};
use crate::lesson::{
    CellResult, Formula, Guess, Lesson, Markdown, Measure, Sample, Sizes, Subjects,
};
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

    /// Whether it can be asked at `sizes`: a time has to come from a real GPU, which is there if `real` says
    /// so, or from one of `samples` that is recorded.
    ///
    /// # Errors
    /// Why it cannot, and what to try.
    pub fn is_asked(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        real: bool,
        samples: &[Sample],
    ) -> Result<(), String> {
        let Answer::Timed(id) = &self.answer else {
            return Ok(());
        };
        let run = lesson.run_cell(id).ok();
        let is_here = |sample: &Sample| {
            let own = run.map(|run| run.own_sizes(&sample.sizes) == run.own_sizes(sizes));
            let recorded = Evidence::Recorded;
            let timing = sample.timing.as_ref();
            let is_recorded = timing.is_some_and(|timing| timing.evidence == recorded);
            sample.cell == *id && is_recorded && own == Some(true)
        };
        match real || samples.iter().any(is_here) {
            true => Ok(()),
            false => Err(no_time(id)),
        }
    }

    /// What stands behind numbers of its answer: a unit, or nothing.
    pub fn unit(&self) -> &'static str {
        match self.answer {
            Answer::Timed(_) => " ns",
            _ => "",
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
                formula: Some(formula.clone()).filter(|formula| !formula.is_number()),
                evidence: Evidence::Computed,
                sizes: self.complete(sizes),
                gpu,
                nearest: None,
            }),
            (Answer::Counted(counted), Some(result)) => {
                counted.truth(result, self.complete(&result.sizes))
            }
            (Answer::Timed(cell), Some(result)) => {
                let truth = of_time(cell, result, self.complete(&result.sizes))?;
                let choices = self.choices.iter();
                let values = choices.filter_map(|choice| choice.evaluate(&truth.sizes, gpu).ok());
                Ok(Truth {
                    nearest: nearest_to(truth.value, values),
                    ..truth
                })
            }
            (Answer::Counted(RunCounts { cell, .. }) | Answer::Timed(cell), None) => {
                Err(format!("`{cell}` has not run"))
            }
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

    /// The guess that is choice `index` at `sizes` on `gpu`.
    pub fn choose(&self, index: usize, sizes: &Sizes, gpu: &Gpu) -> Option<Guess> {
        Guess::of_formula(self.choices.get(index)?, &self.complete(sizes), gpu)
    }
}

/// The cell, if what it needs is there; what is wrong goes to `findings`.
pub(crate) fn read_prediction(
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
    let choices = choices.map(|choices| read_choices(choices, subjects, findings));
    let choices = choices.unwrap_or_default();
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

fn read_choices(
    choices: Placed<Vec<Placed<Formula>>>,
    subjects: &Subjects,
    findings: &mut Findings,
) -> Vec<Formula> {
    if choices.value.len() == 1 {
        let message = "one choice is no choice: two or more are expected, or none at all";
        findings.add(Diagnostic::error(choices.span, message));
    }
    for choice in &choices.value {
        subjects.check_sizes(choice, findings);
    }
    choices
        .value
        .into_iter()
        .map(|choice| choice.value)
        .collect()
}

/// `cell: measure + measure`, `cell: time`, or a formula.
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
    if measures.trim() == "time" {
        return Some(Answer::Timed(run?.id.clone()));
    }
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
