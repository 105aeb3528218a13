//! What outlasts the program: where the learner stands in each lesson, what they saw and ran, and
//! values that parts of the notebook keep by key.
//!
//! It changes only through [`StateChange`]s. Several notebooks may be open at once: each sends its own
//! changes to the file and never all it knows, so none takes back what another wrote. What a later
//! version added is carried along untouched.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::saved_exercise::{ExerciseChange, SavedExercise};
use crate::document::Scheme;

/// All that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedState {
    /// Lessons by id.
    pub lessons: BTreeMap<String, SavedLesson>,
    /// Exercises by id.
    pub exercises: BTreeMap<String, SavedExercise>,
    /// Values by key. A key is a path with `/` that begins with its owner: `theme`,
    /// `edit/softmax/naive`, `answer/softmax/traffic`.
    values: BTreeMap<String, String>,
    /// What a later version added.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// What is kept of a lesson. Cells go by name, which outlives a change of the lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedLesson {
    /// The cell the learner was in last.
    pub place: Option<String>,
    /// The lesson with the largest number was visited last.
    visit: u64,
    /// Cells that were on screen.
    pub seen: BTreeSet<String>,
    /// Cells that ran and verified, and the digest each had then.
    pub ran: BTreeMap<String, String>,
    /// What a later version added.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A change of what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateChange {
    /// The learner went to a cell, which counts as seen.
    Place {
        /// The lesson's id.
        lesson: String,
        /// The cell's name.
        cell: String,
    },
    /// A cell ran, and all of it was right.
    Ran {
        /// The lesson's id.
        lesson: String,
        /// The cell's name.
        cell: String,
        /// The cell's digest.
        digest: String,
    },
    /// Something was done about an exercise.
    Exercise {
        /// Its id.
        id: String,
        /// What.
        change: ExerciseChange,
    },
    /// A value, or its removal.
    Value {
        /// Its key.
        key: String,
        /// What it is from now on.
        value: Option<String>,
    },
}

impl SavedState {
    /// Takes a change.
    pub fn take(&mut self, change: StateChange) {
        match change {
            StateChange::Place { lesson, cell } => {
                // A counter, not a clock: this part of the program knows no time, and clocks are set back.
                let visits = self.lessons.values().map(|lesson| lesson.visit);
                let visit = visits.max().unwrap_or(0) + 1;
                let lesson = self.lessons.entry(lesson).or_default();
                lesson.visit = visit;
                lesson.seen.insert(cell.clone());
                lesson.place = Some(cell);
            }
            StateChange::Ran {
                lesson,
                cell,
                digest,
            } => {
                let lesson = self.lessons.entry(lesson).or_default();
                lesson.ran.insert(cell, digest);
            }
            StateChange::Exercise { id, change } => {
                self.exercises.entry(id).or_default().take(change);
            }
            StateChange::Value { key, value } => match value {
                Some(value) => {
                    self.values.insert(key, value);
                }
                None => {
                    self.values.remove(&key);
                }
            },
        }
    }

    /// The value of `key`.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// What is kept of the exercise `id`; nothing is known of one that nobody has tried.
    pub fn exercise(&self, id: &str) -> SavedExercise {
        self.exercises.get(id).cloned().unwrap_or_default()
    }

    /// The lesson that was visited last, by id.
    pub fn latest(&self) -> Option<&str> {
        // A lesson may be known by its runs alone, from a command, and was never opened.
        let visited = self.lessons.iter().filter(|(_, lesson)| lesson.visit > 0);
        let latest = visited.max_by_key(|(_, lesson)| lesson.visit);
        latest.map(|(id, _)| id.as_str())
    }
}

/// The key under which the choice is kept.
pub(crate) const SCHEME_KEY: &str = "theme";

impl Scheme {
    /// The one that was chosen last; the first if a later version has others.
    pub fn of_last_time(saved: &SavedState) -> Self {
        // A theme that a newer program has, and this one has not, is the usual one.
        let name = saved.value(SCHEME_KEY);
        name.and_then(Self::from_name).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(lesson: &str, cell: &str) -> StateChange {
        StateChange::Place {
            lesson: lesson.to_owned(),
            cell: cell.to_owned(),
        }
    }

    fn value(key: &str, value: Option<&str>) -> StateChange {
        StateChange::Value {
            key: key.to_owned(),
            value: value.map(str::to_owned),
        }
    }

    #[test]
    fn the_latest_lesson_is_the_one_visited_last() {
        let mut saved = SavedState::default();
        assert_eq!(saved.latest(), None);
        for change in [place("a", "one"), place("b", "one"), place("a", "two")] {
            saved.take(change);
        }
        assert_eq!(saved.latest(), Some("a"));
        let lesson = &saved.lessons["a"];
        assert_eq!(lesson.place.as_deref(), Some("two"));
        assert_eq!(lesson.seen.len(), 2);
    }

    #[test]
    fn values_are_found_by_key() {
        let mut saved = SavedState::default();
        saved.take(value("edits", Some("no")));
        saved.take(value("theme", Some("dark")));
        assert_eq!(saved.value("theme"), Some("dark"));
        saved.take(value("theme", None));
        assert_eq!(saved.value("theme"), None);
    }

    #[test]
    fn what_a_later_version_added_is_written_back() {
        let text = r#"{"lessons":{"a":{"stars":3}},"badges":["first"]}"#;
        let mut saved: SavedState = serde_json::from_str(text).expect("reads");
        saved.take(place("a", "one"));
        let written = serde_json::to_value(&saved).expect("writes");
        assert_eq!(written["lessons"]["a"]["stars"], 3);
        assert_eq!(written["badges"][0], "first");
    }
}
