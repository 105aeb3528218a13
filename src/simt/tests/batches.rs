//! Batches against single warps: what a block does is the same both ways.

use super::*;
use crate::compile::compile;
use crate::source::SourceFile;

/// Kernels over `x` (floats to load), `y` (floats to store) and their length, one block each.
const KERNELS: &str = include_str!("batches.cu");

/// One block of `kernel`, watched or not: a block with a watched warp runs warp by warp.
fn run_block(kernel: &Kernel, threads: u32, watched: bool) -> (Run, Vec<BufferValues>) {
    run_case(case(kernel, threads), watched)
}

fn case(kernel: &Kernel, threads: u32) -> Case<'_> {
    let mut case = Case::new(kernel, 1, threads)
        .buffer(floats((0..1000).map(|at| (at * 7 % 31) as f32)))
        .buffer(floats((0..1000).map(|_| 0.0)));
    case.scalars = vec![1000];
    case
}

fn run_case(mut case: Case<'_>, watched: bool) -> (Run, Vec<BufferValues>) {
    case.watch = watched.then(Watch::default);
    let (mut run, buffers) = case.run();
    run.trace = None;
    (run, buffers)
}

#[test]
fn orders_and_checks_are_the_same_whatever_is_remembered_of_accesses() {
    let compiled = compile(&SourceFile::new("batches.cu", KERNELS), &[]);
    let modes = [
        (Checks::NONE, Some(3)),
        (Checks::NONE, Some(4)),
        (Checks::ALL, None),
        (Checks::ALL, Some(5)),
    ];
    for kernel in &compiled.kernels {
        for (threads, (checks, schedule)) in [64, 100, 256]
            .into_iter()
            .flat_map(|threads| modes.map(|mode| (threads, mode)))
        {
            let run = |watched| {
                let case = Case {
                    checks,
                    schedule,
                    ..case(kernel, threads)
                };
                run_case(case, watched)
            };
            let what = format!("{} by {threads}, {checks:?}, {schedule:?}", kernel.name);
            let (quick, alone) = (run(false), run(true));
            // Behind a fault others have come as far as they have; which one is told is the same.
            assert_eq!(quick.0.end, alone.0.end, "{what}");
            assert!(alone.0.end != End::Finished || quick == alone, "{what}");
        }
    }
}

#[test]
fn gangs_do_what_warps_do_one_after_the_other() {
    let compiled = compile(&SourceFile::new("batches.cu", KERNELS), &[]);
    assert!(compiled.kernels.len() >= 8, "{:?}", compiled.diagnostics);
    for kernel in &compiled.kernels {
        for threads in [32, 64, 100, 256, 511] {
            let together = run_block(kernel, threads, false);
            let alone = run_block(kernel, threads, true);
            assert_eq!(together.0.end, alone.0.end, "{} by {threads}", kernel.name);
            if alone.0.end == End::Finished {
                let case = format!("{} by {threads}", kernel.name);
                assert_eq!(together.0.counts, alone.0.counts, "{case}");
                assert_eq!(to_words(&together.1[1]), to_words(&alone.1[1]), "{case}");
                assert!(together == alone, "{case}");
            }
        }
    }
}

#[test]
fn a_gang_that_comes_to_the_end_of_its_fuel_inside_an_if_says_so() {
    let compiled = compile(&SourceFile::new("batches.cu", KERNELS), &[]);
    for name in ["halving", "forward", "some_warps"] {
        let kernel = compiled.kernel(name).expect("is there");
        let needed = run_block(kernel, 256, false).0.counts.warp_instructions;
        for fuel in (0..needed).step_by(37).chain([needed - 1, needed]) {
            let mut case = Case::new(kernel, 1, 256)
                .buffer(floats((0..1000).map(|at| at as f32)))
                .buffer(floats((0..1000).map(|_| 0.0)));
            case.scalars = vec![1000];
            case.fuel = fuel;
            let run = case.run().0;
            assert!(run.counts.warp_instructions <= fuel, "{name} {fuel}");
            assert_eq!(run.end == End::Finished, fuel == needed, "{name} {fuel}");
        }
    }
}

#[test]
fn what_a_block_has_not_set_is_zero_whatever_blocks_before_it_did() {
    let text = r#"__global__ void unset(unsigned* y) {
        unsigned x;
        unsigned last;
        unsigned a[4];
        if (blockIdx.x == 0) {
            x = threadIdx.x + 1;
            a[threadIdx.x % 4] = 9;
        }
        for (int i = 0; i < 2; ++i) {
            if (blockIdx.x > 0) {
                continue;
            }
            last = 5;
        }
        y[blockIdx.x * blockDim.x + threadIdx.x] = x + last + a[0] + a[3];
    }"#;
    let compiled = compile(&SourceFile::new("unset.cu", text), &[]);
    let kernel = compiled.kernel("unset").expect("compiles");
    let case = Case::new(kernel, 3, 64).buffer(words((0..192).map(|_| 1)));
    let (_, buffers) = case.finish();
    let of_first = |at: u32| at + 6 + 9 * u32::from(matches!(at % 4, 0 | 3));
    let expected = (0..192).map(|at| if at < 64 { of_first(at) } else { 0 });
    assert_eq!(to_words(&buffers[0]), expected.collect::<Vec<_>>());
}

#[test]
fn constants_beyond_the_last_register_are_done_without() {
    let compiled = compile(&SourceFile::new("batches.cu", KERNELS), &[]);
    let mut kernel = compiled
        .kernel("strided_and_backwards")
        .expect("is there")
        .clone();
    let few = run_block(&kernel, 64, false);
    kernel.registers = crate::simt::warp::OF_FIRST_WARP - 1;
    let many = run_block(&kernel, 64, false);
    assert_eq!(few.0.counts, many.0.counts);
    assert_eq!(to_words(&few.1[1]), to_words(&many.1[1]));
}
