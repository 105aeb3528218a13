//! Exercises: what their blocks and the marks in their solutions say.

use super::*;
use crate::lesson::{BoundSide, ExerciseKind, FindingKind};

const BLOCK: &str = r#"```exercise move
title = "Move"
concept = "coalescing"
kind = "launch"
question = "Move {{=N}} elements."
source = "copy.cu"
fails = "over a bound"
hints = ["One.", "Look at {{hole}}.", "It reads {{move: sectors read}}."]
reasons = "So."
at = { N = 4 }

[numbers.T]
label = "threads"
min = 1
max = 64

[[buffers]]
name = "x"
type = "f32"
shape = ["N"]
init = "ramp"

[[launches]]
kernel = "copy"
grid = [1]
block = ["T"]
arguments = ["x", "N"]

[formulas]
"sectors read" = "ceil_div(N, 8)"

[bounds]
"sectors read" = "at most ceil_div(N, 8)"
"threads" = "2*T at least N"

[verify]
buffer = "x"
against = "copy"
inputs = ["x"]
sizes = ["N"]
tolerance = 0

[[cases]]
title = "ones"
sizes = { N = 3 }
init = { x = "one" }
```
"#;

const SOLUTION: &str = "//> hole\nconstexpr int T = 32;\n//> start\n//| constexpr int T = 2;\n//> end\n\
                        __global__ void copy(float* x, int n) {\n}\n";

fn read(block: &str, solution: &str) -> (Option<Lesson>, Vec<Diagnostic>) {
    let kernels = KernelFiles {
        folder: "kernels/",
        names: vec!["copy.cu".to_owned()],
        read: &|name| Ok((name == "copy.cu").then(|| solution.to_owned())),
        data: &|_| Err("there is no folder".to_owned()),
    };
    let (front, _) = LESSON.split_once("Before").expect("ends there");
    let text = format!("{front}# Practice\n\n{block}");
    let file = SourceFile::new("copy.md", &text);
    Lesson::parse(&file, &kernels, &OtherLessons::none())
}

#[test]
fn an_exercise_has_a_starting_point_bounds_and_cases() {
    let (lesson, diagnostics) = read(BLOCK, SOLUTION);
    assert_eq!(diagnostics, []);
    let lesson = lesson.expect("reads");
    let cell = lesson.exercises().next().expect("is there");
    assert_eq!(
        (cell.kind, cell.fails),
        (ExerciseKind::Launch, FindingKind::OverBound)
    );
    // What the learner runs has the numbers of what they begin with, and no formula that only the solution equals.
    assert!(cell.run.source.text().starts_with("constexpr int T = 2;"));
    assert_eq!((cell.run.choices["T"], cell.run.formulas.len()), (2, 0));
    let solution = cell.solution();
    assert_eq!((solution.choices["T"], solution.formulas.len()), (32, 1));
    let hints: Vec<_> = cell.help.hints.iter().map(|hint| hint.written()).collect();
    assert_eq!(
        hints[1..],
        ["Look at line 1.", "It reads \u{2308}N / 8\u{2309}."]
    );
    let sides: Vec<_> = cell
        .bounds
        .iter()
        .map(|bound| (bound.of.name(), bound.side))
        .collect();
    assert_eq!(
        sides,
        [
            ("sectors read", BoundSide::AtMost),
            ("threads", BoundSide::AtLeast)
        ]
    );
    let titles: Vec<String> = cell
        .cases(&lesson)
        .into_iter()
        .map(|case| case.title)
        .collect();
    assert_eq!(titles[0], "N = 1");
    assert_eq!(
        titles[titles.len() - 3..],
        ["N = 64: all inputs equal", "N = 3: ones", "N = 4"]
    );
}

/// What is replaced by what, and what the message says.
const MISTAKES: [(&str, &str, &str); 11] = [
    ("\"coalescing\"", "\"coalesce\"", "perhaps `coalescing`"),
    ("\"launch\"", "\"lunch\"", "perhaps `launch`"),
    (
        "\"over a bound\"",
        "\"too slow\"",
        "`too slow` is not a fails",
    ),
    ("\"One.\", ", "", "three hints are expected"),
    (
        "{{move: sectors read}}",
        "{{mov: sectors read}}",
        "no run cell `mov`",
    ),
    (
        "at most ceil_div",
        "atmost ceil_div",
        "a bound is `at most FORMULA`",
    ),
    (
        "[bounds]\n\"sectors read\"",
        "[bounds]\n\"L2 sectors read\"",
        "are modelled",
    ),
    ("at = { N = 4 }", "at = { N = 65 }", "N goes from 1 to 64"),
    ("init = { x", "init = { y", "there is no buffer `y`"),
    ("[numbers.T]", "[numbers.S]", "does not set `S`"),
    ("fails =", "fail =", "perhaps `fails`"),
];

#[test]
fn a_mistake_in_an_exercise_says_what_is_expected() {
    for (from, to, says) in MISTAKES {
        assert!(BLOCK.contains(from), "{from}");
        let (_, diagnostics) = read(&BLOCK.replacen(from, to, 1), SOLUTION);
        let said = |found: &Diagnostic| {
            let help = found.help.as_deref().unwrap_or("");
            found.message.contains(says) || help.contains(says)
        };
        assert!(diagnostics.iter().any(said), "{says}: {diagnostics:#?}");
    }
    let (_, diagnostics) = read(BLOCK, &SOLUTION.replace("//> end\n", "x = 1;\n"));
    assert!(diagnostics[0].message.contains("line 5"), "{diagnostics:?}");
    let unverified = BLOCK.replace("[verify]", "[verifies]");
    let (_, diagnostics) = read(&unverified, SOLUTION);
    let told = |found: &Diagnostic| found.message.contains("needs `[verify]`");
    assert!(diagnostics.iter().any(told), "{diagnostics:#?}");
}
