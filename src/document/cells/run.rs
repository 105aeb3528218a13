//! What each kind of cell shows.

use super::{counts, listing, measured, recorded};
use crate::device::Gpu;
use crate::document::block::{Block, Fold, Mark, Table};
use crate::document::columns::{or_dash, thousands};
use crate::engine::Verified;
use crate::launch::{BufferValues, Dim3, Ending, Engine, Outcome, Plan, Recorded, Report};
use crate::lesson::{CLEAN, CellResult, Formula, Lesson, ProseCell, RunCell, Sizes, equation};
use crate::source::{Severity, SourceFile, Span, Style, printable_line, render};

/// Elements at the beginning of a buffer that are printed.
const HEAD: usize = 6;

/// The whole lesson; `cells` are what each of its cells shows, in order.
pub fn document(lesson: &Lesson, sizes: &Sizes, gpu: &Gpu, cells: Vec<Vec<Block>>) -> Vec<Block> {
    let mut blocks = title(lesson, sizes, gpu);
    blocks.extend(cells.into_iter().flatten());
    blocks.push(Block::Paragraph(format!(
        "Made by tutor {} from the lesson `{}`.",
        env!("CARGO_PKG_VERSION"),
        lesson.id
    )));
    blocks
}

/// The lesson's title, summary, sizes and named values, and `gpu`, which they are of.
pub fn title(lesson: &Lesson, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    let given = lesson.sizes.iter().map(|size| {
        vec![
            equation(&size.name, size.of(sizes)),
            format!("{}, {}", size.label, size.range()),
        ]
    });
    let sizes = &lesson.complete(sizes);
    let named = lesson.values.iter().map(|value| {
        let left = match value.formula.evaluate(sizes, gpu) {
            Ok(number) => equation(&value.name, number),
            Err(_) => format!("{} has no value here", value.name),
        };
        vec![left, format!("computed: {}", value.formula.textbook())]
    });
    let whose = "the GPU whose figures the formulas use".to_owned();
    let rows = given.chain(named).chain([vec![gpu.name.clone(), whose]]);
    vec![
        Block::Title {
            title: printable_line(&lesson.title).into_owned(),
            summary: format!("{}.", lesson.summary),
        },
        Block::Table(Table::new("", &[], 2, rows.collect())),
    ]
}

/// Text, with values at `sizes`, which have one for each size of the lesson, on `gpu`.
pub fn prose(cell: &ProseCell, sizes: &Sizes, gpu: &Gpu) -> Vec<Block> {
    vec![Block::Prose(cell.markdown.at(sizes, gpu).into_owned())]
}

/// Source, launches, counts, formulas and verification of a cell; `result` is what it gave, if it ran.
pub fn run(cell: &RunCell, result: Option<&CellResult>) -> Vec<Block> {
    let outcome = result.map(|result| &result.outcome);
    let mut blocks = vec![
        Block::heading(&cell.title, &cell.id),
        Block::Source(listing::listing(&cell.source, outcome)),
    ];
    let Some(result) = result else {
        blocks.push(Block::Note("This cell has not run.".to_owned()));
        return blocks;
    };
    blocks.extend(body(
        &result.outcome,
        &cell.source,
        result.recorded.as_ref(),
    ));
    // What was measured comes before what is claimed of it.
    blocks.extend(formulas(cell, result));
    blocks.extend(verification(result));
    blocks.extend(checked(result));
    blocks
}

/// A kernel that ran on its own.
pub struct KernelRun<'a> {
    /// What was to run.
    pub plan: &'a Plan,
    /// What came back.
    pub outcome: &'a Outcome,
    /// What of the file the kernel does not need.
    pub unreached: &'a [Span],
    /// Buffers held against what they should hold.
    pub compared: &'a [Verified],
    /// Whether everything is right.
    pub ok: bool,
}

/// A kernel that ran on its own.
pub fn kernel_run(run: &KernelRun) -> Vec<Block> {
    let (plan, outcome) = (run.plan, run.outcome);
    let mut blocks = Vec::new();
    for of in &plan.sources {
        let listings = listing::reached_listings(&of.file, run.unreached, outcome);
        blocks.extend(listings.into_iter().map(Block::Source));
        blocks.extend(body(outcome, &of.file, None));
    }
    blocks.extend(buffers(&outcome.buffers));
    let compared = run.compared.iter();
    blocks.extend(
        compared
            .map(|compared| judged("Comparison", compared, matches(compared), &outcome.reports)),
    );
    blocks
}

/// Whether all is right; `failed` are the cells that are not.
pub fn verdict(failed: &[&str]) -> Block {
    Block::Paragraph(match failed {
        [] => "Everything ran, and every result was verified.".to_owned(),
        cells => format!("FAILED: {}.", cells.join(", ")),
    })
}

/// What went wrong, or may have, at its place in the source.
pub fn diagnostics(cell: &RunCell, result: &CellResult) -> Option<Block> {
    let reports = result.outcome.reports.iter();
    let rendered = reports.map(|report| render(&report.diagnostic, &cell.source, Style::Plain));
    let lines: Vec<String> = rendered
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    (!lines.is_empty()).then(|| Block::Lines {
        title: "Diagnostics".to_owned(),
        lines,
        is_code: true,
    })
}

fn body(outcome: &Outcome, file: &SourceFile, of_gpu: Option<&Recorded>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut evidence = vec![launches(outcome)];
    let printed: Vec<String> = outcome.printed().map(|line| line.to_string()).collect();
    if !printed.is_empty() {
        blocks.push(Block::Lines {
            title: "Printed".to_owned(),
            lines: printed,
            is_code: true,
        });
    }
    if outcome.is_counted() {
        evidence.extend(counts::count_tables(outcome));
        evidence.extend(counts::accesses(outcome, file));
    }
    blocks.extend(Block::folded(Fold::Evidence, evidence));
    // How long it took is what a reader looks for; how that was measured is evidence.
    blocks.extend(measured::times(outcome, of_gpu));
    let mut evidence = measured::tables(outcome, of_gpu);
    evidence.extend(of_gpu.into_iter().flat_map(recorded::section_of));
    blocks.extend(Block::folded(Fold::Evidence, evidence));
    let end = match outcome.ending {
        Ending::Finished => None,
        // A real GPU may have run it all the same: only counts are missing.
        Ending::Exhausted if !outcome.is_counted() => {
            Some("Too large to simulate: nothing is counted.")
        }
        Ending::HardwareOnly => Some(hardware_only(outcome.engine, of_gpu.is_some())),
        Ending::Failed | Ending::Exhausted => {
            Some("\u{2717} FAILED: the counts above end where it failed.")
        }
        Ending::Cancelled => Some("\u{2717} CANCELLED: the counts above cover a part of the run."),
    };
    blocks.extend(end.map(|text| Block::Note(text.to_owned())));
    blocks
}

/// What is said of kernels that the simulated GPU cannot run.
fn hardware_only(engine: Engine, is_recorded: bool) -> &'static str {
    match (engine, is_recorded) {
        (Engine::Gpu, _) => "The simulated GPU cannot run this kernel: nothing is counted.",
        (Engine::Sim, true) => {
            "The simulated GPU cannot run this kernel: nothing is counted, and the times are recorded."
        }
        (Engine::Sim, false) => "The simulated GPU cannot run this kernel, and no run is recorded.",
    }
}

fn launches(outcome: &Outcome) -> Block {
    if outcome.launches.is_empty() {
        return Block::lines("Launches", vec!["none: nothing ran".to_owned()]);
    }
    // Numbered from 1, as links (`@launch=2`) and figures (`cell@2`) number them.
    let launches = outcome.launches.iter().enumerate();
    let rows = launches.map(|(i, launch)| {
        vec![
            format!("{}", i + 1),
            launch.kernel.clone(),
            format!("grid {}", dimensions(launch.grid)),
            format!("block {}", dimensions(launch.block)),
        ]
    });
    Block::Table(Table::new("Launches", &[], 4, rows.collect()))
}

/// `1,823` or `32 × 8`: trailing ones say nothing.
fn dimensions(dimensions: Dim3) -> String {
    // `[1823, 1, 1]` is 1,823, but `[1, 8, 1]` is 1 × 8.
    let used = dimensions.iter().rposition(|&size| size != 1).unwrap_or(0);
    let sizes = dimensions[..=used].iter();
    let sizes: Vec<String> = sizes.map(|&size| thousands(u64::from(size))).collect();
    sizes.join(" × ")
}

fn formulas(cell: &RunCell, result: &CellResult) -> Option<Block> {
    if result.formulas.is_empty() {
        return None;
    }
    let checks = cell.formulas.iter().zip(&result.formulas);
    let rows = checks.map(|(check, result)| {
        let (mark, word) = mark(result.ok, "equal", "DIFFERENT");
        vec![
            mark.to_owned(),
            result.name.clone(),
            Formula::textbook(&check.formula),
            result.expected_text(),
            thousands(result.counted),
            word.to_owned(),
        ]
    });
    // A mark and a word: neither colour nor glyph alone says what is wrong.
    let header = ["", "", "formula", "computed", "counted", ""];
    Some(Block::Table(Table::new(
        "Formulas",
        &header,
        3,
        rows.collect(),
    )))
}

fn mark<'a>(ok: bool, right: &'a str, wrong: &'a str) -> (&'static str, &'a str) {
    if ok { ("✓", right) } else { ("✗", wrong) }
}

/// That checks found nothing; what they find is among the diagnostics.
fn checked(result: &CellResult) -> Option<Block> {
    result.is_clean().then(|| Block::Verdict {
        title: "Checks".to_owned(),
        mark: Mark::Right,
        text: CLEAN.to_owned(),
        detail: String::new(),
    })
}

fn verification(result: &CellResult) -> Option<Block> {
    let verified = result.verified.as_ref()?;
    let text = format!("{} (computed)", matches(verified));
    let reports = &result.outcome.reports;
    Some(judged("Verification", verified, text, reports))
}

/// What an output is held against, as `text` says it. It may be right by luck, where threads race: of all that is
/// known, in `reports` too, the worst counts.
fn judged(title: &str, verified: &Verified, mut text: String, reports: &[Report]) -> Block {
    let is_error = |of: &&Report| of.diagnostic.severity == Severity::Error;
    let mut worst: Vec<&Report> = reports.iter().filter(is_error).collect();
    let has_errors = !worst.is_empty();
    if !has_errors {
        let may_be_wrong = |of: &&Report| of.diagnostic.severity < Severity::Remark;
        worst = reports.iter().filter(may_be_wrong).collect();
    }
    let mut messages: Vec<&str> = worst.iter().map(|of| &*of.diagnostic.message).collect();
    // The same at several places is said once.
    messages.dedup();
    if !messages.is_empty() {
        let before = if has_errors { "but" } else { "with a warning" };
        text += &format!(", {before}: {}", messages.join("; "));
    }
    let mark = match verified.ok && !has_errors {
        true if !messages.is_empty() => Mark::Warned,
        is_right => Mark::of(is_right),
    };
    Block::Verdict {
        title: title.to_owned(),
        mark,
        text,
        detail: distance(verified),
    }
}

/// What was held against what, and whether they are the same.
fn matches(verified: &Verified) -> String {
    let (_, word) = mark(verified.ok, "matches", "DIFFERS FROM");
    format!("{} {word} {}", verified.buffer, verified.against)
}

/// By how much they differ.
fn distance(verified: &Verified) -> String {
    match (verified.is_exact(), verified.ok) {
        // A tolerance of 0 asks for the same bits: "at most 0 is allowed" would puzzle.
        (true, true) => "every element is equal".to_owned(),
        (true, false) => format!(
            "element {} differs most, by {:.2e}; every element must be equal",
            thousands(verified.worst_element as u64),
            verified.max_abs_error
        ),
        (false, _) => format!(
            "largest error {:.2e} at element {}; at most {:e} is allowed",
            verified.max_abs_error,
            thousands(verified.worst_element as u64),
            verified.tolerance
        ),
    }
}

fn buffers(buffers: &[BufferValues]) -> Option<Block> {
    let header = ["name", "type", "length", "sum", "begins with"];
    let sums = BufferValues::sums(buffers);
    let rows = buffers.iter().zip(sums).map(|(buffer, sum)| {
        let head: Vec<String> = buffer
            .values()
            .take(HEAD)
            .map(|value| match value {
                crate::launch::Value::Integer(integer) => integer.to_string(),
                crate::launch::Value::Float(float) => format!("{float:.5}"),
            })
            .collect();
        let more = if buffer.len() > HEAD { " …" } else { "" };
        vec![
            buffer.name.clone(),
            buffer.element.name().to_owned(),
            or_dash(buffer.len() as u64),
            format!("{sum:.6}"),
            format!("{}{more}", head.join(" ")),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let table = Table::new("Buffers after the run", &header, 2, rows);
    (!buffers.is_empty()).then_some(Block::Table(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_or_usual;
    use crate::document::plain;
    use crate::launch::{Counts, ElementType, LaunchOutcome, LineCounts};
    use crate::lesson::load;

    /// Two rows of one element, of which only one was read and both are wrong.
    fn wrong(plan: &Plan) -> Outcome {
        let mut counts = Counts::default();
        counts.global_load.requests = 1;
        counts.global_load.elements = 1;
        counts.global_load.distinct_elements = 1;
        counts.global_load.used_bytes = 4;
        counts.global_load.sectors = 1;
        Outcome {
            launches: vec![LaunchOutcome {
                block: [16, 16, 1],
                counts,
                lines: vec![LineCounts { line: 15, counts }],
                ..LaunchOutcome::blank(&plan.launches[0])
            }],
            buffers: vec![BufferValues {
                name: "y".to_owned(),
                element: ElementType::F32,
                bytes: vec![0; 8],
            }],
            ..Outcome::blank("h200")
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let lesson = load("softmax").expect("reads");
        let fused = lesson.run_cell("fused").expect("is there");
        let sizes = [("M".to_owned(), 2), ("N".to_owned(), 1)];
        let sizes = lesson.sizes_with(&sizes).expect("are in range");
        let plan = fused
            .plan(&sizes, gpu_or_usual("h200"))
            .expect("has values");
        let result = fused.check_outcome(&sizes, wrong(&plan));
        let text = plain(&run(fused, Some(&result)));
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
        assert_eq!(plain(&[verdict(&["fused"])]), "\nFAILED: fused.\n");
    }

    #[test]
    fn a_run_that_stopped_says_so() {
        let lesson = load("softmax").expect("reads");
        let fused = lesson.run_cell("fused").expect("is there");
        let sizes = lesson.sizes_with(&[]).expect("are in range");
        let plan = fused
            .plan(&sizes, gpu_or_usual("h200"))
            .expect("has values");
        let outcome = Outcome {
            ending: Ending::Cancelled,
            ..wrong(&plan)
        };
        let result = fused.check_outcome(&sizes, outcome);
        let text = plain(&run(fused, Some(&result)));
        assert!(text.contains("✗ CANCELLED") && !text.contains("Verification"));
    }
}
