//! `tutor check`: what is right passes, and each thing that is wrong is named with its cell and sizes.

use serde_json::{Value, json};

use crate::files::fixture_path;
use crate::program::{Run, tutor};

fn check(folder: &str, options: &[&str]) -> Run {
    let path = fixture_path(folder);
    let mut arguments = vec!["check", &path];
    arguments.extend(options);
    tutor(&arguments)
}

#[test]
fn a_lesson_that_holds_passes() {
    let run = check("check/right", &[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    insta::assert_snapshot!(run.stdout);
    let whole = check("check/right/lessons/reversed.md", &["--json"]);
    let shown = whole.json();
    assert_eq!((whole.code, &shown["ok"]), (0, &json!(true)));
    let lesson = &shown["lessons"][0];
    assert_eq!(lesson["kernels"], json!(["reversed.cu: reversed"]));
    assert_eq!(lesson["trials"], lesson["runs"]);
    assert_eq!(lesson["formulas"], lesson["runs"]);
}

#[test]
fn what_is_wrong_is_named_with_its_cell_and_its_sizes() {
    let run = check("check/wrong", &["--json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let shown = run.json();
    let problems = |index: usize| -> Vec<&str> {
        let all = shown["lessons"][index]["problems"].as_array();
        let all = all.expect("is a list").iter();
        all.map(|problem| problem.as_str().expect("is text"))
            .collect()
    };
    insta::assert_snapshot!(problems(0).join("\n"));
    assert_eq!(problems(1), ["it cannot be read"]);
    assert_eq!(
        shown["orphans"],
        json!(["kernels/orphan.cu: no lesson shows or runs it"])
    );
    assert_eq!(shown["ok"], Value::Bool(false));
    // The race is shown at its line.
    assert!(run.stderr.contains("copied.cu:10"), "{}", run.stderr);
}

#[test]
fn a_folder_without_lessons_says_what_is_expected() {
    let run = check("checks", &[]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("files that end in .md are expected"),
        "{}",
        run.stderr
    );
    let run = check("nowhere.md", &[]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}
