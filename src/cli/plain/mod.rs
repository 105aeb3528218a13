//! What a run did, as text.
//!
//! Every table says how its numbers came to be: counted by the run, or computed from a formula or
//! on the host.

mod counts;
mod figure;
mod ptx;
mod recorded;
mod source;
mod times;

pub(super) use figure::{missing, order, plots};
pub(super) use ptx::ptx;

use super::prose;
use super::table::{columns, headed, or_dash, thousands};
use crate::launch::{BufferValues, Dim3, Ending, Outcome, Plan, Recorded};
use crate::lesson::{CellResult, Formula, FormulaResult, Lesson, RunCell, Sizes};
use crate::session::size_range;
use crate::source::SourceFile;

/// Elements at the beginning of a buffer that are printed.
const HEAD: usize = 6;

/// The lesson's title, summary and sizes.
pub(super) fn title(lesson: &Lesson, sizes: &Sizes) -> String {
    let line = "=".repeat(lesson.title.chars().count());
    let rows: Vec<Vec<String>> = lesson
        .sizes
        .iter()
        .map(|size| {
            vec![
                format!("{} = {}", size.name, thousands(size.of(sizes))),
                format!("{}, {}", size.label, size_range(size)),
            ]
        })
        .collect();
    let summary = prose::render(&format!("{}.", lesson.summary));
    format!("{}\n{line}\n{summary}\n{}", lesson.title, columns(&rows, 2))
}

/// A cell that ran: its source, launches, counts, formulas and verification.
pub(super) fn cell(cell: &RunCell, result: &CellResult) -> String {
    let outcome = &result.outcome;
    let mut text = heading(&format!("{} [{}]", cell.title, cell.id));
    text += &source::margin(&cell.source, outcome);
    text += &body(outcome, &cell.source, result.recorded.as_ref());
    text += &formulas(cell, &result.formulas);
    text += &verification(result);
    text
}

/// A kernel that ran on its own.
pub(super) fn kernel(plan: &Plan, outcome: &Outcome) -> String {
    let mut text = String::new();
    for source in &plan.sources {
        text += &source::margin(&source.file, outcome);
        text += &body(outcome, &source.file, None);
    }
    text += &buffers(&outcome.buffers);
    text
}

/// The last line of a lesson's report.
pub(super) fn verdict(failed: &[&str]) -> String {
    match failed {
        [] => "\nEverything ran and verified.\n".to_owned(),
        cells => format!("\nFAILED: {}.\n", cells.join(", ")),
    }
}

fn body(outcome: &Outcome, file: &SourceFile, of_gpu: Option<&Recorded>) -> String {
    let mut text = section("Launches");
    text += &launches(outcome);
    if outcome.printed().next().is_some() {
        text += &section("Printed");
        for line in outcome.printed() {
            text += &format!("  {line}\n");
        }
    }
    if outcome.is_counted() {
        text += &counts::tables(outcome);
        text += &counts::accesses(outcome, file);
    }
    text += &times::tables(outcome, of_gpu);
    text += &of_gpu.map_or_else(String::new, recorded::section_of);
    text += &match outcome.ending {
        Ending::Finished => String::new(),
        Ending::Exhausted if !outcome.is_counted() => {
            "\n  Too large to simulate: nothing is counted.\n".to_owned()
        }
        Ending::Failed | Ending::Exhausted => {
            "\n  ✗ FAILED: the counts above end where it failed.\n".to_owned()
        }
        Ending::Cancelled => "\n  ✗ CANCELLED: the counts above are of a part.\n".to_owned(),
    };
    text
}

fn heading(text: &str) -> String {
    format!("{text}\n{}\n", "-".repeat(text.chars().count()))
}

fn section(text: &str) -> String {
    format!("\n{text}\n")
}

fn launches(outcome: &Outcome) -> String {
    if outcome.launches.is_empty() {
        return "  none: nothing ran\n".to_owned();
    }
    let rows: Vec<Vec<String>> = outcome
        .launches
        .iter()
        .enumerate()
        .map(|(i, launch)| {
            vec![
                format!("{}", i + 1),
                launch.kernel.clone(),
                format!("grid {}", dimensions(launch.grid)),
                format!("block {}", dimensions(launch.block)),
            ]
        })
        .collect();
    columns(&rows, 4)
}

/// `1,823` or `32 × 8`: trailing ones say nothing.
fn dimensions(dimensions: Dim3) -> String {
    let used = dimensions.iter().rposition(|&size| size != 1).unwrap_or(0);
    let sizes = dimensions[..=used].iter();
    let sizes: Vec<String> = sizes.map(|&size| thousands(u64::from(size))).collect();
    sizes.join(" × ")
}

fn formulas(cell: &RunCell, results: &[FormulaResult]) -> String {
    if results.is_empty() {
        return String::new();
    }
    let header = ["", "", "formula", "computed", "counted", ""];
    let mut rows = headed(header);
    for (check, result) in cell.formulas.iter().zip(results) {
        let (mark, word) = mark(result.ok, "equal", "DIFFERENT");
        rows.push(vec![
            mark.to_owned(),
            result.name.clone(),
            Formula::textbook(&check.formula),
            thousands(result.expected),
            thousands(result.counted),
            word.to_owned(),
        ]);
    }
    format!("{}{}", section("Formulas"), columns(&rows, 3))
}

fn mark<'a>(ok: bool, right: &'a str, wrong: &'a str) -> (&'static str, &'a str) {
    if ok { ("✓", right) } else { ("✗", wrong) }
}

fn verification(result: &CellResult) -> String {
    let Some(verified) = &result.verified else {
        return String::new();
    };
    let (mark, word) = mark(verified.ok, "matches", "DIFFERS FROM");
    let worst = verified.worst_element;
    format!(
        "{}  {mark} {} {word} {} (computed)\n    largest error {:.2e} at element {}; at most {:e} passes\n",
        section("Verification"),
        verified.buffer,
        verified.against,
        verified.max_abs_error,
        thousands(worst as u64),
        verified.tolerance,
    )
}

fn buffers(buffers: &[BufferValues]) -> String {
    if buffers.is_empty() {
        return String::new();
    }
    let header = ["name", "type", "length", "sum", "begins with"];
    let mut rows = headed(header);
    for buffer in buffers {
        let head: Vec<String> = buffer
            .values()
            .take(HEAD)
            .map(|value| match value {
                crate::launch::Value::Integer(integer) => integer.to_string(),
                crate::launch::Value::Float(float) => format!("{float:.5}"),
            })
            .collect();
        let more = if buffer.len() > HEAD { " …" } else { "" };
        rows.push(vec![
            buffer.name.clone(),
            buffer.element.name().to_owned(),
            or_dash(buffer.len() as u64),
            format!("{:.6}", buffer.sum()),
            format!("{}{more}", head.join(" ")),
        ]);
    }
    format!("{}{}", section("Buffers after the run"), columns(&rows, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Counts, ElementType, Engine, LaunchOutcome, LineCounts};
    use crate::lesson::load;

    /// Two rows of one element, of which only one was read and both are wrong.
    fn wrong() -> Outcome {
        let mut counts = Counts::default();
        counts.global_load.requests = 1;
        counts.global_load.elements = 1;
        counts.global_load.distinct_elements = 1;
        counts.global_load.used_bytes = 4;
        counts.global_load.sectors = 1;
        Outcome {
            engine: Engine::Sim,
            gpu: "h200".to_owned(),
            simulated: "h200".to_owned(),
            ending: Ending::Finished,
            launches: vec![LaunchOutcome {
                kernel: "softmax_fused".to_owned(),
                source: 0,
                grid: [2, 1, 1],
                block: [16, 16, 1],
                counts,
                lines: vec![LineCounts { line: 15, counts }],
                accesses: vec![],
                footprints: Vec::new(),
                trace: None,
                printed: Vec::new(),
                timing: None,
                compiled: None,
                hardware: Vec::new(),
                flushed: None,
                counted: None,
                compared: None,
            }],
            buffers: vec![BufferValues {
                name: "y".to_owned(),
                element: ElementType::F32,
                bytes: vec![0; 8],
            }],
            reports: Vec::new(),
            timing: None,
            agreement: Vec::new(),
            baselines: Vec::new(),
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let lesson = load("softmax").expect("reads");
        let fused = lesson.run_cell("fused").expect("is there");
        let sizes = [("M".to_owned(), 2), ("N".to_owned(), 1)];
        let sizes = lesson.sizes_with(&sizes).expect("are in range");
        let text = cell(fused, &fused.judge(&sizes, wrong()));
        for part in [
            "1         │  ",
            "block 16 × 16",
            "12.5 %",
            "✗  distinct elements read     MN              2        1  DIFFERENT",
            "✗ y DIFFERS FROM softmax of each row",
            "largest error 1.00e0 at element 0",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
        assert_eq!(verdict(&["fused"]), "\nFAILED: fused.\n");
    }

    #[test]
    fn a_run_that_stopped_says_so() {
        let lesson = load("softmax").expect("reads");
        let fused = lesson.run_cell("fused").expect("is there");
        let outcome = Outcome {
            ending: Ending::Cancelled,
            ..wrong()
        };
        let text = cell(fused, &fused.judge(&Sizes::new(), outcome));
        assert!(text.contains("✗ CANCELLED") && !text.contains("Verification"));
    }
}
