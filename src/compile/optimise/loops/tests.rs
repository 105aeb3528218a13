//! What unrolling does to the code of small kernels.

use crate::compile::compile;
use crate::ir::{Kernel, Op};
use crate::source::SourceFile;

fn kernel(text: &str) -> Kernel {
    let compiled = compile(&SourceFile::new("k.cu", text), &[]);
    assert_eq!(compiled.diagnostics, []);
    compiled.kernels.into_iter().next().expect("there is one")
}

fn count(kernel: &Kernel, op: Op) -> usize {
    kernel.code.iter().filter(|i| i.op == op).count()
}

#[test]
fn a_short_loop_is_unrolled_and_a_long_one_is_not() {
    let sum = |rounds: u32, pragma: &str| {
        kernel(&format!(
            "__global__ void k(float* x) {{ float s = 0.0f;\n{pragma}\nfor (int i = 0; i < {rounds}; ++i) s += x[i];\nx[0] = s; }}"
        ))
    };
    assert_eq!(count(&sum(8, ""), Op::Load), 8);
    assert_eq!(count(&sum(8, "#pragma unroll 1"), Op::Load), 1);
    assert_eq!(count(&sum(1000, ""), Op::Load), 1);
    assert_eq!(count(&sum(1000, "#pragma unroll"), Op::Load), 1000);
}

#[test]
fn iterations_may_be_passed_over() {
    let kernel = kernel(
        "__global__ void k(float* x, int n) { float s = 0.0f;\nfor (int i = 0; i < 4; ++i) { if (i + n < 3) continue; s += x[i]; }\nx[0] = s; }",
    );
    assert_eq!(count(&kernel, Op::Load), 4);
    assert_eq!(count(&kernel, Op::Jump), 0);
}

#[test]
fn the_size_of_a_warp_is_not_known_to_who_unrolls() {
    let sum = |start: &str| {
        kernel(&format!(
            "__global__ void k(float* x) {{ float s = x[0];\nfor (int d = {start}; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);\nx[0] = s; }}"
        ))
    };
    assert_eq!(count(&sum("16"), Op::Jump), 0);
    assert_eq!(count(&sum("warpSize / 2"), Op::Jump), 1);
}

#[test]
fn arrays_indexed_by_an_unrolled_counter_live_in_registers() {
    let kernel = kernel(
        "__global__ void k(float* x) { float a[4];\nfor (int i = 0; i < 4; ++i) a[i] = x[i];\nfor (int i = 0; i < 4; ++i) x[i] = a[3 - i]; }",
    );
    assert_eq!(kernel.memory.local_bytes, 0);
    assert_eq!(count(&kernel, Op::LoadLocal), 0);
}

#[test]
fn a_long_loop_is_unrolled_where_its_counter_is_an_index_of_an_array_in_registers() {
    let exponentials = |count: u32| {
        kernel(&format!(
            "__global__ void k(float* x) {{ float a[{count}], s = 0.0f;\nfor (int i = 0; i < {count}; ++i) a[i] = x[i * 32];\nfor (int i = 0; i < {count}; ++i) {{ a[i] = expf(a[i]); s += a[i]; }}\nfor (int i = 0; i < {count}; ++i) x[i * 32] = a[i] / s; }}"
        ))
    };
    let kernel = exponentials(64);
    assert_eq!(
        (kernel.memory.local_bytes, count(&kernel, Op::ExpF32)),
        (0, 64)
    );
    // As nvcc has it, too long for all that.
    let kernel = exponentials(160);
    assert_eq!(
        (kernel.memory.local_bytes, count(&kernel, Op::ExpF32)),
        (640, 1)
    );
}

#[test]
fn loops_in_loops_that_do_nothing_of_note_do_not_grow_without_bound() {
    let loops =
        "for (int i = 0; i < 60; ++i) for (int j = 0; j < 60; ++j) for (int k = 0; k < 60; ++k)";
    let kernel = kernel(&format!(
        "__global__ void k(int* x) {{ int n = 0; {loops} n = n ^ (i + j + k); x[0] = n; }}"
    ));
    assert!(
        kernel.code.len() < 5000,
        "{} instructions",
        kernel.code.len()
    );
}

#[test]
fn neighbours_in_shared_memory_are_loaded_together() {
    let kernel = kernel(
        "__global__ void k(float* x) { __shared__ float s[8]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\nfloat t = 0.0f; for (int i = 0; i < 8; ++i) t += s[i];\nx[threadIdx.x] = t; }",
    );
    let loads = kernel.code.iter().filter(|i| i.op == Op::LoadShared);
    let widths: Vec<u32> = loads
        .map(|i| kernel.sites[i.imm as usize].width_bytes)
        .collect();
    assert_eq!(widths, [16, 16]);
}

#[test]
fn volatile_memory_is_loaded_every_time() {
    let kernel =
        kernel("__global__ void k(float* x) { volatile float* v = x; x[1] = v[0] + v[0]; }");
    assert_eq!(count(&kernel, Op::Load), 2);
}

#[test]
fn a_loop_that_leaves_its_own_thread_out_is_split_behind_a_bounds_check() {
    let sum = |check: &str, from: u32, test: &str| {
        let text = format!(
            "__global__ void k(const float* x, float* y, int n) {{ int i = threadIdx.x;\n{check}\nfloat s = 0;\nfor (int j = {from}; j < n; ++j) {{ {test} }}\ny[i] = s; }}"
        );
        count(&kernel(&text), Op::Load)
    };
    let check = "if (i >= n) return;";
    assert_eq!(sum(check, 0, "if (j == i) continue; s += x[j];"), 2);
    assert_eq!(sum(check, 0, "if (j != i) { s += x[j]; }"), 2);
    assert_eq!(sum("", 0, "if (j == i) continue; s += x[j];"), 1);
    assert_eq!(sum(check, 1, "if (j == i) continue; s += x[j];"), 1);
    assert_eq!(sum(check, 0, "if (j == i) break; s += x[j];"), 1);
    let assigned = "if (i >= n) return; i = i / 2;";
    assert_eq!(sum(assigned, 0, "if (j == i) continue; s += x[j];"), 1);
}
