//! Half precision and bfloat16. Single precision has more than twice their digits, so sums,
//! products and quotients that it rounds come out right when they are rounded again; only the fused
//! multiply-add needs care.

use half::{bf16, f16};

use super::float::Float;
use crate::ir::{Instruction, Op};
use crate::launch::{bf16_nearest, f16_nearest, odd_f64};
use crate::simt::warp::{LaneOperation, Lanes};

pub(super) fn operation(op: Op) -> Option<LaneOperation> {
    f16_operation(op).or_else(|| bf16_operation(op))
}

fn f16_operation(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AddF16 => |l, i| binary(l, i, from_f16, to_f16, |a, b| a + b),
        Op::SubF16 => |l, i| binary(l, i, from_f16, to_f16, |a, b| a - b),
        Op::MulF16 => |l, i| binary(l, i, from_f16, to_f16, |a, b| a * b),
        Op::DivF16 => |l, i| binary(l, i, from_f16, to_f16, |a, b| a / b),
        Op::MinF16 => |l, i| binary(l, i, from_f16, to_f16, Float::least),
        Op::MaxF16 => |l, i| binary(l, i, from_f16, to_f16, Float::greatest),
        Op::FmaF16 => |l, i| {
            l.ternary(i, |a, b, c| {
                let sum = fma_odd(from_f16(a), from_f16(b), from_f16(c));
                f16_nearest(sum).to_bits().into()
            });
        },
        Op::EqF16 => |l, i| compare(l, i, from_f16, |a, b| a == b),
        Op::NeF16 => |l, i| compare(l, i, from_f16, |a, b| a != b),
        Op::LtF16 => |l, i| compare(l, i, from_f16, |a, b| a < b),
        Op::LeF16 => |l, i| compare(l, i, from_f16, |a, b| a <= b),
        Op::NegB16 => |l, i| l.unary(i, |a| (a ^ 1 << 15) & 0xffff),
        Op::AbsB16 => |l, i| l.unary(i, |a| a & 0x7fff),
        Op::F16ToF32 => |l, i| l.unary(i, |a| from_f16(a).to_bits()),
        Op::F32ToF16 => |l, i| l.unary(i, |a| to_f16(f32::from_bits(a))),
        Op::F64ToF16 => |l, i| l.narrow(i, |a| f16_nearest(f64::from_bits(a)).to_bits().into()),
        Op::I64ToF16 => |l, i| {
            l.narrow(i, |a| {
                f16_nearest(odd_f64((a as i64).into())).to_bits().into()
            });
        },
        Op::U64ToF16 => |l, i| l.narrow(i, |a| f16_nearest(odd_f64(a.into())).to_bits().into()),
        _ => return None,
    };
    Some(operation)
}

fn bf16_operation(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AddBf16 => |l, i| binary(l, i, from_bf16, to_bf16, |a, b| a + b),
        Op::SubBf16 => |l, i| binary(l, i, from_bf16, to_bf16, |a, b| a - b),
        Op::MulBf16 => |l, i| binary(l, i, from_bf16, to_bf16, |a, b| a * b),
        Op::DivBf16 => |l, i| binary(l, i, from_bf16, to_bf16, |a, b| a / b),
        Op::MinBf16 => |l, i| binary(l, i, from_bf16, to_bf16, Float::least),
        Op::MaxBf16 => |l, i| binary(l, i, from_bf16, to_bf16, Float::greatest),
        Op::FmaBf16 => |l, i| {
            l.ternary(i, |a, b, c| {
                let sum = fma_odd(from_bf16(a), from_bf16(b), from_bf16(c));
                bf16_nearest(sum).to_bits().into()
            });
        },
        Op::EqBf16 => |l, i| compare(l, i, from_bf16, |a, b| a == b),
        Op::NeBf16 => |l, i| compare(l, i, from_bf16, |a, b| a != b),
        Op::LtBf16 => |l, i| compare(l, i, from_bf16, |a, b| a < b),
        Op::LeBf16 => |l, i| compare(l, i, from_bf16, |a, b| a <= b),
        Op::Bf16ToF32 => |l, i| l.unary(i, |a| a << 16),
        Op::F32ToBf16 => |l, i| l.unary(i, |a| to_bf16(f32::from_bits(a))),
        Op::F64ToBf16 => |l, i| l.narrow(i, |a| bf16_nearest(f64::from_bits(a)).to_bits().into()),
        Op::I64ToBf16 => |l, i| {
            l.narrow(i, |a| {
                bf16_nearest(odd_f64((a as i64).into())).to_bits().into()
            });
        },
        Op::U64ToBf16 => |l, i| l.narrow(i, |a| bf16_nearest(odd_f64(a.into())).to_bits().into()),
        _ => return None,
    };
    Some(operation)
}

/// The sum of two 16-bit floats, for atomics.
pub fn add_f16(a: u32, b: u32) -> u32 {
    to_f16(from_f16(a) + from_f16(b))
}

/// The sum of two bfloat16, for atomics.
pub fn add_bf16(a: u32, b: u32) -> u32 {
    to_bf16(from_bf16(a) + from_bf16(b))
}

/// The number of a half.
pub fn f16_to_f32(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

fn from_f16(bits: u32) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

fn to_f16(value: f32) -> u32 {
    f16::from_f32(value).to_bits().into()
}

fn from_bf16(bits: u32) -> f32 {
    f32::from_bits(bits << 16)
}

fn to_bf16(value: f32) -> u32 {
    bf16::from_f32(value).to_bits().into()
}

#[inline(always)]
fn binary(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    from: impl Fn(u32) -> f32,
    to: impl Fn(f32) -> u32,
    f: impl Fn(f32, f32) -> f32,
) {
    lanes.binary(i, |a, b| to(f(from(a), from(b))));
}

#[inline(always)]
fn compare(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    from: impl Fn(u32) -> f32,
    f: impl Fn(f32, f32) -> bool,
) {
    lanes.binary(i, |a, b| u32::from(f(from(a), from(b))));
}

/// `a * b + c` in double precision, where the product is exact and the sum is rounded to odd: then
/// rounding it to 16 bits rounds once.
fn fma_odd(a: f32, b: f32, c: f32) -> f64 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // Rounding to odd: an inexact sum whose last bit is even takes the odd neighbour on the side of
    // the exact one.
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(sum.to_bits().wrapping_add(if away { 1 } else { u64::MAX }))
}
