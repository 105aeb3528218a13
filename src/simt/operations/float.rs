//! Single precision: results rounded as IEEE 754 says, denormals kept.

use super::exp::exp;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::warp::{LaneOperation, Lanes};

versions! {
pub(super) fn operation(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AddF32 => |l, i| binary(l, i, |a, b| a + b),
        Op::SubF32 => |l, i| binary(l, i, |a, b| a - b),
        Op::MulF32 => |l, i| binary(l, i, |a, b| a * b),
        Op::FmaF32 => fma,
        Op::DivF32 => |l, i| binary(l, i, |a, b| a / b),
        Op::FastDivF32 => |l, i| binary(l, i, |a, b| a * (1.0 / b)),
        Op::RcpF32 => |l, i| unary(l, i, |a| 1.0 / a),
        Op::NegF32 => |l, i| l.unary(i, |a| a ^ 1 << 31),
        Op::AbsF32 => |l, i| l.unary(i, |a| a & !(1 << 31)),
        Op::MinF32 => |l, i| binary(l, i, min),
        Op::MaxF32 => |l, i| binary(l, i, max),
        Op::SqrtF32 => |l, i| unary(l, i, f32::sqrt),
        Op::RsqrtF32 => |l, i| unary(l, i, |a| (1.0 / f64::from(a).sqrt()) as f32),
        Op::ExpF32 => |l, i| {
            l.each(|l| {
                let value = exp(l.get(i.a));
                l.set(i.dst, value);
            });
        },
        Op::ExpAddF32 => |l, i| {
            l.each(|l| {
                let (a, b) = (exp(l.get(i.a)), *l.get(i.b));
                let sum = |lane: usize| (f32::from_bits(a[lane]) + f32::from_bits(b[lane])).to_bits();
                l.set(i.dst, std::array::from_fn(sum));
            });
        },
        Op::Exp2F32 => |l, i| unary(l, i, f32::exp2),
        Op::Exp10F32 => |l, i| unary(l, i, |a| 10_f64.powf(f64::from(a)) as f32),
        Op::LogF32 => |l, i| unary(l, i, f32::ln),
        Op::Log2F32 | Op::FastLog2F32 => |l, i| unary(l, i, f32::log2),
        Op::Log10F32 => |l, i| unary(l, i, f32::log10),
        Op::SinF32 | Op::FastSinF32 => |l, i| unary(l, i, f32::sin),
        Op::CosF32 | Op::FastCosF32 => |l, i| unary(l, i, f32::cos),
        Op::TanF32 => |l, i| unary(l, i, f32::tan),
        Op::TanhF32 => |l, i| unary(l, i, f32::tanh),
        Op::PowF32 => |l, i| binary(l, i, f32::powf),
        Op::FmodF32 => |l, i| binary(l, i, |a, b| a % b),
        Op::FloorF32 => |l, i| unary(l, i, f32::floor),
        Op::CeilF32 => |l, i| unary(l, i, f32::ceil),
        Op::TruncF32 => |l, i| unary(l, i, f32::trunc),
        Op::RoundF32 => |l, i| unary(l, i, f32::round),
        Op::RintF32 => |l, i| unary(l, i, f32::round_ties_even),
        Op::EqF32 => |l, i| compare(l, i, |a, b| a == b),
        Op::NeF32 => |l, i| compare(l, i, |a, b| a != b),
        Op::LtF32 => |l, i| compare(l, i, |a, b| a < b),
        Op::LeF32 => |l, i| compare(l, i, |a, b| a <= b),
        _ => return None,
    };
    Some(operation)
}
}

#[inline(always)]
fn unary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f32) -> f32) {
    lanes.unary(i, |a| f(f32::from_bits(a)).to_bits());
}

#[inline(always)]
fn binary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f32, f32) -> f32) {
    lanes.binary(i, |a, b| f(f32::from_bits(a), f32::from_bits(b)).to_bits());
}

#[inline(always)]
fn compare(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f32, f32) -> bool) {
    lanes.binary(i, |a, b| u32::from(f(f32::from_bits(a), f32::from_bits(b))));
}

/// The lesser; a number where the other is NaN; -0 is less than +0, as in PTX.
#[inline(always)]
pub(super) fn min(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
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
pub(super) fn max(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
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

/// `a * b + c` rounded once. In double precision the product is exact, and rounding the sum twice
/// (to double, then to single) can only go wrong where the double lies halfway between two singles
/// or is too small for a normal single: those vectors are computed again, the slow way.
fn fma(lanes: &mut Lanes<'_>, i: Instruction) {
    lanes.each(|lanes| fma_of_warp(lanes, i));
}

fn fma_of_warp(lanes: &mut Lanes<'_>, i: Instruction) {
    let (a, b, c) = (*lanes.get(i.a), *lanes.get(i.b), *lanes.get(i.c));
    let wide = |bits: u32| f64::from(f32::from_bits(bits));
    let mut value = [0; WARP_LANES];
    let mut doubtful = 0;
    for lane in 0..WARP_LANES {
        let sum = wide(a[lane]) * wide(b[lane]) + wide(c[lane]);
        let rounded = sum as f32;
        value[lane] = rounded.to_bits();
        let halfway = sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000;
        let small = value[lane] & 0x7fff_ffff <= 0x0080_0000 && sum != 0.0;
        doubtful |= u32::from(halfway | small);
    }
    if doubtful != 0 {
        for lane in 0..WARP_LANES {
            value[lane] = fma_exact(a[lane], b[lane], c[lane]);
        }
    }
    lanes.set(i.dst, value);
}

/// Rounds the sum to odd in double precision, after which rounding to single is right (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
fn fma_exact(a: u32, b: u32, c: u32) -> u32 {
    let wide = |bits: u32| f64::from(f32::from_bits(bits));
    let (product, c) = (wide(a) * wide(b), wide(c));
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let mut bits = sum.to_bits();
    if sum.is_finite() && error != 0.0 && bits & 1 == 0 {
        if (error > 0.0) == (sum > 0.0) {
            bits += 1;
        } else {
            bits -= 1;
        }
    }
    (f64::from_bits(bits) as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(ours: u32, theirs: f32) -> bool {
        ours == theirs.to_bits() || (f32::from_bits(ours).is_nan() && theirs.is_nan())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_slow_sum_rounds_once(a: u32, b: u32, c: u32) {
            let [x, y, z] = [a, b, c].map(f32::from_bits);
            prop_assert!(same(fma_exact(a, b, c), x.mul_add(y, z)));
        }

        #[test]
        fn so_it_does_where_the_addend_is_near_half_a_unit_of_the_product(
            a in 0x3f80_0000_u32..0x4000_0000,
            b in 0x3f80_0000_u32..0x4000_0000,
            exponent in 80_u32..128,
            few_bits in 0_u32..8,
            negative: bool,
        ) {
            let c = u32::from(negative) << 31 | exponent << 23 | few_bits << 20;
            let [x, y, z] = [a, b, c].map(f32::from_bits);
            prop_assert!(same(fma_exact(a, b, c), x.mul_add(y, z)));
        }
    }
}
