//! What the kernels' arithmetic costs.

use crate::compile::compile;
use crate::ir::{Kernel, Op};
use crate::launch::Fp32Counts;
use crate::source::SourceFile;

/// The only kernel of a text.
fn only_kernel(text: &str) -> Kernel {
    let mut compiled = compile(&SourceFile::new("k.cu", text), &[]);
    assert_eq!(compiled.diagnostics, []);
    compiled.kernels.swap_remove(0)
}

/// What one lane that goes through all of a kernel's code computes.
fn costs(body: &str) -> (u64, u64, u64) {
    let text = format!(
        "__global__ void k(float* x, float* y) {{ int i = threadIdx.x; float a = x[i], b = x[i + 1];\n{body}\n}}"
    );
    let kernel = only_kernel(&text);
    let sum = |sum: Fp32Counts, pc| sum + kernel.fp32_cost(pc);
    let total = (0..kernel.code.len()).fold(Fp32Counts::default(), sum);
    (total.add, total.mul, total.fma)
}

#[test]
fn a_product_that_only_sums_take_in_is_part_of_them() {
    assert_eq!(costs("float p = a * b; y[i] = p + a;"), (0, 0, 1));
    assert_eq!(
        costs("float p = a * b; y[i] = p + a; y[i + 1] = p - b;"),
        (0, 0, 2)
    );
    assert_eq!(
        costs("float p = a * b; y[i] = p; y[i + 1] = p + b;"),
        (1, 1, 0)
    );
}

#[test]
fn what_nobody_needs_and_what_is_known_costs_nothing() {
    assert_eq!(costs("float p = a * b; y[i] = a;"), (0, 0, 0));
    assert_eq!(costs("float p = 1.0f; p *= a; y[i] = p;"), (0, 0, 0));
}

#[test]
fn what_is_known_by_each_way_costs_nothing_where_they_meet() {
    assert_eq!(
        costs("float p = 0.0f, q = 0.0f; if (i % 2) p = 100.0f; else q = 200.0f; y[i] = p + q;"),
        (0, 0, 0)
    );
    assert_eq!(
        costs("float p = 0.0f, q = 0.0f; if (i % 2) p = a; else q = 200.0f; y[i] = p + q;"),
        (1, 0, 0)
    );
}

#[test]
fn dividing_by_a_power_of_two_is_multiplying() {
    assert_eq!(costs("y[i] = a / 8.0f;"), (0, 1, 0));
    assert_eq!(costs("y[i] = a / 8.0f + b;"), (0, 0, 1));
    assert_eq!(costs("y[i] = a / 0.5f;"), (1, 0, 0));
    assert_eq!(costs("y[i] = a / sqrtf(16.0f);"), (0, 1, 0));
    assert_eq!(costs("y[i] = a / 3.0f;"), (0, 0, 5));
}

#[test]
fn what_is_computed_twice_is_done_once_where_the_first_is_sure_to_have_been() {
    assert_eq!(
        costs("float p = a * b; float q = b * a; y[i] = p; y[i + 1] = q;"),
        (0, 1, 0)
    );
    assert_eq!(
        costs("if (a > 1.0f) y[i] = a * b; if (b > 1.0f) y[i + 1] = a * b;"),
        (0, 2, 0)
    );
    assert_eq!(costs("y[i] = expf(-0.5f) * a;"), (0, 1, 0));
}

#[test]
fn waves_of_one_angle_share_its_reduction() {
    // Each with both of the instructions that only some quarters need.
    assert_eq!(costs("y[i] = sinf(a);"), (0, 2, 9));
    assert_eq!(costs("y[i] = sinf(a); y[i + 1] = cosf(a);"), (0, 3, 15));
    assert_eq!(costs("sincosf(a, &y[i], &y[i + 1]);"), (0, 2, 11));
}

#[test]
fn the_logarithm_of_a_base_is_taken_before_the_loop() {
    let text = "for (int k = 0; k < n; ++k) y[k] = powf(10000.0f, x[k]);";
    let text = format!("__global__ void k(float* x, float* y, int n) {{ {text} }}");
    let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
    let kernel = &compiled.kernels[0];
    let head = kernel.code.iter().find(|i| i.op == crate::ir::Op::Jump);
    let before = head.expect("loops").imm as usize - 1;
    let cost = kernel.fp32_cost(before);
    assert_eq!((cost.add, cost.mul, cost.fma), (4, 3, 11));
}

#[test]
fn branches_of_one_step_are_computed_by_all_but_for_the_last_step() {
    assert_eq!(
        costs("float r; if (a > b) r = a * 3.0f; else r = a + b; y[i] = r;"),
        (1, 1, 0)
    );
}

/// The requests for loads of global memory that a kernel makes of one warp that goes through all of its code.
fn counted_loads(body: &str) -> usize {
    let text = format!(
        "__global__ void k(float* x, float* y, volatile float* z, int n) {{ int i = threadIdx.x;\n{body}\n}}"
    );
    let kernel = only_kernel(&text);
    let loads = kernel.code.iter().filter(|i| i.op == Op::Load);
    let counted = loads.filter(|i| !kernel.sites[i.imm as usize].is_silent());
    counted.count()
}

#[test]
fn what_nobody_needs_is_not_loaded() {
    assert_eq!(counted_loads("float a = x[i]; y[i] = 1.0f;"), 0);
    assert_eq!(counted_loads("float a = z[i]; y[i] = 1.0f;"), 1);
    assert_eq!(
        counted_loads("float a = x[i]; if (a > 0.0f) a = x[i + 1]; y[i] = 1.0f;"),
        0
    );
    assert_eq!(
        counted_loads("float a = x[i]; if (a > 0.0f) y[i] = 1.0f;"),
        1
    );
    assert_eq!(
        counted_loads("float a = 0.0f; for (int j = 0; j < n; ++j) a += x[j]; y[i] = 1.0f;"),
        0
    );
    assert_eq!(
        counted_loads("int j = 0; while (x[j] > 0.0f) ++j; y[i] = j;"),
        1
    );
    assert_eq!(
        counted_loads("for (int j = 0; j < n; ++j) { if (x[j] > 0.0f) break; y[j] = 1.0f; }"),
        1
    );
    assert_eq!(
        counted_loads("float a = __shfl_xor_sync(~0u, x[i], 1); y[i] = 1.0f;"),
        0
    );
}

#[test]
fn an_index_that_was_divided_is_the_same_when_it_is_put_together() {
    let same = |index: &str| {
        counted_loads(&format!(
            "int row = i / n, col = i % n; y[i] = x[i] + x[{index}];"
        ))
    };
    assert_eq!(same("row * n + col"), 1);
    assert_eq!(same("n * row + col"), 1);
    assert_eq!(same("col * n + row"), 2);
    assert_eq!(same("i / 8 * 8 + i % 8"), 1);
}

#[test]
fn what_a_loop_has_stored_last_is_not_loaded_behind_it() {
    assert_eq!(
        counted_loads("for (int j = 0; j < n; ++j) y[i] += j * 0.5f; x[i] = y[i];"),
        1
    );
}

#[test]
fn what_a_side_of_an_if_has_is_loaded_by_the_other_alone() {
    let add = "if (i < n) y[i] += 1.0f;";
    // Once before the `if`: both sides would.
    assert_eq!(counted_loads(&format!("{add} y[i] += 2.0f;")), 1);
    assert_eq!(
        counted_loads(&format!("y[i] += 3.0f; {add} x[i] = y[i];")),
        1
    );
    // A division's code has branches.
    assert_eq!(
        counted_loads("if (i < n) y[i] += x[i % n]; y[i] += 2.0f;"),
        3
    );
    // In the one that does not have it, at its end.
    assert_eq!(counted_loads("if (i < n) y[i] = 1.0f; x[i] = y[i];"), 1);
    assert_eq!(
        counted_loads("if (i < n) y[i] = x[i]; if (y[i] > 2.0f) x[i] = 1.0f;"),
        2
    );
    assert_eq!(
        counted_loads("if (i < n) y[i] += 1.0f; else y[i] -= x[i]; x[i] = y[i] * 2.0f;"),
        3
    );
    assert_eq!(
        counted_loads("if (i < n) y[i] += 1.0f; else x[i] = 5.0f; x[i + 64] = y[i];"),
        2
    );
    // Not across another `if`, a barrier, or where it is another place.
    assert_eq!(
        counted_loads(&format!("{add} if (i > 5) x[i] = 1.0f; x[i + 64] = y[i];")),
        2
    );
    assert_eq!(
        counted_loads(&format!("{add} __syncthreads(); x[i] = y[i];")),
        2
    );
    assert_eq!(
        counted_loads("int k = i; if (i < n) { y[k] += 1.0f; k += 4; } x[i] = y[k];"),
        2
    );
    assert_eq!(
        counted_loads("if (i < n) { float t = y[i]; x[i + 64] = t; } x[i] = y[i];"),
        2
    );
}

#[test]
fn a_product_of_a_negative_that_is_stored_is_a_multiply_add() {
    assert_eq!(costs("y[i] = -a * b;"), (0, 0, 1));
    assert_eq!(costs("y[i] = -(a * b);"), (0, 0, 1));
    assert_eq!(costs("y[i] = (-a) * (-b);"), (0, 1, 0));
    assert_eq!(costs("y[i] = -a * 3.0f;"), (0, 1, 0));
    assert_eq!(costs("float p = -a * b; y[i] = fmaxf(p, 1.0f);"), (0, 1, 0));
    assert_eq!(
        costs("float p = -a * b; y[i] = p; y[i + 1] = p + 1.0f;"),
        (2, 1, 0)
    );
    assert_eq!(costs("y[i] = -(a + b);"), (2, 0, 0));
}

#[test]
fn twice_a_product_is_a_multiply_add_beside_it() {
    assert_eq!(costs("y[i] = a * b * 2.0f;"), (0, 1, 1));
    assert_eq!(
        costs("float p = a * b; y[i] = p + p; y[i + 1] = p + a;"),
        (0, 1, 2)
    );
    assert_eq!(
        costs("float p = a * b; y[i] = p + p; y[i + 1] = a - p;"),
        (2, 1, 0)
    );
    assert_eq!(
        costs("float p = a * b; y[i] = p * 2.0f; y[i + 1] = p;"),
        (1, 1, 0)
    );
    assert_eq!(costs("y[i] = a * b / 2.0f + a;"), (0, 1, 1));
    assert_eq!(costs("float p = a * b; y[i] = p * 2.0f + p;"), (0, 1, 1));
}

#[test]
fn what_all_ways_but_one_know_is_computed_on_that_way() {
    let cost_outside = |body: &str| {
        let text = format!(
            "__global__ void k(float* x, float* y, int n) {{ int i = threadIdx.x; float v = 0.0f;\nif (i < n) v = x[i];\n{body}\n}}"
        );
        let kernel = only_kernel(&text);
        let end = kernel.code.iter().position(|i| i.op == Op::EndIf);
        let behind = end.expect("has a branch")..kernel.code.len();
        let sum = |sum: Fp32Counts, pc| sum + kernel.fp32_cost(pc);
        let total = behind.fold(Fp32Counts::default(), sum);
        total.add + total.mul + total.fma
    };
    assert_eq!(cost_outside("y[i] = v * 3.0f + 1.0f;"), 0);
    assert_eq!(cost_outside("y[i] = v + v;"), 1);
    assert_eq!(cost_outside("y[i] = v * n;"), 1);
    assert_eq!(cost_outside("y[i] = v * 3.0f; y[i + 1] = v;"), 1);
}
