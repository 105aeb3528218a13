//! Cells that do not run.

use super::*;

/// Mistakes in them.
pub(super) const MISTAKES: [Mistake; 17] = [
    (
        "answer = \"copy:",
        "answer = \"copi:",
        "\"copi: distinct elements read\"",
        "perhaps `copy`",
    ),
    (
        "copy: distinct elements read\"\nchoices",
        "copy: distinct elements red\"\nchoices",
        "\"copy: distinct elements red\"",
        "perhaps `distinct elements read`",
    ),
    (
        "\"copy: distinct elements read\"\nchoices",
        "\"2*K\"\nchoices",
        "\"2*K\"",
        "`K` is not a size",
    ),
    (
        "[\"N\", \"2*N\"]\nexplain",
        "[\"N\"]\nexplain",
        "[\"N\"]",
        "two or more choices",
    ),
    (
        "[\"N\", \"2*N\"]\nexplain",
        "[\"N\", \"2*K\"]\nexplain",
        "\"2*K\"",
        "`K` is not a size",
    ),
    (
        "It is {{copy:",
        "It is {{cpy:",
        "{{cpy: distinct elements read}}",
        "perhaps `copy`",
    ),
    (
        "question =",
        "questions =",
        "questions",
        "perhaps `question`",
    ),
    (
        "of = \"cells\"",
        "of = \"cels\"",
        "\"cels\"",
        "perhaps `cells`",
    ),
    (
        "rows = [\"copy\"]",
        "rows = [\"kopy\"]",
        "\"kopy\"",
        "perhaps `copy`",
    ),
    (
        "[\"sectors read\"]",
        "[\"sectors rad\"]",
        "\"sectors rad\"",
        "perhaps `sectors read`",
    ),
    (
        "[\"sm_count\"]",
        "[\"sm_cont\"]",
        "\"sm_cont\"",
        "perhaps `sm_count`",
    ),
    (
        "of = \"gpus\"",
        "of = \"gpus\"\nrows = [\"h2000\"]",
        "\"h2000\"",
        "h200-sxm",
    ),
    (
        "cc = \"9.0\"",
        "",
        "```calculator full",
        "either `gpu` or `cc`",
    ),
    (
        "cc = \"9.0\"",
        "cc = \"9.9\"",
        "\"9.9\"",
        "no compute capability `9.9`",
    ),
    (
        "threads = 128",
        "threads = 2048",
        "2048",
        "go from 1 to 1024",
    ),
    (
        "kernel = \"copy\"\nlines",
        "kernel = \"kopy\"\nlines",
        "\"kopy\"",
        "did you mean `copy`",
    ),
    ("lines = [1, 2]", "lines = [2, 9]", "2, 9", "file has 5"),
];

#[test]
fn what_other_cells_speak_of_is_found_in_run_cells() {
    let (lesson, diagnostics) = parse(LESSON);
    assert_eq!(diagnostics, []);
    let lesson = lesson.expect("reads");
    let cell = |id: &str| lesson.cells.iter().find(|cell| cell.id() == Some(id));
    let Some(Cell::Prediction(asked)) = cell("reads") else {
        panic!("is a prediction");
    };
    assert_eq!(asked.question.written(), "How much does 2N say?");
    assert_eq!(asked.explain.written(), "It is 2N.");
    let crate::lesson::Answer::Counted(counted) = &asked.answer else {
        panic!("is counted");
    };
    assert_eq!(
        counted.formula.as_ref().map(|formula| formula.text()),
        Some("2*N")
    );
    let Some(Cell::Kernel(kernel)) = cell("text") else {
        panic!("is a kernel");
    };
    assert_eq!((kernel.lines, kernel.facts.shared_bytes), ((1, 2), 32));
    let parameters = [("float*", "x"), ("int", "n")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(kernel.facts.parameters, parameters);
}

#[test]
fn a_modelled_count_has_no_formula() {
    let file = LESSON.replacen("\"distinct elements read\" =", "\"DRAM bytes read\" =", 1);
    let (_, diagnostics) = parse(&file);
    let told = diagnostics
        .iter()
        .any(|found| found.message.contains("are modelled"));
    assert!(told, "{diagnostics:#?}");
}
