//! How a learner stands with exercises: by concept, and what is best repeated. Pure functions of what is kept and of the
//! time, which whoever knows a clock brings along.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::app::state::SavedState;
use crate::lesson::{Concept, ExerciseCell};

/// How a learner stands with the exercises of a concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConceptProgress {
    /// The concept.
    pub concept: Concept,
    /// Exercises that there are.
    pub exercises: usize,
    /// Those that were solved at any time.
    pub solved: usize,
    /// Those that are best solved again now.
    pub due: usize,
    /// Texts that were checked.
    pub attempts: u32,
    /// What checks found wrong, by its name, and how often.
    pub missed: BTreeMap<String, u32>,
}

impl ConceptProgress {
    /// What was missed most; nothing where nothing was.
    pub fn most_missed(&self) -> Option<(&str, u32)> {
        let most = self
            .missed
            .iter()
            .max_by_key(|(name, times)| (**times, Reverse(*name)));
        most.map(|(name, &times)| (name.as_str(), times))
    }

    fn times_missed(&self) -> u32 {
        self.missed.values().sum()
    }
}

impl SavedState {
    /// How the learner stands at `now` with each concept that `exercises` are about.
    pub fn by_concept(&self, exercises: &[&ExerciseCell], now: u64) -> Vec<ConceptProgress> {
        let concepts = Concept::ALL.iter().map(|&concept| {
            let about = exercises.iter().filter(|of| of.concept == concept);
            let kept: Vec<_> = about.map(|of| self.exercise(of.id())).collect();
            let mut missed = BTreeMap::new();
            for (name, times) in kept.iter().flat_map(|kept| &kept.missed) {
                *missed.entry(name.clone()).or_default() += times;
            }
            ConceptProgress {
                concept,
                exercises: kept.len(),
                solved: kept.iter().filter(|kept| kept.is_solved()).count(),
                due: kept.iter().filter(|kept| kept.is_due(now)).count(),
                attempts: kept.iter().map(|kept| kept.attempts).sum(),
                missed,
            }
        });
        concepts.filter(|of| of.exercises > 0).collect()
    }

    /// Those of `exercises` that are best solved again at `now`: of the concepts that were missed most first, and of one
    /// concept those that were due first.
    pub fn to_repeat<'a>(&self, exercises: &[&'a ExerciseCell], now: u64) -> Vec<&'a ExerciseCell> {
        let concepts = self.by_concept(exercises, now);
        let missed = |of: &ExerciseCell| {
            let mut found = concepts.iter().filter(|known| known.concept == of.concept);
            found.next().map_or(0, ConceptProgress::times_missed)
        };
        let due = exercises.iter().copied();
        let mut due: Vec<&ExerciseCell> = due
            .filter(|of| self.exercise(of.id()).is_due(now))
            .collect();
        due.sort_by_key(|of| (Reverse(missed(of)), self.exercise(of.id()).due_at()));
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{ExerciseChange, StateChange};
    use crate::lesson::load;

    const DAY: u64 = 24 * 60 * 60;

    fn checked(id: &str, text: &str, missed: Option<&str>) -> StateChange {
        StateChange::Exercise {
            id: id.to_owned(),
            change: ExerciseChange::Checked {
                text: text.to_owned(),
                missed: missed.map(str::to_owned),
                at: 0,
            },
        }
    }

    #[test]
    fn what_is_repeated_first_is_of_the_concept_that_was_missed_most() {
        let lesson = load("vector-add").expect("comes with the program");
        let exercises: Vec<&ExerciseCell> = lesson.exercises().collect();
        let mut saved = SavedState::default();
        for id in ["which-element", "guard"] {
            saved.take(checked(id, "right", None));
        }
        assert!(saved.to_repeat(&exercises, 6 * DAY).is_empty());
        let names = |saved: &SavedState| -> Vec<String> {
            let due = saved.to_repeat(&exercises, 8 * DAY);
            due.iter().map(|of| of.id().to_owned()).collect()
        };
        assert_eq!(names(&saved), ["which-element", "guard"]);
        saved.take(checked("guard", "wrong", Some("out of bounds")));
        assert_eq!(names(&saved), ["guard", "which-element"]);
        let concepts = saved.by_concept(&exercises, 8 * DAY);
        let bounds = concepts.iter().find(|of| of.concept == Concept::Bounds);
        let bounds = bounds.expect("is there");
        assert_eq!((bounds.solved, bounds.due, bounds.attempts), (1, 1, 2));
        assert_eq!(bounds.most_missed(), Some(("out of bounds", 1)));
    }
}
