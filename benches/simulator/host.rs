//! How fast code of the host runs: the time of a program in the host's interpreter, divided by that of the same loops in
//! Rust. The target is 100 times what `gcc -O0` takes, which itself takes three to eight times as long as these loops.

use std::hint::black_box;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tutor::cuda::{self, FileVariableId, FunctionId};
use tutor::device::{DEFAULT_GPU, Gpu, gpu};
use tutor::host::{
    Device, Io, KernelFacts, KernelLaunch, LaunchEnd, Machine, NoLibrary, Program, Setup, load,
};
use tutor::source::{Diagnostic, NEVER, SourceFile};

/// A program, and the same in Rust: both give what the program prints.
struct HostWorkload {
    name: &'static str,
    text: &'static str,
    plain: fn() -> String,
}

const WORKLOADS: [HostWorkload; 5] = [
    HostWorkload {
        name: "host: sums of an array",
        text: include_str!("../programs/sums.cu"),
        plain: sums,
    },
    HostWorkload {
        name: "host: product of matrices",
        text: include_str!("../programs/product.cu"),
        plain: product,
    },
    HostWorkload {
        name: "host: recursion",
        text: include_str!("../programs/recursion.cu"),
        plain: recursion,
    },
    HostWorkload {
        name: "host: structs behind pointers",
        text: include_str!("../programs/particles.cu"),
        plain: particles,
    },
    HostWorkload {
        name: "host: text",
        text: include_str!("../programs/text.cu"),
        plain: text,
    },
];

fn sums() -> String {
    let mut values = vec![0i32; 10_000];
    for (at, value) in values.iter_mut().enumerate() {
        *value = (at as i32).wrapping_mul(7) % 1000;
    }
    let mut sum = 0i64;
    for round in 0..1000 {
        for value in black_box(&values) {
            sum += i64::from(*value ^ round);
        }
    }
    format!("{sum}\n")
}

fn product() -> String {
    const N: usize = 256;
    let a: Vec<f32> = (0..N * N).map(|at| (at % 13) as f32).collect();
    let b: Vec<f32> = (0..N * N).map(|at| (at % 7) as f32).collect();
    let mut c = vec![0f32; N * N];
    for i in 0..N {
        for j in 0..N {
            let mut sum = 0f32;
            for k in 0..N {
                sum += a[i * N + k] * b[k * N + j];
            }
            c[i * N + j] = sum;
        }
    }
    format!("{:.1} {:.1}\n", c[0], c[N * N - 1])
}

fn recursion() -> String {
    fn fib(n: i32) -> i32 {
        if n < 2 {
            n
        } else {
            fib(black_box(n - 1)) + fib(n - 2)
        }
    }
    format!("{}\n", fib(30))
}

fn particles() -> String {
    #[derive(Clone, Copy)]
    struct Particle {
        position: [f32; 3],
        velocity: [f32; 3],
    }
    let begin = |at: usize| Particle {
        position: [at as f32, 0.0, 1.0],
        velocity: [1.0, at as f32 * 0.5, -1.0],
    };
    let mut all: Vec<Particle> = (0..1000).map(begin).collect();
    for _ in 0..1000 {
        for particle in black_box(&mut all) {
            for axis in 0..3 {
                particle.position[axis] += particle.velocity[axis] * 0.01;
            }
        }
    }
    let sum: f32 = all.iter().map(|particle| particle.position[0]).sum();
    format!("{sum:.2}\n")
}

fn text() -> String {
    let mut length = 0;
    for at in 0..100_000 {
        length += black_box(format!("{at} {:.3} {:>8}", f64::from(at) * 0.5, "word")).len();
    }
    format!("{length}\n")
}

/// A GPU that nobody asks for anything.
struct NoDevice;

impl Device for NoDevice {
    fn gpu(&self) -> &'static Gpu {
        gpu(DEFAULT_GPU).expect("is known")
    }
    fn allocate(&mut self, _: &str, _: u64) -> Option<u64> {
        None
    }
    fn free(&mut self, _: u64) -> bool {
        false
    }
    fn buffer_at(&self, _: u64) -> Option<(u64, u64)> {
        None
    }
    fn symbol(&self, _: FileVariableId) -> Option<(u64, u64)> {
        None
    }
    fn read(&self, _: u64, _: &mut [u8]) -> bool {
        false
    }
    fn write(&mut self, _: u64, _: &[u8]) -> bool {
        false
    }
    fn kernel(&mut self, _: FunctionId) -> Result<KernelFacts, Box<Diagnostic>> {
        Ok(KernelFacts::default())
    }
    fn launch(&mut self, _: &KernelLaunch) -> LaunchEnd {
        LaunchEnd::default()
    }
}

/// What a program prints.
struct Output<'a>(&'a mut Vec<u8>);

impl Io for Output<'_> {
    fn output(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn error(&mut self, _: &[u8]) {}
    fn input(&mut self, _: &mut [u8]) -> usize {
        0
    }
    fn file(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn loaded(workload: &HostWorkload) -> Program {
    let file = SourceFile::new("bench.cu", workload.text);
    let parsed = cuda::parse_program(&file, &[]);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    load(&parsed.program, &NoLibrary, &[]).expect("is complete")
}

fn run(program: &Program) -> (Duration, String) {
    let mut printed = Vec::new();
    let progress = AtomicU64::new(0);
    let start = Instant::now();
    let setup = Setup {
        io: Box::new(Output(&mut printed)),
        device: Box::new(NoDevice),
        library: Box::new(NoLibrary),
        cancel: &NEVER,
        progress: &progress,
        check: false,
    };
    let exit = Machine::new(program, setup).run(&["bench"]);
    assert_eq!(exit.code, 0);
    (
        start.elapsed(),
        String::from_utf8_lossy(&printed).into_owned(),
    )
}

/// A row for each program.
pub fn host_table() {
    println!(
        "{:28} {:>9} {:>9} {:>7}",
        "program", "host ms", "plain ms", "ratio"
    );
    for workload in &WORKLOADS {
        let program = loaded(workload);
        let mut best = [Duration::MAX; 2];
        for _ in 0..3 {
            let (time, printed) = run(&program);
            let start = Instant::now();
            let expected = black_box((workload.plain)());
            best = [best[0].min(time), best[1].min(start.elapsed())];
            assert_eq!(printed, expected, "{}", workload.name);
        }
        let [host, plain] = best.map(|time| time.as_secs_f64() * 1e3);
        println!(
            "{:28} {host:9.1} {plain:9.1} {:6.1}x",
            workload.name,
            host / plain
        );
    }
}
