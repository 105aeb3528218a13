//! A small lesson and a made-up result of it, for tests of session and views.

use std::sync::Arc;

use super::Ran;
use crate::engine::Verified;
use crate::launch::{
    AccessCounts, AccessKind, Agreement, Baseline, BaselineOutcome, BranchCounts, BufferValues,
    Captured, Clocks, Comparison, CompileReport, Counts, ElementType, Ending, Engine, Evidence,
    Fp32Counts, GlobalCounts, Init, LaunchOutcome, LineCounts, Outcome, Plan, Progress, Provenance,
    RECORDING_FORMAT, Recording, SharedCounts, Timing, Trace, TraceStep, TracedSite,
    TracedVariable, ValueType, Watch, Work, Yardsticks, compare,
};
use crate::lesson::{
    BufferTemplate, Cell, CellResult, Formula, FormulaCheck, FormulaResult, LaunchTemplate, Lesson,
    Measure, ProseCell, RunCell, Size, Sizes, VerifyTemplate,
};
use crate::source::{SourceFile, Span};

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

const PTX: &str = "\
.visible .entry twice(
\t.param .u64 twice_param_0
)
{
\t.reg .f32 \t%f<3>;
\t.loc\t1 2 0
\tld.param.u64 \t%rd1, [twice_param_0];
\t.loc\t1 3 5
\tmov.u32 \t%r2, %ctaid.x;
\tmad.lo.s32 \t%r1, %r2, %r3, %r4;
\t.loc\t1 4 5
\tsetp.ge.s32 \t%p1, %r1, %r5;
\t@%p1 bra \t$L__BB0_2;

\t.loc\t1 5 9
\tld.global.f32 \t%f1, [%rd5];
\tadd.f32 \t%f2, %f1, %f1;
\tst.global.f32 \t[%rd7], %f2;

$L__BB0_2:
\t.loc\t1 7 1
\tret;

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
    };
    let prose = |markdown: &str| {
        Cell::Prose(ProseCell {
            markdown: markdown.to_owned(),
        })
    };
    Lesson {
        id: "double".to_owned(),
        title: "Doubling, and one more".to_owned(),
        summary: "What two small kernels move".to_owned(),
        minutes: 3,
        sizes: vec![size("M", "rows", 40), size("N", "columns", 25)],
        recordings: Vec::new(),
        cells: vec![
            prose(
                "# Doubling\n\nEach element is *doubled*, then `1` is added:\n\n```cuda\ny[i] = 2.0f * x[i] + 1.0f;\n```\n\n- in one kernel, or\n- in **two**, and what that costs.\n",
            ),
            Cell::Run(Box::new(run_cell())),
            prose("# What it cost\n\nThe second kernel reads what the first wrote.\n"),
        ],
    }
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).expect("a formula")
}

fn run_cell() -> RunCell {
    let buffer = |name: &str| BufferTemplate {
        name: name.to_owned(),
        element: ElementType::F32,
        shape: vec![formula("M"), formula("N")],
        init: Init::Arange,
    };
    let launch = |kernel: &str, arguments: &[&str]| LaunchTemplate {
        kernel: kernel.to_owned(),
        grid: [formula("ceil_div(M*N, 64)"), formula("1"), formula("1")],
        block: [formula("64"), formula("1"), formula("1")],
        shared_bytes: formula("0"),
        arguments: arguments.iter().map(|text| text.to_string()).collect(),
    };
    RunCell {
        id: "double".to_owned(),
        title: "Two kernels".to_owned(),
        source: SourceFile::new("double.cu", SOURCE),
        buffers: vec![buffer("x"), buffer("y")],
        launches: vec![
            launch("twice", &["x", "y", "M*N"]),
            launch("add_one", &["y", "M*N"]),
        ],
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
        }),
        baselines: Vec::new(),
        taps: vec!["y".to_owned(), "i".to_owned()],
    }
}

/// The plan of the run cell at `sizes`.
pub(super) fn sample_plan(sizes: &Sizes) -> Arc<Plan> {
    Arc::new(run_cell().plan(sizes).expect("sizes are in range"))
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
pub fn sample_ran(job: u64, sizes: &Sizes, watch: Watch) -> Arc<Ran> {
    let plan = sample_plan(sizes);
    let elements = plan.buffers[0].length as u64;
    let lines = [5, 12];
    let launches = plan
        .launches
        .iter()
        .enumerate()
        .map(|(i, launch)| LaunchOutcome {
            kernel: launch.kernel.clone(),
            source: 0,
            grid: launch.grid,
            block: launch.block,
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
            footprints: Vec::new(),
            trace: (i == 0).then(|| trace(watch)),
            printed: Vec::new(),
            timing: None,
            compiled: None,
            hardware: Vec::new(),
            flushed: None,
            counted: None,
            compared: None,
        });
    let buffers: Result<Vec<BufferValues>, _> =
        plan.buffers.iter().map(|spec| spec.fill()).collect();
    let outcome = Outcome {
        engine: Engine::Sim,
        gpu: "h200".to_owned(),
        simulated: "h200".to_owned(),
        ending: Ending::Finished,
        launches: launches.collect(),
        buffers: buffers.expect("fills"),
        reports: Vec::new(),
        timing: None,
        agreement: Vec::new(),
        baselines: Vec::new(),
    };
    let result = CellResult {
        sizes: sizes.clone(),
        formulas: vec![FormulaResult {
            name: "distinct elements read".to_owned(),
            formula: "2*M*N".to_owned(),
            expected: 2 * elements,
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
        ok: true,
        recorded: None,
    };
    Arc::new(Ran {
        job,
        plan,
        watch,
        result,
    })
}

/// A recording of the run cell on an H200, at its own sizes and at another.
pub fn sample_recording(result: &CellResult) -> Recording {
    let mut recorded = run_cell().unrecorded();
    let mut outcome = result.outcome.clone();
    measure(&mut outcome);
    for rows in [40, 4096] {
        let sizes = [("M".to_owned(), rows), ("N".to_owned(), 25)];
        recorded.add(&Sizes::from(sizes), &outcome, None);
    }
    for launch in &mut recorded.runs[1].launches {
        launch.grid = [1600, 1, 1];
    }
    Recording {
        format: RECORDING_FORMAT,
        lesson: "double".to_owned(),
        provenance: Provenance {
            gpu: "h200-sxm".to_owned(),
            device: "NVIDIA H200".to_owned(),
            driver: Some("580.95.05".to_owned()),
            cuda: "13.0".to_owned(),
            nvrtc: "13.0".to_owned(),
            clocks_mhz: Clocks::default(),
            date: "2026-11-20".to_owned(),
            tutor: "0.1.0".to_owned(),
            l2: "flushed".to_owned(),
        },
        cells: vec![recorded],
    }
}

/// A baseline that took so long, or why there are no times of it.
fn baseline(text: &str, ms: Result<f32, &str>, yardsticks: &Yardsticks) -> BaselineOutcome {
    let baseline = Baseline::parse(text).expect("is one");
    BaselineOutcome {
        name: baseline.operation.title().to_owned(),
        library: None,
        version: None,
        timing: ms.ok().and_then(|ms| baseline.timing(&[ms], yardsticks)),
        reason: ms.err().map(str::to_owned),
        max_abs_error: None,
        baseline,
    }
}

/// Makes an outcome one of a real GPU: a millisecond a launch, one element that differs, and baselines of
/// which one is missing.
pub fn measure(outcome: &mut Outcome) {
    let yardsticks = Yardsticks {
        device: "NVIDIA H200".to_owned(),
        l2: "flushed".to_owned(),
        peak_gb_s: Some(4800.0),
        copy_gb_s: None,
    };
    let work = Work {
        distinct_bytes: 1_200_000_000,
        operations: 0,
    };
    outcome.engine = Engine::Gpu;
    for launch in &mut outcome.launches {
        launch.timing = Timing::measured(&[1.0; 20], work, &yardsticks);
    }
    outcome.timing = Timing::measured(&[2.0, 2.1, 2.2], work, &yardsticks);
    outcome.baselines = vec![
        baseline("softmax:64x64", Ok(1.5), &yardsticks),
        baseline("bf16:64x64x64", Err("cuBLAS was not found"), &yardsticks),
    ];
    for buffer in &outcome.buffers {
        let mut agreement = Agreement::of(buffer, buffer);
        if buffer.name == "y" {
            (agreement.equal, agreement.most_ulp) = (agreement.equal - 1, Some(2));
        }
        outcome.agreement.push(agreement);
    }
}

/// Captures the first launch of a measured outcome: the real GPU has another `i` in one lane, does not
/// execute its statement in another, and rounds `scaled` differently in two of the eight lanes that set
/// it.
pub fn sample_values(outcome: &Outcome) -> Vec<Result<Option<Comparison>, String>> {
    let trace = outcome.launches[0].trace.as_ref().expect("is watched");
    let mut real = trace.clone();
    let set = |real: &mut Trace, step: usize, lane: usize, bits: u64| {
        real.steps[step].changes[0].1[lane] = bits;
    };
    set(&mut real, 1, 3, 7);
    real.steps[1].active &= !(1 << 9);
    for lane in [2, 5] {
        let bits = real.steps[3].changes[0].1[lane];
        set(&mut real, 3, lane, bits + lane as u64);
    }
    let site = |step: usize, variable| TracedSite {
        span: trace.steps[step].span,
        variable,
        among: variable..variable + 1,
    };
    let captured = Captured {
        trace: &real,
        sites: &[site(1, 2), site(3, 3)],
        device: "NVIDIA H200",
        evidence: Evidence::Measured,
    };
    vec![Ok(Some(compare(trace, captured, 64))), Ok(None)]
}

/// Gives the first launch what a compiler makes of a kernel like it.
pub fn compile(outcome: &mut Outcome) {
    outcome.launches[0].compiled = Some(CompileReport {
        compiled_by: "NVRTC 13.0".to_owned(),
        registers: 40,
        static_shared_bytes: 1024,
        local_bytes: 0,
        constant_bytes: 0,
        max_threads: 1024,
        blocks_per_sm: 24,
        occupancy: Some(0.75),
        limited_by: vec!["registers".to_owned()],
        ptx: PTX.to_owned(),
    });
}
