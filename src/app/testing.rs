//! A small lesson and a made-up result of it, for tests of session and views.

mod lessons;
mod others;
mod real;
mod tour;

use std::sync::Arc;

use super::state::FinishedRun;
use crate::device::gpu_or_usual;
use crate::engine::Verified;
use crate::launch::{
    AccessCounts, AccessKind, BranchCounts, BufferValues, Counts, ElementType, Fp32Counts,
    GlobalCounts, Init, LaunchOutcome, LineCounts, Outcome, Plan, Progress, SharedCounts, Trace,
    TraceStep, TracedVariable, ValueType, Watch,
};
use crate::lesson::{
    ArgumentTemplate, BufferTemplate, Cell, CellResult, FirstLook, Formula, FormulaCheck,
    FormulaResult, InitTemplate, LaunchTemplate, Lesson, Markdown, Measure, ProseCell, RunCell,
    Size, Sizes, VerifyTemplate,
};
use crate::source::{SourceFile, Span};

pub use lessons::sample_lessons;
pub use real::{compile, measure, sample_recording, sample_values};
pub use tour::{tour_history, tour_lesson, tour_ran};

const SOURCE: &str = "\
// Doubles every element, then adds one.
__global__ void twice(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = 2.0f * x[i];
    }
}

__global__ void add_one(float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] += 1.0f;
    }
}
";

/// What the one load or store of `text` did.
fn access(text: &str, elements: u64) -> AccessCounts {
    let start = SOURCE.find(text).expect("stands in the source");
    let span = Span::new(start, start + text.len());
    let of_all = counts(elements);
    let (kind, global) = match text {
        "x[i]" => (AccessKind::Load, of_all.global_load),
        _ => (AccessKind::Store, of_all.global_store),
    };
    AccessCounts {
        span,
        line: 5,
        kind,
        global,
        shared: SharedCounts::default(),
    }
}

/// Text, kernels, text.
pub fn sample_lesson() -> Lesson {
    let size = |name: &str, label: &str, default| Size {
        name: name.to_owned(),
        label: label.to_owned(),
        default,
        min: 1,
        max: 4096,
        values: Vec::new(),
    };
    let prose = |markdown: &str| {
        Cell::Prose(ProseCell {
            markdown: Markdown::plain(markdown),
        })
    };
    Lesson {
        id: "double".to_owned(),
        title: "Doubling, and one more".to_owned(),
        summary: "What two small kernels move".to_owned(),
        minutes: 3,
        course: Default::default(),
        sizes: vec![size("M", "rows", 40), size("N", "columns", 25)],
        begins: Sizes::new(),
        values: Vec::new(),
        recordings: Vec::new(),
        notes: [(0, "Ask who has seen this before.".to_owned())].into(),
        digests: [("double".to_owned(), "d1".to_owned())].into(),
        cells: vec![
            prose(
                "# Doubling\n\nEach element is *doubled*, then `1` is added:\n\n```cuda\ny[i] = 2.0f * x[i] + 1.0f;\n```\n\n- in one kernel, or\n- in **two**, and what that costs.\n",
            ),
            prose("# Two kernels\n\nOne doubles, the other adds.\n"),
            Cell::Run(Box::new(run_cell())),
            prose("# What it cost\n\nThe second kernel reads what the first wrote.\n"),
        ],
    }
}

/// Every kind of cell, around the run cell of [`sample_lesson`].
pub fn sample_lesson_of_all() -> Lesson {
    let mut lesson = sample_lesson();
    let run = lesson.cells.drain(1..3).collect::<Vec<_>>();
    lesson.cells.truncate(1);
    lesson.cells.extend(others::before());
    lesson.cells.extend(run);
    lesson.cells.extend(others::after());
    lesson
}

/// The same with a second cell that runs: it triples, on a line more.
pub fn sample_lesson_twice() -> Lesson {
    let mut lesson = sample_lesson();
    let mut cell = run_cell();
    let text = SOURCE.replace("2.0f * x[i];", "3.0f\n            * x[i];");
    cell.id = "triple".to_owned();
    cell.source = SourceFile::new("triple.cu", &text);
    lesson.cells.push(Cell::Run(Box::new(cell)));
    lesson
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).expect("a formula")
}

/// A buffer of the sample cell, or a formula.
fn argument(text: &str) -> ArgumentTemplate {
    let buffer = ["x", "y"].iter().position(|buffer| *buffer == text);
    buffer.map_or_else(
        || ArgumentTemplate::Formula(formula(text)),
        ArgumentTemplate::Buffer,
    )
}

fn run_cell() -> RunCell {
    let buffer = |name: &str| BufferTemplate {
        name: name.to_owned(),
        element: ElementType::F32,
        shape: vec![formula("M"), formula("N")],
        init: InitTemplate::Fixed(Init::Arange),
    };
    let launch = |kernel: &str, arguments: &[&str]| LaunchTemplate {
        meta: Vec::new(),
        kernel: kernel.to_owned(),
        grid: [formula("ceil_div(M*N, 64)"), formula("1"), formula("1")],
        block: [formula("64"), formula("1"), formula("1")],
        shared_bytes: formula("0"),
        when: None,
        arguments: arguments.iter().map(|text| argument(text)).collect(),
    };
    RunCell {
        symbols: Vec::new(),
        id: "double".to_owned(),
        title: "Two kernels".to_owned(),
        source: SourceFile::new("double.cu", SOURCE),
        buffers: vec![buffer("x"), buffer("y")],
        launches: vec![
            launch("twice", &["x", "y", "M*N"]),
            launch("add_one", &["y", "M*N"]),
        ],
        choices: Sizes::new(),
        formulas: vec![FormulaCheck {
            measure: Measure::DistinctElementsRead,
            formula: formula("2*M*N"),
        }],
        verify: Some(VerifyTemplate {
            buffer: "y".to_owned(),
            against: "double".to_owned(),
            inputs: vec!["x".to_owned()],
            sizes: vec![],
            tolerance: 1e-6,
            per: None,
        }),
        baselines: Vec::new(),
        taps: vec!["y".to_owned(), "i".to_owned()],
        first_look: FirstLook::default(),
    }
}

/// The plan of the run cell at `sizes`.
pub(crate) fn sample_plan(sizes: &Sizes) -> Arc<Plan> {
    Arc::new(
        run_cell()
            .plan(sizes, gpu_or_usual("h200"))
            .expect("sizes are in range"),
    )
}

fn global(elements: u64) -> GlobalCounts {
    GlobalCounts {
        requests: elements.div_ceil(32),
        elements,
        distinct_elements: elements,
        bytes: 4 * elements,
        used_bytes: 4 * elements,
        sectors: elements.div_ceil(8) + 4,
        lines: elements.div_ceil(32),
    }
}

/// Counts of a kernel that loads and stores `elements`.
fn counts(elements: u64) -> Counts {
    Counts {
        global_load: global(elements),
        global_store: global(elements),
        shared_load: SharedCounts::default(),
        constant_load: Default::default(),
        fp32: Fp32Counts {
            add: elements,
            ..Fp32Counts::default()
        },
        branches: BranchCounts {
            executed: elements.div_ceil(32),
            divergent: 1,
        },
        warp_instructions: elements,
        ..Counts::default()
    }
}

/// News of launch `launch` with `blocks_done` blocks of 16 done.
pub fn sample_progress(launch: usize, blocks_done: u64) -> Progress {
    let counts = counts(64 * blocks_done);
    Progress {
        launch,
        blocks_done,
        blocks: 16,
        counts,
        lines: vec![LineCounts { line: 5, counts }],
    }
}

/// What a lane of the sample's warp holds at last.
fn scaled(lane: u64) -> f32 {
    if lane < 8 { 1920.5 + lane as f32 } else { 0.0 }
}

fn trace(watch: Watch) -> Trace {
    let variable = |name: &str, type_name: &str, value_type| TracedVariable {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        value_type,
        line: 2,
        declared: Span::default(),
    };
    let step = |line, active, changes| TraceStep {
        line,
        span: Span::new(line as usize, line as usize + 1),
        callers: Default::default(),
        resumes: false,
        active,
        changes,
    };
    let lanes = |of: fn(u64) -> u64| std::array::from_fn(|lane| of(lane as u64));
    Trace {
        watch,
        variables: vec![
            variable("x", "const float*", ValueType::Pointer),
            variable("count", "int", ValueType::Number(ElementType::I32)),
            variable("i", "int", ValueType::Number(ElementType::I32)),
            variable("scaled", "float", ValueType::Number(ElementType::F32)),
        ],
        steps: vec![
            step(
                2,
                u32::MAX,
                vec![
                    (0, lanes(|_| crate::ir::GLOBAL_STRIDE)),
                    (1, lanes(|_| 1000)),
                ],
            ),
            step(3, u32::MAX, vec![(2, lanes(|lane| 960 + lane))]),
            step(4, u32::MAX, vec![]),
            step(
                5,
                0xff,
                vec![(3, lanes(|lane| scaled(lane).to_bits().into()))],
            ),
        ],
        truncated: false,
    }
}

/// A result of job `job` at `sizes`, in which everything is as it should be.
pub fn sample_ran(job: u64, sizes: &Sizes, watch: Watch) -> Arc<FinishedRun> {
    let plan = sample_plan(sizes);
    let elements = plan.buffers[0].length as u64;
    let lines = [5, 12];
    let launches = plan
        .launches
        .iter()
        .enumerate()
        .map(|(i, launch)| LaunchOutcome {
            counts: counts(elements),
            lines: vec![LineCounts {
                line: lines[i],
                counts: counts(elements),
            }],
            accesses: if i == 0 {
                ["x[i]", "y[i]"].map(|text| access(text, elements)).to_vec()
            } else {
                Vec::new()
            },
            trace: (i == 0).then(|| trace(watch)),
            ..LaunchOutcome::blank(launch)
        });
    let buffers: Result<Vec<BufferValues>, _> =
        plan.buffers.iter().map(|spec| spec.fill()).collect();
    let outcome = Outcome {
        launches: launches.collect(),
        buffers: buffers.expect("fills"),
        ..Outcome::blank("h200")
    };
    let result = CellResult {
        sizes: sizes.clone(),
        formulas: vec![FormulaResult {
            name: "distinct elements read".to_owned(),
            formula: "2*M*N".to_owned(),
            expected: Some(2 * elements),
            counted: 2 * elements,
            ok: true,
        }],
        verified: Some(Verified {
            buffer: "y".to_owned(),
            against: "2 x + 1, in double precision on the host".to_owned(),
            max_abs_error: 0.0,
            tolerance: 1e-6,
            worst_element: 0,
            ok: true,
        }),
        outcome,
        result_ok: true,
        ok: true,
        checked: false,
        recorded: None,
    };
    Arc::new(FinishedRun {
        job,
        plan,
        watch,
        edited: false,
        result,
    })
}
