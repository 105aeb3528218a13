//! Arithmetic on constants, as the GPU would do it. Nothing where C++ leaves the result open.

use half::{bf16, f16};

use crate::launch::{bf16_nearest, f16_nearest, odd_f64};

use super::operation::{BinaryOp, UnaryOp};
use super::types::Scalar;

/// The bits of an integer: cut to its type, then extended to 64 bits.
pub fn wrap(scalar: Scalar, value: i128) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(value != 0),
        // Signed types are extended with their sign: -1 is all ones in each of them.
        Scalar::Char | Scalar::I8 => value as i8 as i64 as u64,
        Scalar::U8 => u64::from(value as u8),
        Scalar::I16 => value as i16 as i64 as u64,
        Scalar::U16 => u64::from(value as u16),
        Scalar::I32 => value as i32 as i64 as u64,
        Scalar::U32 => u64::from(value as u32),
        _ => value as u64,
    }
}

/// The bits of a constant that lies in memory as these bytes.
pub fn from_bytes(scalar: Scalar, bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    wrap(scalar, i128::from(u64::from_le_bytes(whole)))
}

/// The value of an integer's bits.
pub fn integer(scalar: Scalar, bits: u64) -> i128 {
    match scalar.is_signed() {
        true => i128::from(bits as i64),
        false => i128::from(bits),
    }
}

/// The value of a float's bits; exact.
pub fn float(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        _ => f64::from_bits(bits),
    }
}

/// `bits` of type `from`, converted to `to`.
pub fn convert(from: Scalar, to: Scalar, bits: u64) -> Option<u64> {
    if from == to {
        return Some(bits);
    }
    if to == Scalar::Bool {
        // [conv.bool]: only zero is false: -0.0 is, as it equals zero, and NaN is true.
        let is_zero = match from.is_float() {
            true => float(from, bits) == 0.0,
            false => bits == 0,
        };
        return Some(u64::from(!is_zero));
    }
    if to.is_half() {
        let value = match from.is_float() {
            true => float(from, bits),
            // Rounded to odd, so that the rounding to 16 bits comes out as if it was the only one.
            false => odd_f64(integer(from, bits)),
        };
        return Some(u64::from(match to {
            Scalar::F16 => f16_nearest(value).to_bits(),
            _ => bf16_nearest(value).to_bits(),
        }));
    }
    Some(match (from.is_float(), to) {
        (false, Scalar::F32) => u64::from((integer(from, bits) as f32).to_bits()),
        (false, Scalar::F64) => (integer(from, bits) as f64).to_bits(),
        (false, _) => wrap(to, integer(from, bits)),
        (true, Scalar::F32) => u64::from((float(from, bits) as f32).to_bits()),
        (true, Scalar::F64) => float(from, bits).to_bits(),
        (true, _) => {
            let value = float(from, bits).trunc();
            let whole = value as i128;
            let wrapped = wrap(to, whole);
            // [conv.fpint]: a number that the integer type cannot hold is undefined, and saturates on a GPU:
            // left to it.
            let fits = value.is_finite() && integer(to, wrapped) == whole;
            return fits.then_some(wrapped);
        }
    })
}

/// `op` on one operand of type `scalar`.
pub fn unary(op: UnaryOp, scalar: Scalar, bits: u64) -> Option<u64> {
    Some(match (op, scalar) {
        (UnaryOp::LogicalNot, _) => u64::from(bits == 0),
        // Only the sign bit changes, also that of a zero or a NaN.
        (UnaryOp::Negate, Scalar::F16 | Scalar::Bf16) => bits ^ (1 << 15),
        (UnaryOp::Negate, Scalar::F32) => bits ^ (1 << 31),
        (UnaryOp::Negate, Scalar::F64) => bits ^ (1 << 63),
        // The least `int` has no positive partner: undefined in C++, and wrapped on a GPU as here.
        (UnaryOp::Negate, _) => wrap(scalar, -integer(scalar, bits)),
        (UnaryOp::BitNot, of) if of.is_float() => return None,
        (UnaryOp::BitNot, _) => wrap(scalar, !integer(scalar, bits)),
    })
}

/// `op` on two operands of type `scalar`; `amount` is the right operand's value for shifts.
pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64, amount: i128) -> Option<u64> {
    match scalar {
        Scalar::F32 => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let value = float_value(op, a, b, a / b, [a + b, a - b, a * b])?;
            Some(value.map_or_else(|truth| truth, |value| u64::from(value.to_bits())))
        }
        Scalar::F64 => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let value = float_value(op, a, b, a / b, [a + b, a - b, a * b])?;
            Some(value.map_or_else(|truth| truth, f64::to_bits))
        }
        // They round otherwise than the types above: left to the GPU.
        Scalar::F16 | Scalar::Bf16 => None,
        scalar => integer_binary(op, scalar, integer(scalar, a), integer(scalar, b), amount),
    }
}

/// A float, or as the error the bits of a truth value.
fn float_value<T: PartialOrd + Copy>(
    op: BinaryOp,
    a: T,
    b: T,
    quotient: T,
    [sum, difference, product]: [T; 3],
) -> Option<Result<T, u64>> {
    let value = match op {
        BinaryOp::Add => sum,
        BinaryOp::Sub => difference,
        BinaryOp::Mul => product,
        BinaryOp::Div => quotient,
        _ => return Some(Err(u64::from(compare(op, a, b)?))),
    };
    // Which NaN it is differs between machines: the GPU is to say.
    let is_nan = value.partial_cmp(&value).is_none();
    (!is_nan).then_some(Ok(value))
}

fn compare<T: PartialOrd>(op: BinaryOp, a: T, b: T) -> Option<bool> {
    Some(match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => return None,
    })
}

fn integer_binary(op: BinaryOp, scalar: Scalar, a: i128, b: i128, amount: i128) -> Option<u64> {
    let width = i128::from(scalar.size_bytes()) * 8;
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        // Two 64-bit numbers can overflow even 128 bits; the low 64 bits are right all the same.
        BinaryOp::Mul => a.wrapping_mul(b),
        // [expr.mul]: dividing by zero is undefined: left to the GPU.
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        // [expr.shift]: shifting by the width or more is undefined; PTX gives 0 or the sign.
        BinaryOp::Shl if (0..width).contains(&amount) => a << amount,
        BinaryOp::Shr if (0..width).contains(&amount) => a >> amount,
        BinaryOp::Shl | BinaryOp::Shr => return None,
        _ => return Some(u64::from(compare(op, a, b)?)),
    };
    Some(wrap(scalar, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_in_their_own_width() {
        let add = |scalar, a, b| binary(BinaryOp::Add, scalar, a, b, 0);
        assert_eq!(add(Scalar::U32, 0xffff_ffff, 1), Some(0));
        assert_eq!(
            add(Scalar::I32, 0x7fff_ffff, 1),
            Some(i32::MIN as i64 as u64)
        );
        assert_eq!(binary(BinaryOp::Div, Scalar::I32, 1, 0, 0), None);
        assert_eq!(binary(BinaryOp::Shl, Scalar::I32, 1, 0, 32), None);
    }

    #[test]
    fn conversions_follow_the_types() {
        let minus_one = u64::MAX;
        assert_eq!(
            convert(Scalar::I32, Scalar::U32, minus_one),
            Some(0xffff_ffff)
        );
        assert_eq!(
            convert(Scalar::I32, Scalar::U64, minus_one),
            Some(minus_one)
        );
        assert_eq!(
            convert(Scalar::F64, Scalar::I32, (-2.9f64).to_bits()),
            Some(-2i64 as u64)
        );
        assert_eq!(convert(Scalar::F64, Scalar::I32, 1e30f64.to_bits()), None);
        assert_eq!(
            convert(Scalar::F64, Scalar::Bool, 0.5f64.to_bits()),
            Some(1)
        );
    }
}
