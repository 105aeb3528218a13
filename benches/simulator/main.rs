//! How fast the simulator is: the time of a launch with all counting on and checks off, divided by
//! that of a plain single-threaded Rust loop which computes the same result without counting.
//!
//! Triton kernels stand in a table of their own: `cargo bench -- --triton` prints that alone.
//!
//! Programs of the host stand in a table of their own: `cargo bench -- --host` prints that alone.
//!
//! Kinds of kernels, with nanoseconds for each warp instruction, stand in one that is printed by `cargo bench -- --kinds`.
//!
//! `cargo bench` prints a table of these ratios first: machines and their load differ, ratios of
//! neighbouring measurements differ little. `cargo bench -- NAME` measures with criterion only.

mod clock;
mod history;
mod host;
mod kinds;
mod plain;
mod triton;
mod workload;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use tutor::compile::compile;
use tutor::source::SourceFile;
use workload::{Workload, all};

/// Most time that one workload's measurements may take, in the table.
const BUDGET: Duration = Duration::from_secs(8);

fn main() {
    if std::env::args().any(|argument| argument == "--host") {
        return host::host_table();
    }
    if std::env::args().any(|argument| argument == "--triton") {
        return triton::triton_table();
    }
    if std::env::args().any(|argument| argument == "--kinds") {
        return kinds::kinds_table();
    }
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut arguments = std::env::args().skip(1);
    if arguments.all(|argument| argument == "--bench") {
        table();
        triton::triton_table();
        host::host_table();
    }
    compile_time(&mut criterion);
    history::history_time(&mut criterion);
    for workload in all() {
        let mut group = criterion.benchmark_group(workload.name);
        group.bench_function("simulator", |bencher| bencher.iter(|| workload.run(1)));
        group.bench_function("plain", |bencher| bencher.iter(|| (workload.plain)()));
        group.finish();
    }
    criterion.final_summary();
}

fn table() {
    println!(
        "{:28} {:>9} {:>9} {:>7} {:>7} {:>11} {:>11}",
        "workload", "sim ms", "plain ms", "ratio", "target", "two threads", "with caches"
    );
    for workload in all() {
        let [one, two, plain, caches] = measure(&workload);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let ratio = one.as_secs_f64() / plain.as_secs_f64();
        println!(
            "{:28} {:9.1} {:9.1} {:6.2}x {:6.1}x {:10.2}x {:10.2}x",
            workload.name,
            milliseconds(one),
            milliseconds(plain),
            ratio,
            workload.target,
            one.as_secs_f64() / two.as_secs_f64(),
            caches.as_secs_f64() / one.as_secs_f64(),
        );
    }
}

/// Least times of the simulator on one thread, on two, of the plain loop, and of the simulator on one
/// thread beside one that models caches, taken in turn: what else the machine does can only add to
/// them.
fn measure(workload: &Workload) -> [Duration; 4] {
    let mut times: [Vec<Duration>; 4] = Default::default();
    let begin = Instant::now();
    while times[0].len() < 3 || (times[0].len() < 15 && begin.elapsed() < BUDGET) {
        times[0].push(workload.run(1));
        times[1].push(workload.run(2));
        let start = Instant::now();
        (workload.plain)();
        times[2].push(start.elapsed());
        times[3].push(workload.run_with_caches(1));
    }
    times.map(|times| times.into_iter().min().unwrap_or_default())
}

/// A kernel of about 150 lines.
fn compile_time(criterion: &mut Criterion) {
    let body = include_str!("../../kernels/softmax/naive.cu");
    let fused = include_str!("../../kernels/softmax/fused.cu").replace("#define", "//");
    let file = SourceFile::new("all.cu", &format!("{body}{fused}"));
    criterion.bench_function("compile 150 lines", |bencher| {
        bencher.iter(|| compile(black_box(&file), &[]))
    });
}
