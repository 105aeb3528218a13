//! The tables for processors with AVX2 and fused multiply-adds. Results are those of the plain
//! tables, bit for bit, but for the payloads of NaN.

use std::arch::x86_64::*;

use super::Agreement;
use super::{convert, double, float, half, integer, integer64, libm, moves};
use crate::ir::Op;
use crate::simt::lanes::{LaneOperation, Vector};

/// Whether the processor that runs this can run them.
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

/// A comparison of patterns, on a processor that is supported.
#[allow(unsafe_code)]
pub fn agreement() -> Agreement {
    assert!(is_supported());
    // SAFETY: the processor has what the function is compiled for, as was just asked.
    unsafe { compiled_agreement() }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_agreement() -> Agreement {
    |values, differences, active, first| agree(values, differences, active, first)
}

/// Whether the values of the active lanes differ from `first` as `differences` say. Compilers
/// make this slow in many ways, so it is written out.
#[target_feature(enable = "avx2")]
fn agree(values: &[Vector], differences: &[Vector], active: u32, first: u32) -> bool {
    let first = _mm256_set1_epi32(first as i32);
    let mut strays = [_mm256_setzero_si256(); 4];
    for (values, differences) in values.iter().zip(differences) {
        for (part, strays) in strays.iter_mut().enumerate() {
            let difference = _mm256_sub_epi32(eight(values, part), eight(differences, part));
            *strays = _mm256_or_si256(*strays, _mm256_xor_si256(difference, first));
        }
    }
    let mut agreeing = !active;
    for (part, strays) in strays.into_iter().enumerate() {
        let equal = _mm256_cmpeq_epi32(strays, _mm256_setzero_si256());
        let lanes = _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32;
        agreeing |= lanes << (part * 8);
    }
    agreeing == u32::MAX
}

/// Lanes `8 * part` to `8 * part + 7`.
#[allow(unsafe_code)]
#[target_feature(enable = "avx2")]
#[inline]
fn eight(vector: &Vector, part: usize) -> __m256i {
    let lanes: &[u32] = &vector[part * 8..part * 8 + 8];
    // SAFETY: the slice has the 32 bytes that are read, and the instruction takes any alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn operation(op: Op) -> Option<LaneOperation> {
    if op == Op::FmaF32 {
        return Some(|lanes, i| {
            lanes.ternary(i, |a, b, c| {
                let [a, b, c] = [a, b, c].map(f32::from_bits);
                a.mul_add(b, c).to_bits()
            });
        });
    }
    moves::operation_avx2(op)
        .or_else(|| integer::operation_avx2(op))
        .or_else(|| integer64::operation_avx2(op))
        .or_else(|| float::operation_avx2(op))
        .or_else(|| double::operation_avx2(op))
        .or_else(|| convert::operation_avx2(op))
        .or_else(|| half::operation(op))
        .or_else(|| libm::operation(op))
}
