//! What formulas in a lesson may say: named values, figures of the GPU, quotes of values.

use super::*;
use crate::device::gpu_or_usual;
use crate::launch::{Argument, Init, Number};
use crate::lesson::{PlanError, Sizes};

/// The lesson with `[values]`, and one thing changed.
fn lesson(from: &str, to: &str) -> (Option<Lesson>, Vec<Diagnostic>) {
    let values = "[values]\nH = \"N / 2\"\ntwice = \"4*H + gcd(N, 2)\"\n\n[[recordings]]";
    let text = LESSON.replace("[[recordings]]", values);
    assert!(text.contains(from), "{from}");
    parse(&text.replace(from, to))
}

fn read(from: &str, to: &str) -> Lesson {
    let (lesson, found) = lesson(from, to);
    lesson.unwrap_or_else(|| panic!("{found:#?}"))
}

/// What is said of a mistake: where, and what.
fn mistake(from: &str, to: &str) -> String {
    let (lesson, found) = lesson(from, to);
    assert!(lesson.is_none(), "{to} reads");
    let said = found.iter().map(|found| {
        let help = found.help.clone().unwrap_or_default();
        format!("{}; {help}", found.message)
    });
    said.collect::<Vec<_>>().join("\n")
}

fn at(n: u64) -> Sizes {
    Sizes::from([("N".to_owned(), n)])
}

#[test]
fn values_are_used_by_name_wherever_a_formula_stands() {
    let lesson = read("\"ceil_div(N, 4)\"", "\"ceil_div(twice, 4)\"");
    let names: Vec<&str> = lesson.values.iter().map(|value| &*value.name).collect();
    assert_eq!(names, ["H", "twice"]);
    assert_eq!(lesson.values[1].formula.textbook(), "4H + gcd(N, 2)");
    let run = lesson.run_cell("copy").expect("is there");
    let plan = run.plan(&at(8), gpu_or_usual("h200")).expect("has values");
    assert_eq!(plan.launches[0].grid[0], (4 * 4 + 2_u32).div_ceil(4));
    assert!(run.used_sizes().contains("twice") && run.used_sizes().contains("N"));
}

#[test]
fn values_that_are_none_are_reported() {
    for (from, to, says) in [
        ("H = \"N / 2\"", "N = \"2\"", "there is a size `N` already"),
        (
            "H = \"N / 2\"",
            "\"2H\" = \"2\"",
            "is not a name that a formula can use",
        ),
        ("H = \"N / 2\"", "H = \"twice\"", "`twice` is not a size"),
        (
            "H = \"N / 2\"",
            "H = \"K\"",
            "`K` is not a size of this lesson; ",
        ),
        ("H = \"N / 2\"", "H = 2", "a string in quotes"),
        (
            "\"ceil_div(N, 4)\"",
            "\"twise\"",
            "perhaps `twice` is meant",
        ),
        (
            "\"ceil_div(N, 4)\"",
            "\"gpu.sm_cout\"",
            "perhaps `gpu.sm_count`",
        ),
        (
            "name = \"x\"",
            "name = \"H\"",
            "there is a value `H` already",
        ),
    ] {
        let said = mistake(from, to);
        assert!(said.contains(says), "{to}: {said}");
    }
}

#[test]
fn grids_follow_the_gpu() {
    let lesson = read("\"ceil_div(N, 4)\"", "\"gpu.sm_count\"");
    let run = lesson.run_cell("copy").expect("is there");
    let grid = |id| {
        let plan = run.plan(&at(8), gpu_or_usual(id)).expect("has values");
        plan.launches[0].grid[0]
    };
    assert_eq!((grid("h200"), grid("t4")), (132, 40));
}

#[test]
fn prose_states_values_at_the_sizes() {
    let lesson = read(
        "It reads {{copy: distinct elements read}}.",
        "It reads {{copy: distinct elements read}}, here {{copy: distinct elements read =}}; {{= 1000*twice}}.",
    );
    let prose = lesson.cells.iter().find_map(|cell| match cell {
        Cell::Prose(prose) if prose.heading() == "One" => Some(prose),
        _ => None,
    });
    let text = |n| {
        let text = prose
            .expect("is there")
            .markdown
            .at(&at(n), gpu_or_usual("h200"));
        text.lines()
            .find(|line| line.starts_with("It"))
            .map(str::to_owned)
    };
    assert_eq!(text(8).as_deref(), Some("It reads 2N, here 16; 18,000."));
    assert_eq!(text(9).as_deref(), Some("It reads 2N, here 18; 17,000."));
    for (quote, says) in [
        ("{{=2*K}}", "`K` is not a size"),
        ("{{=2*}}", "this is not a formula"),
        (
            "{{copy: sectors read =}}",
            "has no formula for `sectors read`",
        ),
    ] {
        let said = mistake("It reads {{copy: distinct elements read}}.", quote);
        assert!(said.contains(says), "{quote}: {said}");
    }
}

#[test]
fn arguments_may_be_decimal_and_tables_as_wide_as_a_formula_says() {
    let lesson = read(
        "arguments = [\"x\", \"N\"]",
        "arguments = [\"x\", \"0.5\", \"-1\", \"H\"]",
    );
    let run = lesson.run_cell("copy").expect("is there");
    let plan = run.plan(&at(8), gpu_or_usual("h200")).expect("has values");
    let numbers = [Number::Float(0.5), Number::Integer(-1), Number::Integer(4)];
    assert_eq!(
        plan.launches[0].arguments[1..],
        numbers.map(Argument::Number)
    );
    let said = mistake("arguments = [\"x\", \"N\"]", "arguments = [\"x\", \"nan\"]");
    assert!(
        said.contains("`nan` is neither a buffer nor a size"),
        "{said}"
    );

    let lesson = read("init = \"ramp\"", "init = \"rope_cos:H\"");
    let run = lesson.run_cell("copy").expect("is there");
    let init = |n| {
        Some(
            run.plan(&at(n), gpu_or_usual("h200")).ok()?.buffers[0]
                .init
                .clone(),
        )
    };
    assert_eq!(init(8), Some(Init::Cosines(4)));
    assert_eq!(init(1), None, "a table has a column at least");
    let said = mistake("init = \"ramp\"", "init = \"rope_cos:K\"");
    assert!(said.contains("`K` is not a size"), "{said}");
    let said = mistake("init = \"ramp\"", "init = \"rope:2\"");
    assert!(said.contains("is not an initial content"), "{said}");
}

#[test]
fn buffers_take_values_and_launches_may_be_left_out() {
    let plan = |from, to: &str, n| {
        let lesson = read(from, to);
        let run = lesson.run_cell("copy").expect("is there");
        run.plan(&at(n), gpu_or_usual("h200"))
    };
    let listed = plan("init = \"ramp\"", "init = \"values:1, 1,-inf\"", 4).expect("has values");
    let bytes = [1.0, 1.0, f32::NEG_INFINITY].map(f32::to_le_bytes);
    let init = Init::Listed(bytes.concat());
    assert_eq!(listed.buffers[0].init, init);
    let said = mistake("init = \"ramp\"", "init = \"values:1,one\"");
    assert!(said.contains("`one` is not a value of type f32"), "{said}");

    let arguments = "arguments = [\"x\", \"N\"]";
    let long = format!("{arguments}\nwhen = \"N > 4\"");
    let launches = |n| plan(arguments, &long, n).map(|plan| plan.launches.len());
    assert_eq!(launches(5), Ok(1));
    assert_eq!(launches(4), Err(PlanError::NoLaunch));
}

#[test]
fn questions_know_the_sizes_that_they_go_by() {
    let uses = |from: &str, to: &str| {
        let lesson = read(from, to);
        let asked = lesson.cells.iter().find_map(|cell| match cell {
            Cell::Prediction(asked) => Some(asked.uses.clone()),
            _ => None,
        });
        asked.expect("is there").into_iter().collect::<Vec<_>>()
    };
    assert_eq!(
        uses("\"N\", \"2*N\"", "\"1\", \"2\""),
        ["N"],
        "by its formula"
    );
    assert_eq!(uses("\"N\", \"2*N\"", "\"H\", \"2\""), ["H", "N"]);
    let answer = "answer = \"copy: distinct elements read\"";
    assert_eq!(
        uses(answer, "answer = \"copy: sectors read\""),
        ["N"],
        "by its run"
    );
}

#[test]
fn a_calculator_begins_with_sizes_as_far_as_they_fit() {
    let lesson = read("threads = 128", "threads = \"32*twice\"");
    let calculator = lesson.cells.iter().find_map(|cell| match cell {
        Cell::Calculator(calculator) => Some(calculator),
        _ => None,
    });
    let threads = |n| {
        let calculator = calculator.expect("is there");
        calculator.inputs(&at(n), gpu_or_usual("h200")).threads
    };
    assert_eq!((threads(2), threads(64)), (32 * 6, 1024));
    let said = mistake("threads = 128", "threads = \"32*K\"");
    assert!(said.contains("`K` is not a size"), "{said}");
}
