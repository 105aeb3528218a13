//! Generated kernels, run on the simulated GPU and by an evaluator that walks the typed program
//! one thread at a time: two ways from one meaning, with nothing shared behind the front end.

mod evaluate;
mod generate;
mod value;

use tutor::cuda::parse;
use tutor::engine::{Control, Options, run};
use tutor::launch::{
    Argument, BufferSpec, BufferValues, ElementType, Ending, Init, KernelSource, Launch, Plan,
};
use tutor::source::{SourceFile, Style, render};

use evaluate::{Memory, evaluate};

/// Kernels in one run of the test.
const KERNELS: u64 = 400;
/// Blocks and threads: two warps a block, the second one not full.
const GRID: u32 = 3;
const BLOCK: u32 = 50;
/// Elements of each input; generated indices are masked to it.
const INPUT: usize = 64;

fn buffer(name: &str, element: ElementType, length: usize, init: Init) -> BufferSpec {
    BufferSpec {
        name: name.to_owned(),
        element,
        length,
        init,
    }
}

/// The buffers of every generated kernel, in the order of its parameters.
fn buffers() -> Vec<BufferSpec> {
    let threads = (GRID * BLOCK) as usize;
    vec![
        buffer("ints", ElementType::I32, INPUT, Init::Uniform(1)),
        buffer("floats", ElementType::F32, INPUT, Init::Normal(2)),
        buffer("bytes", ElementType::I8, INPUT, Init::Uniform(3)),
        buffer("out", ElementType::I64, threads, Init::Zero),
        buffer("real", ElementType::F64, threads, Init::Zero),
    ]
}

fn simulated(file: &SourceFile) -> Vec<BufferValues> {
    let buffers = buffers();
    let plan = Plan {
        symbols: Vec::new(),
        baselines: Vec::new(),
        sources: vec![KernelSource::new(file.clone(), Vec::new())],
        launches: vec![Launch {
            kernel: "generated".to_owned(),
            source: 0,
            grid: [GRID, 1, 1],
            block: [BLOCK, 1, 1],
            shared_bytes: 0,
            arguments: (0..buffers.len()).map(Argument::Buffer).collect(),
        }],
        buffers,
    };
    let control = Control::default();
    let outcome = run(&plan, &Options::default(), &control).expect("buffers can be filled");
    let reports = outcome.reports.iter();
    let reports: Vec<String> = reports
        .map(|report| render(&report.diagnostic, file, Style::Plain))
        .collect();
    assert!(
        outcome.ending == Ending::Finished,
        "{}\n{}",
        file.text(),
        reports.join("\n")
    );
    outcome.buffers
}

fn evaluated(file: &SourceFile) -> Vec<BufferValues> {
    let parsed = parse(file, &[]);
    let filled = buffers()
        .iter()
        .map(|spec| spec.fill().expect("can be filled"))
        .collect();
    let mut memory = Memory::new(filled);
    for block in 0..GRID {
        for thread in 0..BLOCK {
            evaluate(&parsed.program, &mut memory, [block, thread, BLOCK, GRID]);
        }
    }
    memory.buffers
}

/// Whether two buffers hold the same values; any NaN equals any other.
fn same(a: &BufferValues, b: &BufferValues) -> bool {
    let is_nan = |value: f64| value.is_nan();
    a.values()
        .zip(b.values())
        .all(|(a, b)| a == b || (is_nan(a.as_f64()) && is_nan(b.as_f64())))
}

#[test]
fn generated_kernels_compute_what_one_thread_at_a_time_computes() {
    for seed in 0..KERNELS {
        let text = generate::kernel(seed);
        let file = SourceFile::new("generated.cu", &text);
        let (simulated, evaluated) = (simulated(&file), evaluated(&file));
        for (simulated, evaluated) in simulated.iter().zip(&evaluated) {
            if !same(simulated, evaluated) {
                let pairs = simulated.values().zip(evaluated.values());
                let first = pairs.enumerate().find(|(_, (a, b))| a != b);
                panic!(
                    "seed {seed}, buffer {}: {first:?} (simulated, evaluated)\n{text}",
                    simulated.name
                );
            }
        }
    }
}
