//! Single and double precision: results rounded as IEEE 754 says, denormals kept.

use super::exp::{exp, exp2};
use super::logarithm::ln;
use super::sine::{cos, sin};
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::warp::{LaneOperation, Lanes};

/// Declares the operations that both precisions have, a row each: the name in single and in double
/// precision, how many operands it takes, and what it gives. `AddF32 AddF64 binary(|a, b| a + b)`
/// declares two operations.
macro_rules! both_precisions {
    ($($single:ident $double:ident $shape:ident($function:expr);)*) => {
        versions! {
        operation operation_avx2(op) {
            let operation: LaneOperation = match op {
                $(Op::$single => |l, i| $shape::<f32>(l, i, $function),)*
                $(Op::$double => |l, i| $shape::<f64>(l, i, $function),)*
                _ => return None,
            };
            Some(operation)
        }
        }
    };
}

both_precisions! {
    AddF32 AddF64 binary(|a, b| a + b);
    SubF32 SubF64 binary(|a, b| a - b);
    MulF32 MulF64 binary(|a, b| a * b);
    DivF32 DivF64 binary(|a, b| a / b);
    // Not `f32::min`: it leaves open which of two zeros it gives, where PTX orders them.
    MinF32 MinF64 binary(Float::least);
    MaxF32 MaxF64 binary(Float::greatest);
    SqrtF32 SqrtF64 unary(|a| a.sqrt());
    Log2F32 Log2F64 unary(|a| a.log2());
    Log10F32 Log10F64 unary(|a| a.log10());
    TanF32 TanF64 unary(|a| a.tan());
    TanhF32 TanhF64 unary(|a| a.tanh());
    PowF32 PowF64 binary(|a, b| a.powf(b));
    FmodF32 FmodF64 binary(|a, b| a % b);
    FloorF32 FloorF64 unary(|a| a.floor());
    CeilF32 CeilF64 unary(|a| a.ceil());
    TruncF32 TruncF64 unary(|a| a.trunc());
    RoundF32 RoundF64 unary(|a| a.round());
    RintF32 RintF64 unary(|a| a.round_ties_even());
    EqF32 EqF64 compare(|a, b| a == b);
    NeF32 NeF64 compare(|a, b| a != b);
    LtF32 LtF64 compare(|a, b| a < b);
    LeF32 LeF64 compare(|a, b| a <= b);
}

/// `dst = f(a)` by a function of all lanes. A macro, since a function that gets another one calls what is not compiled for
/// AVX2.
macro_rules! of_all_lanes {
    ($f:ident) => {
        |l, i| {
            l.each(|l| {
                let value = $f(l.get(i.a));
                l.set(i.dst, value);
            });
        }
    };
}

versions! {
of_one_precision of_one_precision_avx2(op) {
    let operation: LaneOperation = match op {
        Op::FmaF32 => fma_single,
        Op::FmaF64 => fma_double,
        // `__fdividef` is `div.approx`, a product with the reciprocal: rounded twice.
        Op::FastDivF32 => |l, i| binary::<f32>(l, i, |a, b| a * (1.0 / b)),
        Op::RcpF32 => |l, i| unary::<f32>(l, i, |a| 1.0 / a),
        // In double precision, so that it is rounded once.
        Op::RsqrtF32 => |l, i| unary::<f32>(l, i, |a| (1.0 / f64::from(a).sqrt()) as f32),
        Op::RsqrtF64 => |l, i| unary::<f64>(l, i, |a| 1.0 / a.sqrt()),
        Op::NegF32 => |l, i| l.unary(i, |a| a ^ 1 << 31),
        Op::NegF64 => |l, i| l.unary64(i, |a| a ^ 1 << 63),
        Op::AbsF32 => |l, i| l.unary(i, |a| a & !(1 << 31)),
        Op::AbsF64 => |l, i| l.unary64(i, |a| a & !(1 << 63)),
        Op::ExpF32 => of_all_lanes!(exp),
        Op::Exp2F32 => of_all_lanes!(exp2),
        Op::LogF32 => of_all_lanes!(ln),
        Op::LogF64 => |l, i| unary::<f64>(l, i, f64::ln),
        // How the special function unit approximates is not published: the rounded value stands for it.
        Op::SinF32 | Op::FastSinF32 => of_all_lanes!(sin),
        Op::CosF32 | Op::FastCosF32 => of_all_lanes!(cos),
        Op::SinF64 => |l, i| unary::<f64>(l, i, f64::sin),
        Op::CosF64 => |l, i| unary::<f64>(l, i, f64::cos),
        Op::Exp2F64 => |l, i| unary::<f64>(l, i, f64::exp2),
        Op::ExpAddF32 => |l, i| {
            l.each(|l| {
                let (a, b) = (exp(l.get(i.a)), *l.get(i.b));
                let sum = |lane: usize| (f32::from_bits(a[lane]) + f32::from_bits(b[lane])).to_bits();
                l.set(i.dst, std::array::from_fn(sum));
            });
        },
        Op::ExpF64 => |l, i| unary::<f64>(l, i, f64::exp),
        // Rust has no `exp10`; in double precision the power is rounded to single only once.
        Op::Exp10F32 => |l, i| unary::<f32>(l, i, |a| 10_f64.powf(f64::from(a)) as f32),
        Op::Exp10F64 => |l, i| unary::<f64>(l, i, |a| 10_f64.powf(a)),
        Op::FastSqrtF32 => |l, i| unary::<f32>(l, i, f32::sqrt),
        Op::FastRcpF32 => |l, i| unary::<f32>(l, i, f32::recip),
        Op::FastTanhF32 => |l, i| unary::<f32>(l, i, f32::tanh),
        Op::FastLog2F32 => |l, i| unary::<f32>(l, i, f32::log2),
        _ => return None,
    };
    Some(operation)
}
}

/// A precision: how its values stand in registers, one word each or two.
pub(super) trait Float: Copy + PartialOrd {
    fn unary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(Self) -> Self);
    fn binary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(Self, Self) -> Self);
    fn compare(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(Self, Self) -> bool);
    fn to_f64(self) -> f64;
    /// The nearest value.
    fn from_f64(value: f64) -> Self;
    fn is_not_a_number(self) -> bool;
    /// The number whose bits are those of both, or of either.
    fn and_bits(self, other: Self) -> Self;
    fn or_bits(self, other: Self) -> Self;

    /// The lesser; a number where the other is NaN; -0 is less than +0, as in PTX.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.choose(other, self < other, self.or_bits(other))
    }

    /// The greater; a number where the other is NaN; -0 is less than +0, as in PTX.
    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        self.choose(other, self > other, self.and_bits(other))
    }

    /// `self` where it `wins`, or else `other`; `equal` where both are equal, which differs from them
    /// for zeros of two signs only.
    #[inline(always)]
    fn choose(self, other: Self, wins: bool, equal: Self) -> Self {
        // Chosen without early returns, so that the compiler makes vector blends of it.
        let ordered = if self == other {
            equal
        } else if wins {
            self
        } else {
            other
        };
        let or_other = if self.is_not_a_number() {
            other
        } else {
            ordered
        };
        if other.is_not_a_number() {
            self
        } else {
            or_other
        }
    }
}

/// Implements [`Float`] for a type, by the methods of [`Lanes`] for its size.
macro_rules! float {
    ($float:ty, $unary:ident, $binary:ident, |$lanes:ident, $i:ident, $holds:ident| $compare:expr) => {
        impl Float for $float {
            #[inline(always)]
            fn unary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(Self) -> Self) {
                lanes.$unary(i, |a| f(Self::from_bits(a)).to_bits());
            }

            #[inline(always)]
            fn binary(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(Self, Self) -> Self) {
                lanes.$binary(i, |a, b| {
                    f(Self::from_bits(a), Self::from_bits(b)).to_bits()
                });
            }

            #[inline(always)]
            fn compare($lanes: &mut Lanes<'_>, $i: Instruction, f: impl Fn(Self, Self) -> bool) {
                let $holds = |a, b| f(Self::from_bits(a), Self::from_bits(b));
                $compare;
            }

            fn to_f64(self) -> f64 {
                self.into()
            }

            fn from_f64(value: f64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn is_not_a_number(self) -> bool {
                self.is_nan()
            }

            #[inline(always)]
            fn and_bits(self, other: Self) -> Self {
                Self::from_bits(self.to_bits() & other.to_bits())
            }

            #[inline(always)]
            fn or_bits(self, other: Self) -> Self {
                Self::from_bits(self.to_bits() | other.to_bits())
            }
        }
    };
}

float!(f32, unary, binary, |lanes, i, holds| {
    lanes.binary(i, |a, b| u32::from(holds(a, b)));
});
float!(f64, unary64, binary64, |lanes, i, holds| {
    // The result of a comparison is one word, though the operands take two.
    lanes.compare64(i, holds);
});

#[inline(always)]
fn unary<F: Float>(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(F) -> F) {
    F::unary(lanes, i, f);
}

#[inline(always)]
fn binary<F: Float>(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(F, F) -> F) {
    F::binary(lanes, i, f);
}

#[inline(always)]
fn compare<F: Float>(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(F, F) -> bool) {
    F::compare(lanes, i, f);
}

fn fma_double(lanes: &mut Lanes<'_>, i: Instruction) {
    let fused = |a, b, c| f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    lanes.ternary64(i, |a, b, c| fused(a, b, c).to_bits());
}

/// `a * b + c` rounded once. In double precision the product is exact, and rounding the sum twice
/// (to double, then to single) can only go wrong where the double lies halfway between two singles
/// or is too small for a normal single: those vectors are computed again, the slow way.
fn fma_single(lanes: &mut Lanes<'_>, i: Instruction) {
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
        // 29 bits of a double's mantissa are lost in a single: exactly half of the last place that stays.
        let halfway = sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000;
        // Denormal singles have fewer bits, so the halfway point lies elsewhere.
        let small = value[lane] & 0x7fff_ffff <= 0x0080_0000 && sum != 0.0;
        // One flag for all lanes: a branch in the loop would keep it from becoming vectors.
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
    // Knuth's two-sum: what was rounded away, exactly.
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
