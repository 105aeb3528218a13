//! Double precision: results rounded as IEEE 754 says, denormals kept.

use crate::ir::{Instruction, Op};
use crate::simt::warp::{LaneOperation, Lanes};

versions! {
pub(super) fn operation(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AddF64 => |l, i| binary(l, i, |a, b| a + b),
        Op::SubF64 => |l, i| binary(l, i, |a, b| a - b),
        Op::MulF64 => |l, i| binary(l, i, |a, b| a * b),
        Op::FmaF64 => fma,
        Op::DivF64 => |l, i| binary(l, i, |a, b| a / b),
        Op::NegF64 => |l, i| l.unary64(i, |a| a ^ 1 << 63),
        Op::AbsF64 => |l, i| l.unary64(i, |a| a & !(1 << 63)),
        Op::MinF64 => |l, i| binary(l, i, min),
        Op::MaxF64 => |l, i| binary(l, i, max),
        Op::SqrtF64 => |l, i| unary(l, i, f64::sqrt),
        Op::RsqrtF64 => |l, i| unary(l, i, |a| 1.0 / a.sqrt()),
        Op::ExpF64 => |l, i| unary(l, i, f64::exp),
        Op::Exp2F64 => |l, i| unary(l, i, f64::exp2),
        Op::Exp10F64 => |l, i| unary(l, i, |a| 10_f64.powf(a)),
        Op::LogF64 => |l, i| unary(l, i, f64::ln),
        Op::Log2F64 => |l, i| unary(l, i, f64::log2),
        Op::Log10F64 => |l, i| unary(l, i, f64::log10),
        Op::SinF64 => |l, i| unary(l, i, f64::sin),
        Op::CosF64 => |l, i| unary(l, i, f64::cos),
        Op::TanF64 => |l, i| unary(l, i, f64::tan),
        Op::TanhF64 => |l, i| unary(l, i, f64::tanh),
        Op::PowF64 => |l, i| binary(l, i, f64::powf),
        Op::FmodF64 => |l, i| binary(l, i, |a, b| a % b),
        Op::FloorF64 => |l, i| unary(l, i, f64::floor),
        Op::CeilF64 => |l, i| unary(l, i, f64::ceil),
        Op::TruncF64 => |l, i| unary(l, i, f64::trunc),
        Op::RoundF64 => |l, i| unary(l, i, f64::round),
        Op::RintF64 => |l, i| unary(l, i, f64::round_ties_even),
        Op::EqF64 => |l, i| compare(l, i, |a, b| a == b),
        Op::NeF64 => |l, i| compare(l, i, |a, b| a != b),
        Op::LtF64 => |l, i| compare(l, i, |a, b| a < b),
        Op::LeF64 => |l, i| compare(l, i, |a, b| a <= b),
        _ => return None,
    };
    Some(operation)
}
}

#[inline(always)]
fn unary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64) -> f64) {
    lanes.unary64(i, |a| f(f64::from_bits(a)).to_bits());
}

#[inline(always)]
fn binary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64, f64) -> f64) {
    lanes.binary64(i, |a, b| f(f64::from_bits(a), f64::from_bits(b)).to_bits());
}

#[inline(always)]
fn compare(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64, f64) -> bool) {
    lanes.compare64(i, |a, b| f(f64::from_bits(a), f64::from_bits(b)));
}

/// The lesser; a number where the other is NaN; -0 is less than +0, as in PTX.
#[inline(always)]
fn min(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a == b {
        equal
    } else if a < b {
        a
    } else {
        b
    };
    let or_b = if a.is_nan() { b } else { ordered };
    if b.is_nan() { a } else { or_b }
}

/// The greater; a number where the other is NaN; -0 is less than +0, as in PTX.
#[inline(always)]
fn max(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a == b {
        equal
    } else if a > b {
        a
    } else {
        b
    };
    let or_b = if a.is_nan() { b } else { ordered };
    if b.is_nan() { a } else { or_b }
}

fn fma(lanes: &mut Lanes<'_>, i: Instruction) {
    let fused = |a, b, c| f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    lanes.ternary64(i, |a, b, c| fused(a, b, c).to_bits());
}
