//! Mathematical functions that Rust's standard library lacks, and their kin. Those of single
//! precision are computed in double precision and rounded, which errs by less than CUDA allows
//! itself.

use super::float::Float;
use crate::ir::{Instruction, Op};
use crate::simt::warp::{LaneOperation, Lanes};

/// Declares the functions that both precisions compute in double precision, a row each.
macro_rules! both_precisions {
    ($($single:ident $double:ident $shape:ident($function:expr);)*) => {
        pub(super) fn operation(op: Op) -> Option<LaneOperation> {
            let operation: LaneOperation = match op {
                $(Op::$single => |l, i| $shape::<f32>(l, i, $function),)*
                $(Op::$double => |l, i| $shape::<f64>(l, i, $function),)*
                op => return of_one_precision(op),
            };
            Some(operation)
        }
    };
}

both_precisions! {
    AsinF32 AsinF64 unary(libm::asin);
    AcosF32 AcosF64 unary(libm::acos);
    AtanF32 AtanF64 unary(libm::atan);
    SinhF32 SinhF64 unary(libm::sinh);
    CoshF32 CoshF64 unary(libm::cosh);
    AsinhF32 AsinhF64 unary(libm::asinh);
    AcoshF32 AcoshF64 unary(libm::acosh);
    AtanhF32 AtanhF64 unary(libm::atanh);
    CbrtF32 CbrtF64 unary(libm::cbrt);
    RcbrtF32 RcbrtF64 unary(|a| 1.0 / libm::cbrt(a));
    ErfF32 ErfF64 unary(libm::erf);
    ErfcF32 ErfcF64 unary(libm::erfc);
    Expm1F32 Expm1F64 unary(libm::expm1);
    Log1pF32 Log1pF64 unary(libm::log1p);
    LgammaF32 LgammaF64 unary(libm::lgamma);
    TgammaF32 TgammaF64 unary(libm::tgamma);
    SinPiF32 SinPiF64 unary(sin_pi);
    CosPiF32 CosPiF64 unary(cos_pi);
    NormCdfF32 NormCdfF64 unary(norm_cdf);
    ModfFractionF32 ModfFractionF64 unary(fraction);
    FrexpMantissaF32 FrexpMantissaF64 unary(|a| libm::frexp(a).0);
    Atan2F32 Atan2F64 binary(libm::atan2);
    HypotF32 HypotF64 binary(libm::hypot);
    RemainderF32 RemainderF64 binary(libm::remainder);
}

fn of_one_precision(op: Op) -> Option<LaneOperation> {
    let operation: LaneOperation = match op {
        Op::FrexpExponentF32 => |l, i| l.unary(i, |a| exponent(f32::from_bits(a).into())),
        Op::FrexpExponentF64 => |l, i| l.narrow(i, |a| exponent(f64::from_bits(a))),
        Op::CopysignF32 => |l, i| l.binary(i, |a, b| (a & !SIGN) | (b & SIGN)),
        Op::CopysignF64 => |l, i| binary::<f64>(l, i, f64::copysign),
        Op::FdimF32 => |l, i| l.binary(i, |a, b| fdim(a, b).to_bits()),
        Op::FdimF64 => |l, i| binary::<f64>(l, i, libm::fdim),
        Op::LdexpF32 => |l, i| {
            l.binary(i, |a, b| {
                // Exact in double precision, so that it is rounded once.
                // By 2^400 every float becomes 0 or infinite, and no double does yet.
                let exponent = (b as i32).clamp(-400, 400);
                (libm::ldexp(f32::from_bits(a).into(), exponent) as f32).to_bits()
            });
        },
        Op::LdexpF64 => |l, i| {
            l.shift64(i, |a, b| libm::ldexp(f64::from_bits(a), b as i32).to_bits());
        },
        _ => return None,
    };
    Some(operation)
}

const SIGN: u32 = 1 << 31;

fn unary<F: Float>(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64) -> f64) {
    F::unary(lanes, i, |a| F::from_f64(f(a.to_f64())));
}

fn binary<F: Float>(lanes: &mut Lanes<'_>, i: Instruction, f: impl Fn(f64, f64) -> f64) {
    F::binary(lanes, i, |a, b| F::from_f64(f(a.to_f64(), b.to_f64())));
}

/// In single precision: the difference of two is not exact in double.
fn fdim(a: u32, b: u32) -> f32 {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    // A NaN is below nothing, and comes out of the difference.
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
    // The difference of two infinities would be NaN.
    if value.is_infinite() {
        return 0.0_f64.copysign(value);
    }
    // Of -2 it is -0.
    (value - value.trunc()).copysign(value)
}

/// Exact at multiples of a half: the argument is brought to a quarter turn first.
fn sin_pi(value: f64) -> f64 {
    // The remainder is exact, while a product with pi would already be rounded.
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
    // Each function where it is steep: near a half the cosine of what is missing keeps more digits.
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
    // 1 + erf would lose all digits where the result is small: of -10 it is 8e-24.
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
