//! `tutor practice` and `tutor progress`, as somebody uses them who has no terminal.

use std::fs;
use std::path::PathBuf;

use crate::program::{Run, run};
use serde_json::json;
use tempfile::TempDir;

const RIGHT: &str = "\
__global__ void relu(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}
";

/// A learner with a folder of their own.
struct Learner {
    home: TempDir,
}

impl Learner {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder for the test");
        Learner { home }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("work").join(name)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let (state, work) = (
            self.home.path().join("state"),
            self.home.path().join("work"),
        );
        let work = work.display().to_string();
        let folder: &[&str] = match arguments.first() {
            Some(&"practice") => &["--folder", &work],
            _ => &[],
        };
        let line: Vec<&str> = arguments.iter().chain(folder).copied().collect();
        run(&line, &[("TUTOR_STATE", &state)])
    }
}

#[test]
fn an_exercise_is_begun_missed_and_solved_in_a_folder() {
    let learner = Learner::new();
    let begun = learner.run(&["practice", "guard"]);
    assert_eq!(begun.code, 1, "{}", begun.stderr);
    for part in ["out of bounds", "guard.cu:7", "--hint"] {
        assert!(begun.stdout.contains(part), "{part}: {}", begun.stdout);
    }
    let start = fs::read_to_string(learner.file("guard.cu")).expect("is written");
    assert!(
        start.contains("i <= count") && !start.contains("//>"),
        "{start}"
    );
    fs::write(learner.file("guard.cu"), start.replace("<=", "!=")).expect("is written");
    assert_eq!(learner.run(&["practice", "guard"]).code, 1);
    fs::write(learner.file("guard.cu"), RIGHT).expect("is written");
    let solved = learner.run(&["practice", "guard"]);
    assert_eq!(solved.code, 0, "{}", solved.stdout);
    assert!(
        solved.stdout.contains("solved: right in"),
        "{}",
        solved.stdout
    );
    let listed = learner.run(&["practice", "--list", "--json"]).json();
    let all = listed["exercises"].as_array().expect("is a list");
    let guard = all.iter().find(|of| of["id"] == "guard").expect("is there");
    assert_eq!(
        (&guard["solved"], &guard["attempts"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(guard["missed"], json!({ "out of bounds": 1 }));
    assert_ne!(listed["next"], "guard");
    let progress = learner.run(&["progress", "--json"]).json();
    let concepts = progress["concepts"].as_array().expect("is a list");
    let bounds = concepts.iter().find(|of| of["concept"] == "bounds");
    assert_eq!(bounds.expect("is there")["solved"], json!(1));
    assert!(
        learner
            .run(&["progress"])
            .stdout
            .contains("out of bounds, 1 \u{d7}")
    );
}

#[test]
fn help_is_given_step_by_step_and_the_solution_when_asked_for_twice() {
    let learner = Learner::new();
    let hint = |number: &str| {
        let shown = learner.run(&["practice", "guard", "--hint"]);
        assert_eq!(shown.code, 0);
        assert!(shown.stdout.contains(number), "{}", shown.stdout);
        shown.stdout
    };
    assert!(!hint("Hint 1 of 3").contains("Hint 2"));
    hint("Hint 2 of 3");
    let asked = learner.run(&["practice", "guard", "--solution"]);
    assert_eq!((asked.code, asked.stdout.contains("fmaxf")), (1, false));
    let shown = learner.run(&["practice", "guard", "--solution"]);
    assert_eq!(
        (shown.code, shown.stdout.contains("if (i < count)")),
        (0, true)
    );
}

#[test]
fn what_was_written_is_kept_when_one_begins_anew() {
    let learner = Learner::new();
    learner.run(&["practice", "guard"]);
    fs::write(learner.file("guard.cu"), RIGHT).expect("is written");
    let reset = learner.run(&["practice", "guard", "--reset"]);
    assert_eq!(reset.code, 0, "{}", reset.stderr);
    let kept = fs::read_to_string(learner.file("guard.before.cu"));
    assert_eq!(kept.expect("is kept"), RIGHT);
    let text = fs::read_to_string(learner.file("guard.cu")).expect("is there");
    assert!(text.contains("i <= count"));
}

#[test]
fn feedback_is_data_as_well() {
    let learner = Learner::new();
    let shown = learner.run(&["practice", "which-element", "--json"]);
    assert_eq!(shown.code, 1);
    let shown = shown.json();
    let feedback = &shown["feedback"];
    assert_eq!(feedback["finding"], "element not written");
    assert_eq!(feedback["wrong"]["stored_by"], json!(null));
    assert_eq!(shown["solution"], json!(null));
    let beat = learner.run(&["practice", "side-by-side", "--json"]).json();
    let cost = &beat["feedback"]["costs"][0];
    assert_eq!(
        (&cost["of"], &cost["ok"]),
        (&json!("sectors read"), &json!(false))
    );
    assert_eq!(
        (&cost["limit"], &cost["counted"]),
        (&json!(2500), &json!(20000))
    );
    assert_eq!(cost["lines"][0]["line"], json!(12));
}

#[test]
fn an_exercise_that_there_is_not_names_one_that_is_near() {
    let learner = Learner::new();
    let unknown = learner.run(&["practice", "gard"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("perhaps `guard`"),
        "{}",
        unknown.stderr
    );
}
