//! What outlasts the program of an exercise: how often it was tried, what was missed, what help was used, and the text.
//!
//! Times are seconds since 1970 that whoever knows a clock brings along: this part of the program has none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lesson::{ExerciseCell, Feedback};

/// What is kept of an exercise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedExercise {
    /// Texts that were checked.
    pub attempts: u32,
    /// What checks found wrong, by its name, and how often.
    pub missed: BTreeMap<String, u32>,
    /// Hints that were shown since it was last solved.
    pub hints: u32,
    /// How often the solution was asked for since it was last solved: it is shown from the second time on.
    pub asked_for_solution: u32,
    /// Times at which it was solved, in order.
    pub solved: Vec<Solved>,
    /// The text that was checked last.
    pub text: Option<String>,
    /// What a later version added.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// One solution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Solved {
    /// When, in seconds since 1970.
    pub at: u64,
    /// Texts that were wrong before it, since the last solution.
    pub misses: u32,
    /// Hints that were shown before it.
    pub hints: u32,
    /// Whether the solution was shown before it.
    pub saw_solution: bool,
    /// What a later version added.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A change of what is kept of an exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExerciseChange {
    /// A text was checked.
    Checked {
        /// The text.
        text: String,
        /// What was found wrong; nothing of a text that solves it.
        missed: Option<String>,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// So many hints were shown.
    Hints(u32),
    /// The solution was asked for.
    AskedForSolution,
}

impl ExerciseChange {
    /// That `text` was checked `at` so many seconds since 1970; nothing for the text that an exercise begins with, which
    /// is no attempt.
    pub fn of_check(
        exercise: &ExerciseCell,
        text: String,
        found: &Feedback,
        at: u64,
    ) -> Option<Self> {
        let missed = (!found.is_passed()).then(|| found.kind().name().to_owned());
        let is_begun = text != exercise.start.source.text();
        is_begun.then_some(ExerciseChange::Checked { text, missed, at })
    }
}

const DAY: u64 = 24 * 60 * 60;
const WEEK: u64 = 7 * DAY;
/// Wrong texts from which on a solution was hard to find.
const HARD_MISSES: u32 = 3;

impl Solved {
    /// Whether it took help, or many attempts.
    pub fn was_hard(&self) -> bool {
        self.saw_solution || self.hints > 0 || self.misses >= HARD_MISSES
    }
}

/// How often the solution has to be asked for.
const ASKED_TWICE: u32 = 2;

impl SavedExercise {
    /// Takes a change.
    pub(crate) fn take(&mut self, change: ExerciseChange) {
        match change {
            ExerciseChange::Hints(shown) => self.hints = self.hints.max(shown),
            ExerciseChange::AskedForSolution => self.asked_for_solution += 1,
            ExerciseChange::Checked { text, missed, at } => {
                let is_new = self.text.as_ref() != Some(&text);
                self.text = Some(text);
                // A file that is saved twice is one attempt.
                if !is_new {
                    return;
                }
                self.attempts += 1;
                match missed {
                    Some(missed) => *self.missed.entry(missed).or_default() += 1,
                    None => self.solve(at),
                }
            }
        }
    }

    fn solve(&mut self, at: u64) {
        let all: u32 = self.missed.values().sum();
        let before: u32 = self.solved.iter().map(|solved| solved.misses).sum();
        self.solved.push(Solved {
            at,
            misses: all - before.min(all),
            hints: self.hints,
            // Who has solved it before is shown the solution at once.
            saw_solution: match self.is_solved() {
                true => self.asked_for_solution > 0,
                false => self.may_see_solution(),
            },
            rest: Map::new(),
        });
        // Help is asked for anew when it comes back after a day or a week.
        self.hints = 0;
        self.asked_for_solution = 0;
    }

    /// Whether it was solved at any time.
    pub fn is_solved(&self) -> bool {
        !self.solved.is_empty()
    }

    /// Whether it was tried since it was last solved, or for the first time.
    pub fn is_begun(&self) -> bool {
        let all: u32 = self.missed.values().sum();
        let before: u32 = self.solved.iter().map(|solved| solved.misses).sum();
        all > before
    }

    /// When it is best solved again, in seconds since 1970: after a day if it was hard, after a week if it was not, and
    /// no more once it was easy twice; nothing of what was never solved.
    pub fn due_at(&self) -> Option<u64> {
        let [before @ .., last] = &self.solved[..] else {
            return None;
        };
        let was_easy = before.last().is_some_and(|before| !before.was_hard());
        match (last.was_hard(), was_easy) {
            (true, _) => Some(last.at + DAY),
            (false, false) => Some(last.at + WEEK),
            (false, true) => None,
        }
    }

    /// Whether it is best solved again at `now`.
    pub fn is_due(&self, now: u64) -> bool {
        self.due_at().is_some_and(|due| due <= now)
    }

    /// Whether the solution may be shown: it was solved, or asked for twice.
    pub fn may_see_solution(&self) -> bool {
        self.is_solved() || self.asked_for_solution >= ASKED_TWICE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, missed: Option<&str>, at: u64) -> ExerciseChange {
        ExerciseChange::Checked {
            text: text.to_owned(),
            missed: missed.map(str::to_owned),
            at,
        }
    }

    fn after(changes: impl IntoIterator<Item = ExerciseChange>) -> SavedExercise {
        let mut saved = SavedExercise::default();
        changes.into_iter().for_each(|change| saved.take(change));
        saved
    }

    #[test]
    fn what_is_saved_twice_is_one_attempt() {
        let twice = [checked("a", Some("race"), 1), checked("a", Some("race"), 2)];
        let saved = after(twice);
        assert_eq!((saved.attempts, saved.missed["race"]), (1, 1));
        assert!(saved.is_begun() && !saved.is_solved());
    }

    #[test]
    fn the_solution_is_shown_after_success_or_when_asked_for_twice() {
        let asked = || ExerciseChange::AskedForSolution;
        assert!(!after([asked()]).may_see_solution());
        assert!(after([asked(), asked()]).may_see_solution());
        assert!(after([checked("a", None, 1)]).may_see_solution());
    }

    #[test]
    fn what_was_hard_comes_back_after_a_day_and_what_was_easy_after_a_week() {
        let easy = after([checked("a", None, 10)]);
        assert_eq!(easy.due_at(), Some(10 + WEEK));
        assert!(!easy.is_due(10 + DAY) && easy.is_due(10 + WEEK));
        let hinted = [ExerciseChange::Hints(1), checked("a", None, 10)];
        assert_eq!(after(hinted.clone()).due_at(), Some(10 + DAY));
        // Easy now, hard before: once more after a week.
        let again = checked("b", None, 20);
        let mut saved = after(hinted.into_iter().chain([again]));
        assert_eq!(saved.due_at(), Some(20 + WEEK));
        saved.take(checked("c", None, 30));
        assert_eq!(saved.due_at(), None);
        let misses = ["1", "2", "3"].map(|text| checked(text, Some("wrong result"), 5));
        let saved = after(misses.into_iter().chain([checked("a", None, 10)]));
        assert_eq!(saved.due_at(), Some(10 + DAY));
        assert_eq!(after([]).due_at(), None);
    }
}
