//! The tables of operations for processors with AVX2 and fused multiply-adds. Results are those of
//! the plain tables, bit for bit, but for the payloads of NaN.

use super::{convert, float, half, integer, integer64, libm, moves};
use crate::ir::Op;
use crate::simt::warp::LaneOperation;

/// Whether the processor that runs this can run them.
#[inline]
pub fn is_supported() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// The function of an operation, on a processor that is supported.
#[allow(unsafe_code)]
pub fn lane_operation(op: Op) -> Option<LaneOperation> {
    assert!(is_supported());
    // SAFETY: the processor has what `operation` is compiled for, as was just asked.
    unsafe { operation(op) }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn operation(op: Op) -> Option<LaneOperation> {
    // The processor fuses by itself; the plain table has to emulate it.
    if op == Op::FmaF32 {
        return Some(|lanes, i| {
            lanes.ternary(i, |a, b, c| {
                let [a, b, c] = [a, b, c].map(f32::from_bits);
                a.mul_add(b, c).to_bits()
            });
        });
    }
    if op == Op::FmaF64 {
        return Some(|lanes, i| {
            lanes.ternary64(i, |a, b, c| {
                let [a, b, c] = [a, b, c].map(f64::from_bits);
                a.mul_add(b, c).to_bits()
            });
        });
    }
    moves::operation_avx2(op)
        .or_else(|| integer::operation_avx2(op))
        .or_else(|| integer64::operation_avx2(op))
        .or_else(|| float::operation_avx2(op))
        .or_else(|| float::of_one_precision_avx2(op))
        .or_else(|| half::operation_avx2(op))
        .or_else(|| half::of_one_format_avx2(op))
        .or_else(|| convert::operation_avx2(op))
        // Not compiled twice: the time goes into scalar functions.
        .or_else(|| libm::operation(op))
}
