//! Mathematical functions that Rust's standard library lacks, and their kin. Those of single
//! precision are computed in double precision and rounded, which errs by less than CUDA allows
//! itself.

use crate::ir::{Instruction, Op};
use crate::simt::warp::{LaneOperation, Lanes};

pub(super) fn operation(op: Op) -> Option<LaneOperation> {
    single(op).or_else(|| double(op))
}

fn single(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AsinF32 => |l, i| unary32(l, i, libm::asin),
        Op::AcosF32 => |l, i| unary32(l, i, libm::acos),
        Op::AtanF32 => |l, i| unary32(l, i, libm::atan),
        Op::SinhF32 => |l, i| unary32(l, i, libm::sinh),
        Op::CoshF32 => |l, i| unary32(l, i, libm::cosh),
        Op::AsinhF32 => |l, i| unary32(l, i, libm::asinh),
        Op::AcoshF32 => |l, i| unary32(l, i, libm::acosh),
        Op::AtanhF32 => |l, i| unary32(l, i, libm::atanh),
        Op::CbrtF32 => |l, i| unary32(l, i, libm::cbrt),
        Op::RcbrtF32 => |l, i| unary32(l, i, |a| 1.0 / libm::cbrt(a)),
        Op::ErfF32 => |l, i| unary32(l, i, libm::erf),
        Op::ErfcF32 => |l, i| unary32(l, i, libm::erfc),
        Op::Expm1F32 => |l, i| unary32(l, i, libm::expm1),
        Op::Log1pF32 => |l, i| unary32(l, i, libm::log1p),
        Op::LgammaF32 => |l, i| unary32(l, i, libm::lgamma),
        Op::TgammaF32 => |l, i| unary32(l, i, libm::tgamma),
        Op::SinPiF32 => |l, i| unary32(l, i, sin_pi),
        Op::CosPiF32 => |l, i| unary32(l, i, cos_pi),
        Op::NormCdfF32 => |l, i| unary32(l, i, norm_cdf),
        Op::ModfFractionF32 => |l, i| unary32(l, i, fraction),
        Op::FrexpMantissaF32 => |l, i| unary32(l, i, |a| libm::frexp(a).0),
        Op::FrexpExponentF32 => |l, i| l.unary(i, |a| exponent(f32::from_bits(a).into())),
        Op::Atan2F32 => |l, i| binary32(l, i, libm::atan2),
        Op::HypotF32 => |l, i| binary32(l, i, libm::hypot),
        Op::CopysignF32 => |l, i| l.binary(i, |a, b| (a & !SIGN) | (b & SIGN)),
        Op::FdimF32 => |l, i| l.binary(i, |a, b| fdim(a, b).to_bits()),
        Op::RemainderF32 => |l, i| binary32(l, i, libm::remainder),
        Op::LdexpF32 => |l, i| {
            l.binary(i, |a, b| {
                // Exact in double precision, so that it is rounded once.
                let exponent = (b as i32).clamp(-400, 400);
                (libm::ldexp(f32::from_bits(a).into(), exponent) as f32).to_bits()
            });
        },
        _ => return None,
    };
    Some(operation)
}

fn double(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::AsinF64 => |l, i| unary64(l, i, libm::asin),
        Op::AcosF64 => |l, i| unary64(l, i, libm::acos),
        Op::AtanF64 => |l, i| unary64(l, i, libm::atan),
        Op::SinhF64 => |l, i| unary64(l, i, libm::sinh),
        Op::CoshF64 => |l, i| unary64(l, i, libm::cosh),
        Op::AsinhF64 => |l, i| unary64(l, i, libm::asinh),
        Op::AcoshF64 => |l, i| unary64(l, i, libm::acosh),
        Op::AtanhF64 => |l, i| unary64(l, i, libm::atanh),
        Op::CbrtF64 => |l, i| unary64(l, i, libm::cbrt),
        Op::RcbrtF64 => |l, i| unary64(l, i, |a| 1.0 / libm::cbrt(a)),
        Op::ErfF64 => |l, i| unary64(l, i, libm::erf),
        Op::ErfcF64 => |l, i| unary64(l, i, libm::erfc),
        Op::Expm1F64 => |l, i| unary64(l, i, libm::expm1),
        Op::Log1pF64 => |l, i| unary64(l, i, libm::log1p),
        Op::LgammaF64 => |l, i| unary64(l, i, libm::lgamma),
        Op::TgammaF64 => |l, i| unary64(l, i, libm::tgamma),
        Op::SinPiF64 => |l, i| unary64(l, i, sin_pi),
        Op::CosPiF64 => |l, i| unary64(l, i, cos_pi),
        Op::NormCdfF64 => |l, i| unary64(l, i, norm_cdf),
        Op::ModfFractionF64 => |l, i| unary64(l, i, fraction),
        Op::FrexpMantissaF64 => |l, i| unary64(l, i, |a| libm::frexp(a).0),
        Op::FrexpExponentF64 => |l, i| l.narrow(i, |a| exponent(f64::from_bits(a))),
        Op::Atan2F64 => |l, i| binary64(l, i, libm::atan2),
        Op::HypotF64 => |l, i| binary64(l, i, libm::hypot),
        Op::CopysignF64 => |l, i| binary64(l, i, f64::copysign),
        Op::FdimF64 => |l, i| binary64(l, i, libm::fdim),
        Op::RemainderF64 => |l, i| binary64(l, i, libm::remainder),
        Op::LdexpF64 => |l, i| {
            l.shift64(i, |a, b| libm::ldexp(f64::from_bits(a), b as i32).to_bits());
        },
        _ => return None,
    };
    Some(operation)
}

const SIGN: u32 = 1 << 31;

fn unary32(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64) -> f64) {
    lanes.unary(i, |a| (f(f32::from_bits(a).into()) as f32).to_bits());
}

fn binary32(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64, f64) -> f64) {
    lanes.binary(i, |a, b| {
        (f(f32::from_bits(a).into(), f32::from_bits(b).into()) as f32).to_bits()
    });
}

fn unary64(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64) -> f64) {
    lanes.unary64(i, |a| f(f64::from_bits(a)).to_bits());
}

fn binary64(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64, f64) -> f64) {
    lanes.binary64(i, |a, b| f(f64::from_bits(a), f64::from_bits(b)).to_bits());
}

/// In single precision: the difference of two is not exact in double.
fn fdim(a: u32, b: u32) -> f32 {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    if a <= b { 0.0 } else { a - b }
}

/// 0 for zeros, infinities and what is no number.
fn exponent(value: f64) -> u32 {
    if value.is_finite() {
        libm::frexp(value).1 as u32
    } else {
        0
    }
}

fn fraction(value: f64) -> f64 {
    if value.is_infinite() {
        return 0.0_f64.copysign(value);
    }
    (value - value.trunc()).copysign(value)
}

/// Exact at multiples of a half: the argument is brought to a quarter turn first.
fn sin_pi(value: f64) -> f64 {
    let turn = value.abs() % 2.0;
    if turn % 1.0 == 0.0 {
        return 0.0_f64.copysign(value);
    }
    let (turn, sign) = if turn >= 1.0 {
        (turn - 1.0, -1.0)
    } else {
        (turn, 1.0)
    };
    let quarter = if turn > 0.5 { 1.0 - turn } else { turn };
    let sine = if quarter > 0.25 {
        libm::cos((0.5 - quarter) * std::f64::consts::PI)
    } else {
        libm::sin(quarter * std::f64::consts::PI)
    };
    if value < 0.0 {
        -sign * sine
    } else {
        sign * sine
    }
}

fn cos_pi(value: f64) -> f64 {
    sin_pi(value.abs() % 2.0 + 0.5)
}

fn norm_cdf(value: f64) -> f64 {
    0.5 * libm::erfc(-value * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn turns_are_exact_at_their_quarters_and_near_elsewhere() {
        for quarter in -40..40 {
            let value = f64::from(quarter) / 2.0;
            let sines = [0.0, 1.0, 0.0, -1.0];
            let at = |quarter: i32| sines[quarter.rem_euclid(4) as usize];
            assert_eq!(sin_pi(value), at(quarter), "{value}");
            assert_eq!(cos_pi(value), at(quarter + 1), "{value}");
        }
        for step in -200..200 {
            let value = f64::from(step) / 70.0;
            assert!(
                (sin_pi(value) - (value * PI).sin()).abs() < 1e-14,
                "{value}"
            );
            assert!(
                (cos_pi(value) - (value * PI).cos()).abs() < 1e-14,
                "{value}"
            );
        }
        assert!(sin_pi(f64::INFINITY).is_nan());
        assert!(sin_pi(-3.0).is_sign_negative());
    }
}
