//! Blocks side by side against blocks one after the other.

use super::*;
use crate::compile::compile;
use crate::source::SourceFile;

const KERNELS: &str = include_str!("adjacent_blocks.cu");
/// Blocks of 64 threads, in x and y.
const GRID: Dim3 = [550, 2, 1];
/// Elements of each buffer: some blocks have none, and one has a warp of them.
const LENGTH: u64 = 69_984;

/// All of `kernel`'s blocks, in the order of `schedule` (one after the other) or not.
fn run_blocks(kernel: &Kernel, schedule: Option<u64>, threads: usize) -> (Run, Vec<BufferValues>) {
    let length = LENGTH;
    let mut case = Case::new(kernel, 1, 64)
        .buffer(floats((0..length).map(|at| (at * 7 % 31) as f32)))
        .buffer(floats((0..length).map(|_| 0.0)));
    case.grid = if kernel.name == "of_blocks" {
        GRID
    } else {
        [GRID[0] * 2, 1, 1]
    };
    case.scalars = vec![length];
    (case.schedule, case.threads) = (schedule, threads);
    case.run()
}

fn kernels() -> Vec<Kernel> {
    let compiled = compile(&SourceFile::new("adjacent_blocks.cu", KERNELS), &[]);
    assert_eq!(compiled.kernels.len(), 5, "{:?}", compiled.diagnostics);
    compiled.kernels
}

#[test]
fn neighbours_do_what_blocks_do_one_after_the_other() {
    for kernel in kernels().iter().filter(|kernel| kernel.name != "misses") {
        let alone = run_blocks(kernel, Some(3), 1);
        assert_eq!(alone.0.end, End::Finished, "{}", kernel.name);
        for threads in [1, 2] {
            let together = run_blocks(kernel, None, threads);
            assert_eq!(together.0.counts, alone.0.counts, "{}", kernel.name);
            assert!(together == alone, "{}", kernel.name);
        }
    }
}

#[test]
fn of_neighbours_that_fault_the_first_is_told() {
    let kernels = kernels();
    let misses = kernels.iter().find(|kernel| kernel.name == "misses");
    for threads in [1, 2] {
        match run_blocks(misses.expect("is there"), None, threads).0.end {
            End::Fault(fault) => {
                let text = format!("{fault:?}");
                assert!(
                    text.contains("(702, 0, 0)") && text.contains("(40, 0, 0)"),
                    "{text}"
                );
            }
            end => panic!("no fault: {end:?}"),
        }
    }
}

#[test]
fn neighbours_take_no_more_than_the_fuel_there_is() {
    for kernel in kernels().iter().filter(|kernel| kernel.name != "misses") {
        let needed = run_blocks(kernel, None, 1).0.counts.warp_instructions;
        for fuel in [needed / 3, needed - 1, needed] {
            let length = LENGTH;
            let mut case = Case::new(kernel, GRID[0] * 2, 64)
                .buffer(floats((0..length).map(|at| at as f32)))
                .buffer(floats((0..length).map(|_| 0.0)));
            if kernel.name == "of_blocks" {
                case.grid = GRID;
            }
            (case.scalars, case.fuel) = (vec![length], fuel);
            let run = case.run().0;
            assert!(run.counts.warp_instructions <= fuel, "{}", kernel.name);
            assert_eq!(run.end == End::Finished, fuel == needed, "{}", kernel.name);
        }
    }
}
