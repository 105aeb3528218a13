//! One kind of kernel: what is launched, over which buffers, and the plain loop that computes the same.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tutor::compile::compile;
use tutor::launch::{BufferValues, Dim3};
use tutor::memory::{CacheShape, L2, LogQueue, model_launch};
use tutor::simt::{self, Checks, Control, End, GlobalMemory, Launch, Run};
use tutor::source::SourceFile;

use super::values::Values;
use crate::clock::cpu_time;

/// Threads of a block, where nothing else is said.
const BLOCK: usize = 256;

/// What is measured.
pub struct Kind {
    pub name: &'static str,
    text: &'static str,
    kernel: &'static str,
    grid: Dim3,
    block: Dim3,
    buffers: Box<dyn Fn() -> Vec<Values>>,
    numbers: Vec<i64>,
    plain: fn(&mut [Values]),
}

/// How a launch is run.
#[derive(Clone, Copy)]
pub struct Mode {
    pub name: &'static str,
    pub threads: usize,
    pub caches: bool,
    pub checks: Checks,
    pub schedule: Option<u64>,
}

impl Mode {
    /// Counts alone, on one thread.
    pub const COUNTS: Mode = Mode {
        name: "counts",
        threads: 1,
        caches: false,
        checks: Checks::NONE,
        schedule: None,
    };
}

impl Kind {
    /// A kernel with a thread for each of `threads` elements, which gets this number behind its buffers.
    pub fn over(
        threads: usize,
        name: &'static str,
        text: &'static str,
        kernel: &'static str,
    ) -> Self {
        Kind {
            name,
            text,
            kernel,
            grid: [threads.div_ceil(BLOCK) as u32, 1, 1],
            block: [BLOCK as u32, 1, 1],
            buffers: Box::new(Vec::new),
            numbers: vec![threads as i64],
            plain: |_| {},
        }
    }

    /// A kernel with a thread for each element of an image, which gets both sizes behind its buffers.
    pub fn image(
        size: [usize; 2],
        block: [u32; 2],
        name: &'static str,
        text: &'static str,
        kernel: &'static str,
    ) -> Self {
        let blocks = |axis: usize| size[axis].div_ceil(block[axis] as usize) as u32;
        Kind {
            grid: [blocks(0), blocks(1), 1],
            block: [block[0], block[1], 1],
            numbers: size.map(|size| size as i64).to_vec(),
            ..Kind::over(1, name, text, kernel)
        }
    }

    /// So many blocks of so many threads.
    pub fn launched(mut self, grid: Dim3, block: Dim3) -> Self {
        (self.grid, self.block) = (grid, block);
        self
    }

    /// What makes the buffers, which the kernel gets first.
    pub fn buffers(mut self, buffers: impl Fn() -> Vec<Values> + 'static) -> Self {
        self.buffers = Box::new(buffers);
        self
    }

    /// The numbers that it gets behind them.
    pub fn numbers(mut self, numbers: &[i64]) -> Self {
        self.numbers = numbers.to_vec();
        self
    }

    /// The plain loop.
    pub fn plain(mut self, plain: fn(&mut [Values])) -> Self {
        self.plain = plain;
        self
    }

    /// Runs the launch once, on buffers of its own; how long it took, and what came of it.
    pub fn run(&self, mode: Mode) -> (Duration, Run, Vec<BufferValues>) {
        let compiled = compile(&SourceFile::new("kind.cu", self.text), &[]);
        let kernel = compiled.kernel(self.kernel).expect("compiles");
        let buffers = (self.buffers)();
        let memory = GlobalMemory::new(buffers.iter().map(Values::to_buffer).collect());
        let pointers = (0..buffers.len()).map(GlobalMemory::address);
        let numbers = self.numbers.iter().map(|&number| number as u64);
        let launch = Launch {
            kernel,
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: 0,
            arguments: pointers.chain(numbers).collect(),
        };
        let queue = mode.caches.then(LogQueue::default);
        let control = Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            threads: mode.threads,
            fuel: u64::MAX / 2,
            time_limit: None,
            watch: None,
            trace_steps: 0,
            logs: queue.as_ref(),
            checks: mode.checks,
            schedule: mode.schedule,
        };
        let start = cpu_time();
        let run = match &queue {
            Some(queue) => run_with_caches(&launch, &memory, &control, queue),
            None => simt::run(&launch, &memory, &control),
        };
        let time = cpu_time() - start;
        assert_eq!(run.end, End::Finished, "{}", self.name);
        (time, run, memory.into_buffers())
    }

    /// Runs the plain loop on buffers of its own; how long it took, and what it left in them the first time.
    pub fn run_plain(&self) -> (Duration, Vec<Values>) {
        let mut buffers = (self.buffers)();
        (self.plain)(&mut buffers);
        let results = buffers.clone();
        // Once more, now that all memory is there, as it is for the simulated GPU.
        let start = cpu_time();
        (self.plain)(&mut buffers);
        (cpu_time() - start, results)
    }
}

/// Runs a launch while another thread models the caches of an H200.
fn run_with_caches(
    launch: &Launch<'_>,
    memory: &GlobalMemory,
    control: &Control<'_>,
    queue: &LogQueue,
) -> Run {
    let (mut l2, never) = (L2::new(50 << 20), AtomicBool::new(false));
    let shape = CacheShape {
        sms: 132,
        l1_bytes: 192 << 10,
        resident_blocks: 8,
    };
    let sites = launch.kernel.sites.len();
    std::thread::scope(|scope| {
        scope.spawn(|| model_launch(&mut l2, shape, sites, queue, &never));
        let run = simt::run(launch, memory, control);
        queue.close();
        run
    })
}
