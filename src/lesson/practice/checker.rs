//! The runs of a check, and what each finds.

use thiserror::Error;

use super::case::Case;
use super::finding::{Cost, Feedback, Finding, LineCost, WrongOutput};
use crate::device::Gpu;
use crate::engine::{
    self, Control, ORDER_DEPENDENT, Options, RunError, StepperError, first_wrong, stored_by,
};
use crate::launch::{BufferValues, Counts, Ending, LineCounts, Outcome, Plan, Value};
use crate::lesson::cells::{Bound, Bounded, ExerciseCell, FindingKind, RunCell};
use crate::lesson::chosen_number::chosen_number;
use crate::lesson::run::PlanError;
use crate::lesson::sizes::Sizes;
use crate::simt::{
    DIVERGENT_BARRIER, ENDLESS, ILLEGAL_ADDRESS, MISALIGNED_ADDRESS, RACE, SHARED_ADDRESS,
    UNSET_VALUE,
};
use crate::source::{Diagnostic, Severity, SourceFile, Span, is_python};

/// How many times the warp instructions of the solution an answer may take, and how many at least: what needs more does the
/// work of others as well, or never ends, and is told within a second.
const MOST_TIMES: u64 = 64;
const LEAST_FUEL: u64 = 100_000;
/// The seed of another legal order of blocks and warps.
const OTHER_ORDER: u64 = 7;
/// Kinds of faults, those first from which others follow.
const CAUSES: [FindingKind; 8] = [
    FindingKind::Uncompiled,
    FindingKind::OutOfBounds,
    FindingKind::DivergentBarrier,
    FindingKind::Endless,
    FindingKind::Fault,
    FindingKind::Race,
    FindingKind::Unset,
    FindingKind::OrderDependent,
];
/// Lines of what the kernel printed that are shown.
const MOST_PRINTED: usize = 8;
/// Lines that are told to cost most.
const DEAREST: usize = 3;

/// Why an answer could not be checked, whatever it says.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The exercise has no plan at some of its sizes.
    #[error("{case}: {reason}")]
    Plan {
        /// The sizes.
        case: String,
        /// Why.
        reason: PlanError,
    },
    /// The machine got something wrong.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Somebody stopped it.
    #[error("the check was stopped")]
    Cancelled,
}

/// What an exercise's answer is checked with.
pub(super) struct Checker<'a> {
    pub exercise: &'a ExerciseCell,
    /// The answer as a run.
    pub run: RunCell,
    pub gpu: &'static Gpu,
    pub options: Options,
    pub control: &'a Control<'a>,
}

/// A case, and what the solution counts in it.
pub(super) struct Trial<'a> {
    pub case: &'a Case,
    solution: Outcome,
}

impl Trial<'_> {
    /// Warp instructions that a launch of an answer may take.
    fn fuel(&self) -> u64 {
        let launches = self.solution.launches.iter();
        // Of all launches the longest, for each of them: which one an answer makes longer is not known.
        let most = launches.map(|launch| launch.counts.warp_instructions).max();
        (most.unwrap_or(0) * MOST_TIMES).max(LEAST_FUEL)
    }
}

/// What an answer counted in a case.
struct Counted<'a> {
    trial: Trial<'a>,
    outcome: Outcome,
}

/// The plan of `run` in a case.
fn plan(run: &RunCell, case: &Case, gpu: &Gpu) -> Result<Plan, CheckError> {
    let reason = match case.of(run).plan(&case.sizes, gpu) {
        Ok(plan) => return Ok(plan),
        Err(reason) => reason,
    };
    let case = case.title.clone();
    Err(CheckError::Plan { case, reason })
}

impl Checker<'_> {
    pub fn check(&self, cases: &[Case]) -> Result<Feedback, CheckError> {
        let mut printed = Vec::new();
        let feedback = self.checked(cases, &mut printed)?;
        Ok(Feedback {
            printed,
            ..feedback
        })
    }

    /// Checks all cases; what the last one printed goes to `printed`.
    fn checked(&self, cases: &[Case], printed: &mut Vec<String>) -> Result<Feedback, CheckError> {
        let mut counted: Vec<Counted> = Vec::new();
        for case in cases {
            let trial = self.trial(case)?;
            let outcome = self.outcome(&trial, None)?;
            let lines = outcome.printed().take(MOST_PRINTED);
            *printed = lines.map(str::to_owned).collect();
            if let Some(finding) = self.fault(case, &outcome)? {
                return Ok(self.stopped(finding, case, counted.len()));
            }
            counted.push(Counted { trial, outcome });
        }
        // Not on the exercise's own sizes: other orders take one thread, and show at few blocks as well.
        // The last case has the exercise's own sizes.
        let other = counted.iter().rev().nth(1).or(counted.last());
        if let Some(Counted { trial, .. }) = other {
            let outcome = self.outcome(trial, Some(OTHER_ORDER))?;
            if let Some(finding) = self.fault(trial.case, &outcome)? {
                return Ok(self.stopped(finding, trial.case, counted.len()));
            }
        }
        self.costs(&counted)
    }

    fn stopped(&self, finding: Finding, case: &Case, right: usize) -> Feedback {
        Feedback {
            finding,
            case: Some(case.clone()),
            right,
            costs: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// A case with what the solution gives there.
    pub fn trial<'c>(&self, case: &'c Case) -> Result<Trial<'c>, CheckError> {
        let solution = self.ran(&self.exercise.solution(), case, &self.options.plain())?;
        Ok(Trial { case, solution })
    }

    /// What the answer gives in a case.
    pub fn outcome(&self, trial: &Trial, schedule: Option<u64>) -> Result<Outcome, CheckError> {
        let options = Options {
            schedule,
            fuel: trial.fuel(),
            ..self.options.clone()
        };
        self.ran(&self.run, trial.case, &options)
    }

    fn ran(&self, run: &RunCell, case: &Case, options: &Options) -> Result<Outcome, CheckError> {
        let outcome = engine::run(&plan(run, case, self.gpu)?, options, self.control)?;
        match outcome.ending {
            Ending::Cancelled => Err(CheckError::Cancelled),
            _ => Ok(outcome),
        }
    }

    /// What is wrong with a run, but for its costs.
    pub fn fault(&self, case: &Case, outcome: &Outcome) -> Result<Option<Finding>, CheckError> {
        let reports = outcome.reports.iter().map(|report| &report.diagnostic);
        let is_fault =
            |found: &&Diagnostic| found.severity == Severity::Error || found.code.is_some();
        let found: Vec<Diagnostic> = reports.filter(is_fault).cloned().collect();
        // What lies outside of an array may race and be unset as well: the cause is told, and not what follows.
        // A kernel of Triton's is compiled at its launch: if it was not launched, it did not compile.
        let is_compiling = outcome.launches.is_empty() && is_python(self.run.source.name());
        let kinds = found.iter().map(|found| kind(found, is_compiling));
        if let Some(first) = kinds.min_by_key(|kind| CAUSES.iter().position(|cause| cause == kind))
        {
            let mut found = found;
            found.retain(|found| kind(found, is_compiling) == first);
            if first == FindingKind::Endless {
                found.iter_mut().for_each(too_much);
            }
            return Ok(Some(Finding::Reported(first, found)));
        }
        Ok(self.wrong(case, outcome)?.map(Finding::Wrong))
    }

    /// The first element of the output that is not what it should be.
    fn wrong(&self, case: &Case, outcome: &Outcome) -> Result<Option<WrongOutput>, CheckError> {
        let run = case.of(&self.run);
        let Some(template) = &run.verify else {
            return Ok(None);
        };
        let expected = run.expected_output(template, &case.sizes, self.gpu);
        let Some((expected, output)) =
            expected.and_then(|of| outcome.buffers.get(of.buffer).map(|output| (of, output)))
        else {
            return Ok(None);
        };
        let Some(wrong) = first_wrong(output, &expected.elements, expected.tolerance) else {
            return Ok(None);
        };
        let plan = plan(&self.run, case, self.gpu)?;
        // Runs again up to the store, which no outcome has kept.
        let by = stored_by(
            &plan,
            expected.buffer,
            wrong.index as u64,
            &self.options,
            self.control,
        );
        let by = match by {
            Ok(by) => by,
            Err(StepperError::Run(error)) => return Err(error.into()),
            Err(StepperError::Ended(_)) => None,
        };
        let sizes = run.complete(&case.sizes);
        let shape = run.buffers[expected.buffer].extents(&sizes, self.gpu);
        let launch = by.as_ref().map_or(plan.launches.len() - 1, |by| by.launch);
        Ok(Some(WrongOutput {
            element: element(&output.name, wrong.index as u64, &shape.unwrap_or_default()),
            length: expected.elements.len(),
            kernel: name_in(&self.run.source, &plan.launches[launch].kernel),
            is_unchanged: self.is_unchanged(&plan, expected.buffer, output, wrong.index)?,
            wrong,
            by,
        }))
    }

    /// Whether an element of `output`, which is the buffer `at` after `plan`, is as it was before its first launch.
    fn is_unchanged(
        &self,
        plan: &Plan,
        at: usize,
        output: &BufferValues,
        element: usize,
    ) -> Result<bool, CheckError> {
        // A plan without launches: what comes back is what the buffers begin with.
        let nothing = Plan {
            buffers: plan.buffers.clone(),
            ..Plan::default()
        };
        let begun = engine::run(&nothing, &self.options, self.control)?;
        // By their bits: what is no number is not even equal to itself.
        let bits = |of: &BufferValues| of.get(element).map(Value::as_f64).map(f64::to_bits);
        Ok(begun.buffers.get(at).map(bits) == Some(bits(output)))
    }

    /// What the answer costs, once its results are right.
    fn costs(&self, counted: &[Counted]) -> Result<Feedback, CheckError> {
        let right = counted.len();
        let bounds = &self.exercise.bounds;
        // The exercise's own sizes are the last case, and tell most: at few elements all ways cost the same.
        for of in counted.iter().rev() {
            for bound in bounds {
                let cost = self.cost(bound, of.trial.case, &self.run, &of.outcome);
                if let Some(cost) = cost.filter(|cost| !cost.holds()) {
                    return Ok(self.stopped(Finding::Over(cost), of.trial.case, right));
                }
            }
        }
        let mut costs = Vec::new();
        if let Some(own) = counted.last().filter(|_| !bounds.is_empty()) {
            let solved = &self.exercise.solution();
            for bound in bounds {
                let of = |run, outcome| self.cost(bound, own.trial.case, run, outcome);
                let solution = of(solved, &own.trial.solution).map(|cost| cost.counted);
                costs.extend(of(&self.run, &own.outcome).map(|cost| Cost { solution, ..cost }));
            }
        }
        Ok(Feedback {
            finding: Finding::Passed,
            case: None,
            right,
            costs,
            printed: Vec::new(),
        })
    }

    /// What `run` costs in a case, where that has a value.
    fn cost(&self, bound: &Bound, case: &Case, run: &RunCell, outcome: &Outcome) -> Option<Cost> {
        let sizes: Sizes = run.complete(&case.sizes);
        let limit = bound.limit.evaluate(&sizes, self.gpu).ok()?;
        let (counted, lines, place) = match &bound.of {
            Bounded::Counted(measure) => {
                let lines = dearest(outcome, |counts| measure.of(counts));
                let place = lines.first().map(|cost| line_span(&run.source, cost.line));
                (measure.of(&outcome.counts())?, lines, place)
            }
            Bounded::Computed(_, formula) => {
                // The first number of the learner's in the formula is where something can be changed.
                let names = formula.names().into_iter();
                let mut places = names.filter_map(|name| chosen_number(&run.source, name));
                let place = places.next().map(|number| number.span);
                (formula.evaluate(&sizes, self.gpu).ok()?, Vec::new(), place)
            }
        };
        Some(Cost {
            name: bound.of.name().to_owned(),
            side: bound.side,
            formula: bound.limit.textbook(),
            limit,
            counted,
            solution: None,
            place: place.unwrap_or_default(),
            lines,
        })
    }
}

/// Says of a launch that was stopped what it was held against.
fn too_much(found: &mut Diagnostic) {
    found.message =
        format!("this takes more than {MOST_TIMES} times the instructions of the solution");
    found.help = Some(
        "does each thread do the work of all threads? Or does a loop's condition never become false?".to_owned(),
    );
}

/// What kind of thing a report tells of. A kernel of Triton's is compiled when it is launched.
fn kind(found: &Diagnostic, is_compiling: bool) -> FindingKind {
    match found.code {
        Some(ILLEGAL_ADDRESS | SHARED_ADDRESS | MISALIGNED_ADDRESS) => FindingKind::OutOfBounds,
        Some(RACE) => FindingKind::Race,
        Some(UNSET_VALUE) => FindingKind::Unset,
        Some(DIVERGENT_BARRIER) => FindingKind::DivergentBarrier,
        Some(ENDLESS) => FindingKind::Endless,
        Some(ORDER_DEPENDENT) => FindingKind::OrderDependent,
        None if is_compiling => FindingKind::Uncompiled,
        _ => FindingKind::Fault,
    }
}

/// The lines that count most, over all launches.
pub(super) fn dearest(outcome: &Outcome, of: impl Fn(&Counts) -> Option<u64>) -> Vec<LineCost> {
    let lines = outcome.launches.iter().flat_map(|launch| &launch.lines);
    let mut sums = std::collections::BTreeMap::new();
    for LineCounts { line, counts } in lines {
        *sums.entry(*line).or_insert(0) += of(counts).unwrap_or(0);
    }
    let mut all: Vec<LineCost> = sums
        .into_iter()
        .filter(|&(_, counted)| counted > 0)
        .map(|(line, counted)| LineCost { line, counted })
        .collect();
    all.sort_by_key(|cost| (std::cmp::Reverse(cost.counted), cost.line));
    all.truncate(DEAREST);
    all
}

/// An element as C writes it: of a matrix with rows and columns.
fn element(name: &str, index: u64, shape: &[u64]) -> String {
    let mut rest = index;
    let mut indices: Vec<u64> = Vec::new();
    // The first extent bounds nothing: rows are what is left.
    for &extent in shape.iter().skip(1).rev() {
        indices.push(rest % extent.max(1));
        rest /= extent.max(1);
    }
    indices.push(rest);
    let indices = indices.iter().rev().map(|index| format!("[{index}]"));
    name.to_owned() + &indices.collect::<String>()
}

/// The code of a line, without blanks around it.
fn line_span(file: &SourceFile, line: u32) -> Span {
    let mut lines = file.text().split_inclusive('\n');
    // Lines count from 1.
    let before: usize = lines.by_ref().take(line as usize - 1).map(str::len).sum();
    let text = lines.next().unwrap_or("");
    let start = before + text.len() - text.trim_start().len();
    Span::new(start, (before + text.trim_end().len()).max(start))
}

/// Where a text names a kernel for the first time.
fn name_in(file: &SourceFile, name: &str) -> Span {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = file.text();
    let at = text.match_indices(name).find(|(at, _)| {
        // `add` must not be found in `add_rows`.
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    });
    at.map_or_else(Span::default, |(at, _)| Span::new(at, at + name.len()))
}
