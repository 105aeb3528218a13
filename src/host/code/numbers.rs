//! Functions of numbers, as the C library of the host computes them.

use super::image::{SCALARS, Sites};
use super::op::{double, float, float_bits, int};
use crate::cuda::{MathFunction, Scalar, arithmetic};

/// A conversion from or to a float of 16 bits.
pub fn convert(from: u8, into: u8, bits: u64) -> u64 {
    let (from, into) = (SCALARS[usize::from(from)], SCALARS[usize::from(into)]);
    // A number that an integer type cannot hold has no value of its own.
    arithmetic::convert(from, into, bits).unwrap_or(0)
}

/// What an operation's site says of the slots from its first on.
pub fn compute_at(sites: &Sites, site: u32, operands: &[u64]) -> u64 {
    let (function, scalar) = sites.math[site as usize];
    // Lowering has refused what nothing is known of.
    compute(function, scalar, operands).unwrap_or(0)
}

/// Whether code of the host can call the function. What only a kernel has, as `__byte_perm`, is refused: a made-up value
/// would go on through the program as if it were right.
pub fn computes(function: MathFunction, scalar: Scalar) -> bool {
    compute(function, scalar, &[]).is_some()
}

/// A function of the operands that slots hold.
fn compute(function: MathFunction, scalar: Scalar, operands: &[u64]) -> Option<u64> {
    let operand = |at: usize| operands.get(at).copied().unwrap_or(0);
    match scalar {
        Scalar::F64 => of_doubles(function, [operand(0), operand(1), operand(2)]),
        Scalar::F32 => of_floats(function, [operand(0), operand(1), operand(2)]),
        Scalar::F16 | Scalar::Bf16 => {
            // There is no C library for 16 bits: they are computed in single precision and rounded once.
            let wide = |bits| arithmetic::convert(scalar, Scalar::F32, bits).unwrap_or(0);
            let [a, b, c] = [operand(0), operand(1), operand(2)].map(wide);
            let value = of_floats(function, [a, b, c])?;
            match function {
                MathFunction::IsNan | MathFunction::IsInf | MathFunction::SignBit => Some(value),
                _ => arithmetic::convert(Scalar::F32, scalar, value),
            }
        }
        scalar => of_integers(function, scalar, [operand(0), operand(1), operand(2)]),
    }
}

/// What is said of a float as an integer: the same of a `float` and of the `double` with its value.
fn float_property(function: MathFunction, a: f64) -> Option<u64> {
    Some(match function {
        MathFunction::IsNan => u64::from(a.is_nan()),
        MathFunction::IsInf => u64::from(a.is_infinite()),
        MathFunction::SignBit => u64::from(a.is_sign_negative()),
        MathFunction::FrexpExponent => int(libm::frexp(a).1 as u64),
        _ => return None,
    })
}

fn of_doubles(function: MathFunction, [first, second, third]: [u64; 3]) -> Option<u64> {
    use MathFunction::*;
    let (a, b, c) = (double(first), double(second), double(third));
    let value = match function {
        IsNan | IsInf | SignBit | FrexpExponent => return float_property(function, a),
        Ldexp => libm::ldexp(a, second as i32),
        // Rounded once, wherever it is computed.
        Fma => a.mul_add(b, c),
        _ => double_of(function, a, b)?,
    };
    Some(value.to_bits())
}

fn of_floats(function: MathFunction, [first, second, third]: [u64; 3]) -> Option<u64> {
    use MathFunction::*;
    let (a, b, c) = (float(first), float(second), float(third));
    let value = match function {
        IsNan | IsInf | SignBit | FrexpExponent => return float_property(function, f64::from(a)),
        Ldexp => libm::ldexpf(a, second as i32),
        Fma => a.mul_add(b, c),
        Sqrt | FastSqrt => a.sqrt(),
        FastRcp => 1.0 / a,
        Exp | FastExp => a.exp(),
        Exp2 => a.exp2(),
        Log | FastLog => a.ln(),
        Log2 | FastLog2 => a.log2(),
        Log10 | FastLog10 => a.log10(),
        Sin | FastSin => a.sin(),
        Cos | FastCos => a.cos(),
        Tan | FastTan => a.tan(),
        _ => seldom_float(function, a, b)?,
    };
    Some(float_bits(value))
}

fn seldom_float(function: MathFunction, a: f32, b: f32) -> Option<f32> {
    use MathFunction::*;
    Some(match function {
        Tanh | FastTanh => a.tanh(),
        Sinh => a.sinh(),
        Cosh => a.cosh(),
        Asin => a.asin(),
        Acos => a.acos(),
        Atan => a.atan(),
        Atan2 => a.atan2(b),
        Pow | FastPow => a.powf(b),
        Cbrt => a.cbrt(),
        Hypot => a.hypot(b),
        Expm1 => a.exp_m1(),
        Log1p => a.ln_1p(),
        Asinh => libm::asinhf(a),
        Acosh => libm::acoshf(a),
        Atanh => libm::atanhf(a),
        Erf => libm::erff(a),
        Erfc => libm::erfcf(a),
        Lgamma => libm::lgammaf(a),
        Tgamma => libm::tgammaf(a),
        Exp10 | FastExp10 => libm::exp10f(a),
        FastDivide => a / b,
        MulRn => a * b,
        AddRn => a + b,
        SubRn => a - b,
        // Exact in double precision, or rounded once more to the nearest.
        _ => double_of(function, f64::from(a), f64::from(b))? as f32,
    })
}

fn double_of(function: MathFunction, a: f64, b: f64) -> Option<f64> {
    use MathFunction::*;
    Some(match function {
        Abs => a.abs(),
        // Of two equal zeros glibc gives the first; a number rather than none.
        Min if b < a || a.is_nan() => b,
        Max if b > a || a.is_nan() => b,
        Min | Max => a,
        Sqrt | FastSqrt => a.sqrt(),
        FastRcp => 1.0 / a,
        Rsqrt => 1.0 / a.sqrt(),
        Exp | FastExp => a.exp(),
        Exp2 => a.exp2(),
        Exp10 | FastExp10 => libm::exp10(a),
        Log | FastLog => a.ln(),
        Log2 | FastLog2 => a.log2(),
        Log10 | FastLog10 => a.log10(),
        Sin | FastSin => a.sin(),
        Cos | FastCos => a.cos(),
        Tan | FastTan => a.tan(),
        Tanh | FastTanh => a.tanh(),
        Pow | FastPow => a.powf(b),
        Fmod => a % b,
        Floor => a.floor(),
        Ceil => a.ceil(),
        Trunc => a.trunc(),
        Round => a.round(),
        Rint => a.round_ties_even(),
        FastDivide => a / b,
        MulRn => a * b,
        AddRn => a + b,
        SubRn => a - b,
        _ => return seldom(function, a, b),
    })
}

fn seldom(function: MathFunction, a: f64, b: f64) -> Option<f64> {
    use MathFunction::*;
    Some(match function {
        Asin => a.asin(),
        Acos => a.acos(),
        Atan => a.atan(),
        Sinh => a.sinh(),
        Cosh => a.cosh(),
        Asinh => libm::asinh(a),
        Acosh => libm::acosh(a),
        Atanh => libm::atanh(a),
        Cbrt => a.cbrt(),
        Rcbrt => 1.0 / a.cbrt(),
        Erf => libm::erf(a),
        Erfc => libm::erfc(a),
        Expm1 => a.exp_m1(),
        Log1p => a.ln_1p(),
        Lgamma => libm::lgamma(a),
        Tgamma => libm::tgamma(a),
        SinPi => (a % 2.0 * std::f64::consts::PI).sin(),
        CosPi => (a % 2.0 * std::f64::consts::PI).cos(),
        NormCdf => 0.5 * libm::erfc(-a * std::f64::consts::FRAC_1_SQRT_2),
        Atan2 => a.atan2(b),
        Hypot => a.hypot(b),
        Copysign => a.copysign(b),
        Fdim => libm::fdim(a, b),
        Remainder => libm::remainder(a, b),
        FrexpMantissa => libm::frexp(a).0,
        ModfFraction if a.is_infinite() => 0f64.copysign(a),
        ModfFraction => (a - a.trunc()).copysign(a),
        _ => return None,
    })
}

fn of_integers(function: MathFunction, scalar: Scalar, [a, b, c]: [u64; 3]) -> Option<u64> {
    use MathFunction::*;
    let is_wide = scalar.size_bytes() == 8;
    let (x, y) = (
        arithmetic::integer(scalar, a),
        arithmetic::integer(scalar, b),
    );
    let width = if is_wide { 64 } else { 32 };
    let low = if is_wide { a } else { u64::from(a as u32) };
    // Two words side by side, from which a shift takes one.
    let funnel = u64::from(b as u32) << 32 | u64::from(a as u32);
    Some(match function {
        Abs => arithmetic::wrap(scalar, x.abs()),
        Min => arithmetic::wrap(scalar, x.min(y)),
        Max => arithmetic::wrap(scalar, x.max(y)),
        MulHi => arithmetic::wrap(scalar, x.wrapping_mul(y) >> width),
        Popc => u64::from(low.count_ones()),
        Clz => u64::from(low.leading_zeros() - (64 - width)),
        Ffs => match low {
            0 => 0,
            low => u64::from(low.trailing_zeros() + 1),
        },
        Brev => arithmetic::wrap(scalar, i128::from(low.reverse_bits() >> (64 - width))),
        FunnelL => u64::from((funnel << (c & 31) >> 32) as u32),
        FunnelR => u64::from((funnel >> (c & 31)) as u32),
        Mul24 => arithmetic::wrap(scalar, (x << 104 >> 104).wrapping_mul(y << 104 >> 104)),
        Sad => arithmetic::wrap(scalar, (x - y).abs() + arithmetic::integer(scalar, c)),
        _ => return None,
    })
}
