//! What is kept of a launch has a bound, however long it runs.

use super::*;
use crate::compile::compile;
use crate::memory::LogQueue;
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
fn the_log_of_a_loop_without_end_is_given_up() {
    assert!(runs_dry("for (;;) __syncthreads();", 1024));
    assert!(runs_dry("while (1) y[i] += 1;", 1024));
    assert!(!runs_dry("while (1) i += 1;", 1024), "nothing was accessed");
}
