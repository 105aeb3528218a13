//! Half precision and bfloat16. Single precision has more than twice their digits, so sums,
//! products and quotients that it rounds come out right when they are rounded again; only the fused
//! multiply-add needs care.

use super::float::Float;
use crate::ir::Op;
use crate::launch::{odd_f32, odd_f64};
use crate::simt::warp::LaneOperation;

/// A function of words from one of floats: of two, `binary` and `compare`; of three, `ternary`; of a word of 64 bits,
/// `narrow`, which gives a double that is rounded once more. A function and not a closure, because only functions
/// can be made part of the loop over lanes for certain: a loop with calls goes lane by lane.
macro_rules! of_words {
    (binary $from:ident $to:ident $function:expr) => {{
        #[inline(always)]
        fn of_words(a: u32, b: u32) -> u32 {
            $to(binary($function)($from(a), $from(b)))
        }
        |l, i| l.binary(i, of_words)
    }};
    (compare $from:ident $to:ident $function:expr) => {{
        #[inline(always)]
        fn of_words(a: u32, b: u32) -> u32 {
            u32::from(compare($function)($from(a), $from(b)))
        }
        |l, i| l.binary(i, of_words)
    }};
    (ternary $from:ident $to:ident $function:expr) => {{
        #[inline(always)]
        fn of_words(a: u32, b: u32, c: u32) -> u32 {
            $to($function($from(a), $from(b), $from(c)))
        }
        |l, i| l.ternary(i, of_words)
    }};
    (narrow $from:ident $to:ident $function:expr) => {{
        #[inline(always)]
        fn of_words(a: u64) -> u32 {
            $to(odd_f32(narrow($function)(a)))
        }
        |l, i| l.narrow(i, of_words)
    }};
}

/// Declares the operations that both formats have, a row each: the name as a half and as bfloat16, what it takes, and
/// what it gives in single precision.
macro_rules! both_formats {
    ($($f16:ident $bf16:ident $shape:ident($function:expr);)*) => {
        versions! {
        operation operation_avx2(op) {
            let operation: LaneOperation = match op {
                $(Op::$f16 => of_words!($shape from_f16 to_f16 $function),)*
                $(Op::$bf16 => of_words!($shape from_bf16 to_bf16 $function),)*
                _ => return None,
            };
            Some(operation)
        }
        }
    };
}

both_formats! {
    AddF16 AddBf16 binary(|a, b| a + b);
    SubF16 SubBf16 binary(|a, b| a - b);
    MulF16 MulBf16 binary(|a, b| a * b);
    DivF16 DivBf16 binary(|a, b| a / b);
    MinF16 MinBf16 binary(Float::least);
    MaxF16 MaxBf16 binary(Float::greatest);
    EqF16 EqBf16 compare(|a, b| a == b);
    NeF16 NeBf16 compare(|a, b| a != b);
    LtF16 LtBf16 compare(|a, b| a < b);
    LeF16 LeBf16 compare(|a, b| a <= b);
    F64ToF16 F64ToBf16 narrow(f64::from_bits);
    I64ToF16 I64ToBf16 narrow(|a| odd_f64((a as i64).into()));
    U64ToF16 U64ToBf16 narrow(|a| odd_f64(a.into()));
}

versions! {
of_one_format of_one_format_avx2(op) {
    let operation: LaneOperation = match op {
        Op::FmaF16 => of_words!(ternary from_f16 to_f16 fma_of_halves),
        Op::FmaBf16 => of_words!(ternary from_bf16 to_bf16 fma_odd),
        Op::NegB16 => |l, i| l.unary(i, |a| (a ^ 1 << 15) & 0xffff),
        Op::AbsB16 => |l, i| l.unary(i, |a| a & 0x7fff),
        Op::F16ToF32 => |l, i| l.unary(i, |a| from_f16(a).to_bits()),
        Op::F32ToF16 => |l, i| l.unary(i, |a| to_f16(f32::from_bits(a))),
        Op::Bf16ToF32 => |l, i| l.unary(i, |a| a << 16),
        Op::F32ToBf16 => |l, i| l.unary(i, |a| to_bf16(f32::from_bits(a))),
        _ => return None,
    };
    Some(operation)
}
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
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    from_f16(bits.into())
}

/// The exponent of a float's infinities and of what is no number.
const F32_ODD: u32 = 0x7f80_0000;

/// The half in the low bits. Conversions have no branches, so that the compiler makes eight at a time: calls of the
/// processor's own, a lane each, took four times as long.
#[inline(always)]
fn from_f16(bits: u32) -> f32 {
    let magnitude = (bits & 0x7fff) << 13;
    // The exponents of the two formats lie 112 apart; as a product, so that denormals come out right.
    let number = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    // As the processor does, a NaN is made a quiet one.
    let quiet = if magnitude > 0x1f << 23 { 1 << 22 } else { 0 };
    let odd = magnitude | F32_ODD | quiet;
    let value = if magnitude >= 0x1f << 23 { odd } else { number };
    f32::from_bits(value | (bits & 0x8000) << 16)
}

#[inline(always)]
pub fn to_f16(value: f32) -> u32 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Below 2^-14 halves have one distance from each other, which is that of floats from 0.5 on: adding it rounds.
    let half = 0.5_f32;
    let small = (f32::from_bits(magnitude) + half)
        .to_bits()
        .wrapping_sub(half.to_bits());
    // Half a unit of the last place, less one where the place is even: ties go to even numbers. What carries into the
    // exponent is the next power of two, or infinity.
    let up = 0xfff + (magnitude >> 13 & 1);
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(up) >> 13;
    let number = if magnitude < 113 << 23 { small } else { normal };
    let or_infinity = if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else {
        number
    };
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let value = if magnitude > F32_ODD {
        nan
    } else {
        or_infinity
    };
    value | (bits >> 16 & 0x8000)
}

#[inline(always)]
fn from_bf16(bits: u32) -> f32 {
    f32::from_bits(bits << 16)
}

#[inline(always)]
fn to_bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    // As above: up where more than half is cut off, or half of it and the place is odd.
    let number = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | 1 << 6;
    if bits & 0x7fff_ffff > F32_ODD {
        nan
    } else {
        number
    }
}

/// These say the types of functions.
#[inline(always)]
fn binary(f: impl Fn(f32, f32) -> f32) -> impl Fn(f32, f32) -> f32 {
    f
}

#[inline(always)]
fn compare(f: impl Fn(f32, f32) -> bool) -> impl Fn(f32, f32) -> bool {
    f
}

#[inline(always)]
fn narrow(f: impl Fn(u64) -> f64) -> impl Fn(u64) -> f64 {
    f
}

/// `a * b + c` rounded to odd, after which rounding it to 16 bits rounds once: in double precision, where the product is
/// exact.
#[inline(always)]
fn fma_odd(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    // An inexact sum whose last bit is even takes the odd neighbour on the side of the exact one.
    let is_inexact = sum.is_finite() & (error != 0.0) & (sum.to_bits() & 1 == 0);
    let away = (error > 0.0) == (sum > 0.0);
    let step = if away { 1 } else { u64::MAX };
    odd_f32(f64::from_bits(sum.to_bits().wrapping_add(if is_inexact {
        step
    } else {
        0
    })))
}

/// The same of halves, whose product is exact in single precision, too, and in half of the time.
#[inline(always)]
fn fma_of_halves(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let is_inexact = sum.is_finite() & (error != 0.0) & (sum.to_bits() & 1 == 0);
    let away = (error > 0.0) == (sum > 0.0);
    let step = if away { 1 } else { u32::MAX };
    f32::from_bits(
        sum.to_bits()
            .wrapping_add(if is_inexact { step } else { 0 }),
    )
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_half_is_the_float_that_it_says() {
        for bits in 0..=u16::MAX {
            let expected = f16::from_bits(bits).to_f32();
            assert_eq!(f16_to_f32(bits).to_bits(), expected.to_bits(), "{bits:x}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_fused_multiply_add_of_halves_rounds_once(a: u16, b: u16, c: u16, near in 0_u16..4) {
            let product = f16::from_bits(a).to_f64() * f16::from_bits(b).to_f64();
            // Also where the sum lies near the middle of two halves, or cancels.
            let close = f16::from_f64(product).to_bits();
            for c in [c, close ^ 0x8000 ^ near, close.wrapping_sub(11 << 10) ^ near] {
                let [a, b, c] = [a, b, c].map(f16_to_f32);
                let [ours, theirs] = [fma_of_halves(a, b, c), fma_odd(a, b, c)].map(to_f16);
                let is_nan = ours & 0x7fff > 0x7c00 && theirs & 0x7fff > 0x7c00;
                prop_assert!(ours == theirs || is_nan, "{} * {} + {}", a, b, c);
            }
        }
    }

    #[test]
    fn floats_near_every_16_bit_number_are_rounded_to_the_nearest() {
        for bits in 0..=u16::MAX {
            let near = |float: u32| {
                // Both sides of the number, of the middle between it and the next, and of a quarter.
                let steps = [0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001];
                steps
                    .into_iter()
                    .flat_map(move |step| [float.wrapping_add(step), float.wrapping_sub(step)])
            };
            for float in
                near(f16::from_bits(bits).to_f32().to_bits()).chain(near(u32::from(bits) << 16))
            {
                let value = f32::from_bits(float);
                assert_eq!(
                    to_f16(value),
                    u32::from(f16::from_f32(value).to_bits()),
                    "{float:x}"
                );
                assert_eq!(
                    to_bf16(value),
                    u32::from(bf16::from_f32(value).to_bits()),
                    "{float:x}"
                );
            }
        }
    }
}
