//! The kernels that are measured, with their buffers.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tutor::compile::compile;
use tutor::ir::Kernel;
use tutor::launch::{BufferValues, Dim3, ElementType};
use tutor::memory::{CacheShape, L2, LogQueue, model_launch};
use tutor::simt::{self, Checks, Control, End, GlobalMemory, Launch};
use tutor::source::SourceFile;

use super::plain;

/// Kernels to launch over some buffers, and the loop to compare with.
pub struct Workload {
    /// What it is.
    pub name: &'static str,
    /// Most times as long as the plain loop that it may take.
    pub target: f64,
    /// The plain loop, which writes to memory that it has written before.
    pub plain: Box<dyn Fn()>,
    steps: Vec<Step>,
    buffers: Vec<usize>,
}

/// One launch.
pub struct Step {
    pub kernel: Kernel,
    pub grid: Dim3,
    pub block: Dim3,
    pub arguments: Vec<u64>,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
}

impl Workload {
    /// Runs the launches once, on buffers of their own; how long they took.
    pub fn run(&self, threads: usize) -> Duration {
        self.run_on(&self.memory(), threads)
    }

    /// The buffers, before the first launch.
    pub fn memory(&self) -> GlobalMemory {
        let values = |(at, &length): (usize, &usize)| BufferValues {
            name: format!("buffer {at}"),
            element: ElementType::F32,
            bytes: contents(length)
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        };
        GlobalMemory::new(self.buffers.iter().enumerate().map(values).collect())
    }

    /// The same while another thread models the caches of an H200.
    pub fn run_with_caches(&self, threads: usize) -> Duration {
        let (memory, mut l2) = (self.memory(), L2::new(50 << 20));
        let shape = CacheShape {
            sms: 132,
            l1_bytes: 192 << 10,
            resident_blocks: 8,
        };
        let start = Instant::now();
        for step in &self.steps {
            let (queue, never) = (LogQueue::default(), AtomicBool::new(false));
            let sites = step.kernel.sites.len();
            std::thread::scope(|scope| {
                scope.spawn(|| model_launch(&mut l2, shape, sites, &queue, &never));
                step.run(&memory, threads, Some(&queue));
                queue.close();
            });
        }
        start.elapsed()
    }

    /// Runs the launches once on these buffers; how long they took.
    pub fn run_on(&self, memory: &GlobalMemory, threads: usize) -> Duration {
        let start = Instant::now();
        for step in &self.steps {
            step.run(memory, threads, None);
        }
        start.elapsed()
    }
}

impl Step {
    /// Runs it once on buffers.
    pub fn run(&self, memory: &GlobalMemory, threads: usize, logs: Option<&LogQueue>) {
        let control = Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            threads,
            fuel: u64::MAX / 2,
            time_limit: None,
            watch: None,
            trace_steps: 0,
            logs,
            checks: Checks::NONE,
            schedule: None,
        };
        let launch = Launch {
            kernel: &self.kernel,
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: self.shared_bytes,
            arguments: self.arguments.clone(),
        };
        let run = simt::run(&launch, memory, &control);
        assert_eq!(run.end, End::Finished);
    }
}

/// All of them.
pub fn all() -> Vec<Workload> {
    let products = [
        ("matmul_tiled", "tiled matmul 256", 256, 8.0),
        ("matmul_tiled", "tiled matmul 512", 512, 8.0),
        ("matmul_tiled", "tiled matmul 1024", 1024, 8.0),
        ("matmul_naive", "naive matmul 256", 256, 12.0),
    ];
    let mut all: Vec<_> = products
        .map(|(kernel, name, n, target)| matmul(kernel, name, n, target))
        .into();
    all.extend([softmax_warp(), softmax_naive(), vector_add(), histogram()]);
    all
}

/// What buffers begin with.
pub fn contents(length: usize) -> Vec<f32> {
    (0..length).map(|at| (at % 1021) as f32 / 1021.0).collect()
}

/// The kernel called `name` of a text.
pub fn kernel(text: &str, name: &str) -> Kernel {
    let compiled = compile(&SourceFile::new("bench.cu", text), &[]);
    compiled.kernel(name).expect("compiles").clone()
}

fn buffer(index: usize) -> u64 {
    GlobalMemory::address(index)
}

fn matmul(kernel_name: &str, name: &'static str, n: usize, target: f64) -> Workload {
    let side = (n / 16) as u32;
    let (a, b) = (contents(n * n), contents(n * n));
    let c = RefCell::new(contents(n * n));
    Workload {
        name,
        target,
        plain: Box::new(move || {
            let mut c = c.borrow_mut();
            plain::matmul(&a, &b, &mut c, n);
            black_box(&c);
        }),
        steps: vec![Step {
            kernel: kernel(include_str!("../kernels/matmul.cu"), kernel_name),
            grid: [side, side, 1],
            block: [16, 16, 1],
            arguments: vec![buffer(0), buffer(1), buffer(2), n as u64],
            shared_bytes: 0,
        }],
        buffers: vec![n * n; 3],
    }
}

const ROWS: usize = 4096;
const COLUMNS: usize = 1024;

fn plain_softmax() -> Box<dyn Fn()> {
    let x = contents(ROWS * COLUMNS);
    let y = RefCell::new(x.clone());
    Box::new(move || {
        let mut y = y.borrow_mut();
        plain::softmax(&x, &mut y, COLUMNS);
        black_box(&y);
    })
}

fn softmax_warp() -> Workload {
    Workload {
        name: "softmax by shuffles",
        target: 3.0,
        plain: plain_softmax(),
        steps: vec![Step {
            kernel: kernel(include_str!("../kernels/softmax.cu"), "softmax_warp"),
            grid: [ROWS as u32 / 4, 1, 1],
            block: [128, 1, 1],
            arguments: vec![buffer(0), buffer(1), ROWS as u64],
            shared_bytes: 0,
        }],
        buffers: vec![ROWS * COLUMNS; 2],
    }
}

fn softmax_naive() -> Workload {
    let text = include_str!("../../kernels/softmax/naive.cu");
    let [x, maximum, shifted, exponentials, sums, y] = std::array::from_fn(buffer);
    let (rows, columns) = (ROWS as u64, COLUMNS as u64);
    let by_row = [ROWS as u32, 1, 1];
    let by_element = [(ROWS * COLUMNS / 256) as u32, 1, 1];
    let step = |name, grid, arguments| Step {
        kernel: kernel(text, name),
        grid,
        block: [256, 1, 1],
        arguments,
        shared_bytes: 0,
    };
    Workload {
        name: "softmax in five kernels",
        target: 6.0,
        plain: plain_softmax(),
        steps: vec![
            step("row_max", by_row, vec![x, maximum, columns]),
            step(
                "subtract_max",
                by_element,
                vec![x, maximum, shifted, rows, columns],
            ),
            step(
                "exponentiate",
                by_element,
                vec![shifted, exponentials, rows * columns],
            ),
            step("row_sum", by_row, vec![exponentials, sums, columns]),
            step(
                "divide",
                by_element,
                vec![exponentials, sums, y, rows, columns],
            ),
        ],
        buffers: vec![
            ROWS * COLUMNS,
            ROWS,
            ROWS * COLUMNS,
            ROWS * COLUMNS,
            ROWS,
            ROWS * COLUMNS,
        ],
    }
}

fn vector_add() -> Workload {
    let n = 1 << 24;
    let (a, b) = (contents(n), contents(n));
    let c = RefCell::new(contents(n));
    Workload {
        name: "vector add 2^24",
        target: 2.5,
        plain: Box::new(move || {
            let mut c = c.borrow_mut();
            plain::add(&a, &b, &mut c);
            black_box(&c);
        }),
        steps: vec![Step {
            kernel: kernel(include_str!("../kernels/vector_add.cu"), "vector_add"),
            grid: [(n / 256) as u32, 1, 1],
            block: [256, 1, 1],
            arguments: vec![buffer(0), buffer(1), buffer(2), n as u64],
            shared_bytes: 0,
        }],
        buffers: vec![n; 3],
    }
}

fn histogram() -> Workload {
    let n = 1 << 22;
    let x = contents(n);
    let bins = RefCell::new([0_u32; 256]);
    Workload {
        name: "histogram 2^22",
        target: 20.0,
        plain: Box::new(move || {
            let mut bins = bins.borrow_mut();
            plain::histogram(&x, &mut bins);
            black_box(&bins);
        }),
        steps: vec![Step {
            kernel: kernel(include_str!("../kernels/histogram.cu"), "histogram"),
            grid: [1024, 1, 1],
            block: [256, 1, 1],
            arguments: vec![buffer(0), buffer(1), n as u64],
            shared_bytes: 0,
        }],
        buffers: vec![n, 256],
    }
}
