//! The right answer to a question: what a formula gives, what a run counts, or how long it takes; and how far a
//! guess is from it.

use super::guess::Guess;
use crate::device::{Gpu, gpu_or_usual};
use crate::launch::{Ending, Evidence};
use crate::lesson::cells::{Answer, PredictionCell, RunCounts};
use crate::lesson::formula::Formula;
use crate::lesson::outline::Lesson;
use crate::lesson::run::{CellResult, Sample};
use crate::lesson::sizes::Sizes;

/// The right answer, and how it came to be.
#[derive(Clone, Debug, PartialEq)]
pub struct RightAnswer {
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
    /// The choice that counts as right where none can be exactly.
    pub nearest: Option<u64>,
    /// Least and most that count as right, of what is no exact number: a time.
    pub spread: Option<[u64; 2]>,
}

/// How far a guess is from the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuessDistance {
    /// What was guessed.
    pub guess: u64,
    /// What is right.
    pub truth: u64,
    /// Whether the guess counts as right.
    pub is_right: bool,
    /// Whether it was one of some choices.
    pub is_choice: bool,
}

impl PredictionCell {
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
        // A time of other sizes answers another question.
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

    /// The right answer at `sizes` on `gpu`, or of `result`, which is what its run cell gave.
    ///
    /// # Errors
    /// Why there is none: one sentence without a full stop.
    pub fn truth(
        &self,
        sizes: &Sizes,
        gpu: &'static Gpu,
        result: Option<&CellResult>,
    ) -> Result<RightAnswer, String> {
        match (&self.answer, result) {
            (Answer::Formula(formula), _) => Ok(RightAnswer {
                value: formula
                    .evaluate(&self.complete(sizes), gpu)
                    .map_err(|error| error.to_string())?,
                formula: Some(formula.clone()).filter(|formula| !formula.is_number()),
                evidence: Evidence::Computed,
                sizes: self.complete(sizes),
                gpu,
                nearest: None,
                spread: None,
            }),
            (Answer::Counted(counted), Some(result)) => {
                counted.truth(result, self.complete(&result.sizes))
            }
            (Answer::Timed(cell), Some(result)) => {
                let truth = of_time(cell, result, self.complete(&result.sizes))?;
                let choices = self.choices.iter();
                let values = choices.filter_map(|choice| choice.evaluate(&truth.sizes, gpu).ok());
                Ok(RightAnswer {
                    nearest: nearest_to(truth.value, values),
                    ..truth
                })
            }
            (Answer::Counted(RunCounts { cell, .. }) | Answer::Timed(cell), None) => {
                Err(format!("`{cell}` has not run"))
            }
        }
    }

    /// The guess that is choice `index` at `sizes` on `gpu`.
    pub fn choose(&self, index: usize, sizes: &Sizes, gpu: &Gpu) -> Option<Guess> {
        Guess::of_formula(self.choices.get(index)?, &self.complete(sizes), gpu)
    }
}

impl RunCounts {
    /// The right answer, of what the cell gave at `sizes`.
    fn truth(&self, result: &CellResult, sizes: Sizes) -> Result<RightAnswer, String> {
        let outcome = &result.outcome;
        if outcome.ending != Ending::Finished || !outcome.is_counted() {
            return Err(format!("`{}` did not run to its end", self.cell));
        }
        let counts = outcome.counts();
        let values = self.measures.iter().map(|measure| {
            let value = measure.of(&counts);
            value.ok_or_else(|| format!("this run of `{}` counts no {}", self.cell, measure.name()))
        });
        // A sum is as sure as its least sure part.
        let modelled = self
            .measures
            .iter()
            .any(|measure| measure.evidence() == Evidence::Modelled);
        Ok(RightAnswer {
            value: values.sum::<Result<u64, String>>()?,
            formula: self.formula.clone().filter(|formula| !formula.is_number()),
            evidence: if modelled {
                Evidence::Modelled
            } else {
                Evidence::Counted
            },
            sizes,
            gpu: gpu_or_usual(&outcome.simulated),
            nearest: None,
            spread: None,
        })
    }
}

impl RightAnswer {
    /// Whether `value` counts as right: what is nearest, where no choice can be exact; of a time, what lies where runs
    /// do.
    pub fn accepts(&self, value: u64) -> bool {
        match (self.nearest, self.spread) {
            (Some(nearest), _) => value == nearest,
            (None, Some([least, most])) => (least..=most).contains(&value),
            (None, None) => value == self.value,
        }
    }
}

/// The time of what `cell` gave at `sizes`, of a real GPU or as recorded.
fn of_time(cell: &str, result: &CellResult, sizes: Sizes) -> Result<RightAnswer, String> {
    let outcome = &result.outcome;
    // What was recorded of another kernel says nothing of this one.
    let is_stale = result.recorded.as_ref().is_some_and(|of| of.is_stale);
    let timing = outcome.timing.as_ref().filter(|_| !is_stale);
    let timing = timing.ok_or_else(|| no_time(cell))?;
    // Nanoseconds: the shortest launches take some thousand, so that whole numbers are fine enough.
    let ns = |ms: f64| (ms * 1e6).round() as u64;
    let [low, high] = [1.0 - TWO_DIGITS, 1.0 + TWO_DIGITS].map(|factor| timing.median_ms * factor);
    Ok(RightAnswer {
        value: ns(timing.median_ms),
        // Runs differ: whoever names two right digits, or hits what most runs took, is right.
        spread: Some([ns(timing.p20_ms.min(low)), ns(timing.p80_ms.max(high))]),
        formula: None,
        evidence: timing.evidence,
        sizes,
        gpu: gpu_or_usual(&outcome.simulated),
        nearest: None,
    })
}

/// How far a number of two digits may be from what it was rounded from: nobody guesses a time with more.
const TWO_DIGITS: f64 = 0.05;

/// Why a time cannot be asked for.
fn no_time(cell: &str) -> String {
    format!(
        "the time of `{cell}` comes from a real GPU: there is none here, and none is recorded at these sizes"
    )
}

/// The value that is nearest to `truth` by its factor.
fn nearest_to(truth: u64, values: impl Iterator<Item = u64>) -> Option<u64> {
    // By factor: of 100 and 10,000, 2,000 is nearer to 10,000, and 500 to 100.
    let distance = |value: &u64| (*value.max(&1) as f64 / truth.max(1) as f64).ln().abs();
    values.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

impl GuessDistance {
    /// Between `guess` and `truth`, at the sizes of the truth.
    pub fn new(guess: &Guess, truth: &RightAnswer) -> Self {
        let guess = guess.value(&truth.sizes, truth.gpu);
        GuessDistance {
            guess,
            truth: truth.value,
            is_right: truth.accepts(guess),
            is_choice: truth.nearest.is_some(),
        }
    }

    /// The larger by the smaller; nothing where one of them is zero.
    pub fn factor(&self) -> Option<f64> {
        let (low, high) = (self.guess.min(self.truth), self.guess.max(self.truth));
        (low > 0).then(|| high as f64 / low as f64)
    }

    /// In words: `exactly right`, or how far below or above.
    pub fn verdict(&self) -> &'static str {
        if self.is_right && self.guess != self.truth {
            return match self.is_choice {
                true => "right: the nearest of the choices",
                false => "right: within what runs differ by",
            };
        }
        match self.guess.cmp(&self.truth) {
            std::cmp::Ordering::Equal => "exactly right",
            std::cmp::Ordering::Less => "too low",
            std::cmp::Ordering::Greater => "too high",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_times_the_nearest_choice_by_its_factor_is_right() {
        let nearest = nearest_to(2_300, [100, 1_000, 5_000, 10_000].into_iter());
        assert_eq!(nearest, Some(5_000));
        let truth = RightAnswer {
            value: 2_300,
            formula: None,
            evidence: Evidence::Recorded,
            sizes: Sizes::new(),
            gpu: gpu_or_usual("h200"),
            nearest,
            spread: None,
        };
        let gap = |guess| {
            let formula = Formula::constant(guess);
            let guess = Guess::of_formula(&formula, &truth.sizes, truth.gpu);
            GuessDistance::new(&guess.expect("has a value"), &truth)
        };
        assert_eq!(gap(5_000).verdict(), "right: the nearest of the choices");
        assert_eq!(gap(1_000).verdict(), "too low");
        assert_eq!(nearest_to(0, [0, 7].into_iter()), Some(0));
    }

    #[test]
    fn a_time_is_right_within_what_runs_differ_by() {
        let truth = RightAnswer {
            value: 4_384,
            formula: None,
            evidence: Evidence::Recorded,
            sizes: Sizes::new(),
            gpu: gpu_or_usual("h200"),
            nearest: None,
            spread: Some([4_165, 4_603]),
        };
        let verdict = |guess| {
            let formula = Formula::constant(guess);
            let guess = Guess::of_formula(&formula, &truth.sizes, truth.gpu);
            GuessDistance::new(&guess.expect("has a value"), &truth).verdict()
        };
        assert_eq!(verdict(4_400), "right: within what runs differ by");
        assert_eq!(verdict(4_384), "exactly right");
        assert_eq!(verdict(5_000), "too high");
    }
}
