//! What is kept of a launch has a bound, however long it runs.

use super::*;
use crate::compile::compile;
use crate::memory::LogQueue;
use crate::simt::machine_bytes;
use crate::source::SourceFile;

/// Runs `body` as a kernel over 1024 floats `y` in one block of so many threads, until its fuel is gone; whether
/// its log was given up.
fn runs_dry(body: &str, threads: u32) -> bool {
    let text = format!("__global__ void k(float *y) {{ int i = threadIdx.x; {body} }}");
    let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
    let kernel = compiled.kernel("k").expect("compiles");
    let launch = Launch {
        kernel,
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes: 0,
        arguments: vec![GlobalMemory::address(0)],
    };
    let queue = LogQueue::of_most(100_000);
    let control = Control {
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
        threads: 1,
        fuel: 1_000_000,
        time_limit: None,
        watch: None,
        trace_steps: 0,
        checks: Checks::NONE,
        schedule: None,
        logs: Some(&queue),
    };
    let memory = GlobalMemory::new(vec![floats([0.0; 1024])]);
    let run = run(&launch, &memory, &control);
    assert!(matches!(run.end, End::OutOfFuel(_)), "{body}");
    queue.has_given_up()
}

#[test]
fn a_trace_of_many_variables_ends_at_its_bytes() {
    let declared: String = (0..40).map(|at| format!("int a{at} = i + {at};")).collect();
    let changed: String = (0..40)
        .map(|at| format!("a{at} += a{};", (at + 1) % 40))
        .collect();
    let text = format!(
        "__global__ void k(float *y) {{ int i = threadIdx.x; {declared}\nfor (;;) {{ {changed} y[i] = a0; }} }}"
    );
    let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
    let kernel = compiled.kernel("k").expect("compiles");
    let mut case = Case::new(kernel, 1, 32).buffer(floats([0.0; 32]));
    (case.trace_steps, case.fuel) = (usize::MAX, 100_000);
    case.watch = Some(Watch::default());
    let trace = case.run().0.trace.expect("is watched");
    let changes: usize = trace
        .steps
        .iter()
        .map(|step| size_of_val(&step.changes[..]))
        .sum();
    assert!(trace.truncated);
    assert!(
        (1 << 19..(1 << 20) + (1 << 17)).contains(&changes),
        "{changes}"
    );
}

#[test]
fn machines_with_much_memory_of_their_own_are_few() {
    let text = "__global__ void k(float *y) { float a[4096]; for (int i = 0; i < 8; ++i) a[i * 512] = y[i % 32];\n\
                y[threadIdx.x] = a[int(y[0])]; }";
    let compiled = compile(&SourceFile::new("k.cu", text), &[]);
    let kernel = compiled.kernel("k").expect("compiles");
    let bytes = machine_bytes(kernel, [1024, 1, 1], 0);
    assert!(
        (16 << 20..32 << 20).contains(&bytes),
        "16 KiB a thread: {bytes}"
    );
    let mut case = Case::new(kernel, 4, 1024).buffer(floats([0.0; 1024]));
    case.threads = 64;
    case.fuel = 1 << 26;
    case.finish();
}

#[test]
fn the_log_of_a_loop_without_end_is_given_up() {
    assert!(runs_dry("for (;;) __syncthreads();", 1024));
    assert!(runs_dry("while (1) y[i] += 1;", 1024));
    assert!(!runs_dry("while (1) i += 1;", 1024), "nothing was accessed");
}
