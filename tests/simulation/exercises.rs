//! Exercises: wrong and wasteful answers get the feedback that is meant for them.
//!
//! An answer is a file of `fixtures/exercises/ID`, as a learner would save it. Its first lines say what it gets: `//@
//! feedback: KIND`, and any number of `//@ says: TEXT`, each a part of what the learner reads. In Python `#@` stands for
//! `//@`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use tutor::document::{feedback, plain};
use tutor::engine::{Control, Options};
use tutor::lesson::{ExerciseCell, Lesson, check_answer, load_all};
use tutor::source::{SourceFile, is_python};

use crate::files::fixture_path;

static LESSONS: LazyLock<Vec<Lesson>> = LazyLock::new(|| {
    let lessons = load_all().into_iter();
    lessons
        .map(|(id, lesson)| lesson.unwrap_or_else(|error| panic!("{id}: {error}")))
        .collect()
});

/// Every exercise with its lesson.
fn exercises() -> impl Iterator<Item = (&'static Lesson, &'static ExerciseCell)> {
    let of = |lesson: &'static Lesson| lesson.exercises().map(move |exercise| (lesson, exercise));
    LESSONS.iter().flat_map(of)
}

/// The answers that are kept of an exercise.
fn answers(id: &str) -> Vec<PathBuf> {
    let folder = fixture_path(&format!("exercises/{id}"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("is listed").path())
        .collect();
    paths.sort();
    paths
}

/// What is wrong with the feedback that the answer in `path` gets.
fn fault(lesson: &Lesson, exercise: &ExerciseCell, path: &PathBuf) -> Option<String> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).expect("is readable");
    let mark = if is_python(path) { "#@ " } else { "//@ " };
    let notes = text.lines().filter_map(|line| line.strip_prefix(mark));
    let notes: Vec<(&str, &str)> = notes.filter_map(|note| note.split_once(": ")).collect();
    let all = |name: &str| -> Vec<&str> {
        let found = notes.iter().filter(|note| note.0 == name);
        found.map(|note| note.1).collect()
    };
    let expected = all("feedback");
    // Without the notes, as the learner's file has none: lines are counted as there.
    let answer: String = text
        .lines()
        .filter(|line| !line.starts_with(mark))
        .map(|line| format!("{line}\n"))
        .collect();
    let answer = SourceFile::new(&exercise.file_name(), &answer);
    let options = Options::default();
    let found = check_answer(lesson, exercise, &answer, &options, &Control::default());
    let found = found.expect("can be checked");
    let said = plain(&feedback(&found, &answer));
    let missing = all("says").into_iter().find(|part| !said.contains(part));
    match (&expected[..], missing) {
        ([kind], None) if *kind == found.kind().name() => None,
        ([_], Some(part)) => Some(format!("{name}: `{part}` is not said:\n{said}")),
        ([kind], None) => Some(format!("{name}: expected `{kind}`, found:\n{said}")),
        _ => Some(format!("{name}: one `{mark}feedback:` is expected")),
    }
}

#[test]
fn every_kept_answer_gets_the_feedback_that_is_meant_for_it() {
    let mut faults = Vec::new();
    for (lesson, exercise) in exercises() {
        let answers = answers(exercise.id());
        if answers.is_empty() {
            faults.push(format!("{}: no wrong answer is kept", exercise.id()));
        }
        let found = answers.iter();
        faults.extend(found.filter_map(|path| fault(lesson, exercise, path)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_exercise_with_a_bound_keeps_an_answer_that_costs_too_much() {
    let is_dear = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("is readable");
        text.contains("feedback: over a bound")
    };
    let with_bounds = exercises().filter(|(_, exercise)| !exercise.bounds.is_empty());
    let without_any = with_bounds.filter(|(_, of)| !answers(of.id()).iter().any(is_dear));
    let missing: Vec<&str> = without_any.map(|(_, exercise)| exercise.id()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn exercises_have_names_of_their_own_and_every_kept_answer_has_its_exercise() {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (lesson, exercise) in exercises() {
        let other = known.insert(exercise.id(), &lesson.id);
        assert_eq!(other, None, "`{}` is in two lessons", exercise.id());
    }
    let folders = std::fs::read_dir(fixture_path("exercises")).expect("is there");
    for folder in folders {
        let name = folder.expect("is listed").file_name();
        let name = name.to_string_lossy();
        assert!(known.contains_key(&*name), "there is no exercise `{name}`");
    }
}
