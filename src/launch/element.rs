//! The scalar types that buffers hold, and single values of them.

use half::{bf16, f16};
use serde::{Deserialize, Serialize};

use super::float8::{E4M3, E5M2};

named! {
    /// The type of a buffer's elements, by the names that `--arg` and lessons use.
    #[derive(Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(missing_docs, reason = "the names say it: kind and bits")]
    pub enum ElementType {
        F64 = "f64",
        F32 = "f32",
        F16 = "f16",
        Bf16 = "bf16",
        F8E4M3 = "f8e4m3",
        F8E5M2 = "f8e5m2",
        I64 = "i64",
        U64 = "u64",
        I32 = "i32",
        U32 = "u32",
        I16 = "i16",
        U16 = "u16",
        I8 = "i8",
        U8 = "u8",
    }
}

impl ElementType {
    /// Size of one element in bytes.
    #[inline]
    pub fn size_bytes(self) -> usize {
        use ElementType::*;
        match self {
            F64 | I64 | U64 => 8,
            F32 | I32 | U32 => 4,
            F16 | Bf16 | I16 | U16 => 2,
            F8E4M3 | F8E5M2 | I8 | U8 => 1,
        }
    }

    /// Whether values are floating point.
    pub fn is_float(self) -> bool {
        use ElementType::*;
        matches!(self, F64 | F32 | F16 | Bf16 | F8E4M3 | F8E5M2)
    }

    /// The value whose bits are the low bits of `bits`.
    pub fn value(self, bits: u64) -> Value {
        use ElementType::*;
        match self {
            F64 => Value::Float(f64::from_bits(bits)),
            F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            F16 => Value::Float(f16::from_bits(bits as u16).to_f64()),
            Bf16 => Value::Float(bf16::from_bits(bits as u16).to_f64()),
            F8E4M3 => Value::Float(E4M3.value(bits as u8)),
            F8E5M2 => Value::Float(E5M2.value(bits as u8)),
            I64 => Value::Integer(i128::from(bits as i64)),
            U64 => Value::Integer(i128::from(bits)),
            I32 => Value::Integer(i128::from(bits as i32)),
            U32 => Value::Integer(i128::from(bits as u32)),
            I16 => Value::Integer(i128::from(bits as i16)),
            U16 => Value::Integer(i128::from(bits as u16)),
            I8 => Value::Integer(i128::from(bits as i8)),
            U8 => Value::Integer(i128::from(bits as u8)),
        }
    }

    /// The bits of `value` converted to this type: rounded to nearest for floats, wrapped for
    /// integers.
    pub fn bits(self, value: Value) -> u64 {
        use ElementType::*;
        match self {
            F64 => value.as_f64().to_bits(),
            F32 => u64::from((value.as_f64() as f32).to_bits()),
            F16 => u64::from(f16_nearest(value.as_f64()).to_bits()),
            Bf16 => u64::from(bf16_nearest(value.as_f64()).to_bits()),
            F8E4M3 => u64::from(E4M3.nearest(value.as_f64())),
            F8E5M2 => u64::from(E5M2.nearest(value.as_f64())),
            I64 | U64 => value.as_i128() as u64,
            I32 | U32 => u64::from(value.as_i128() as u32),
            I16 | U16 => u64::from(value.as_i128() as u16),
            I8 | U8 => u64::from(value.as_i128() as u8),
        }
    }
}

/// The nearest half, rounded once.
pub fn f16_nearest(value: f64) -> f16 {
    f16::from_f32(odd_f32(value))
}

/// The nearest bfloat16, rounded once.
pub fn bf16_nearest(value: f64) -> bf16 {
    bf16::from_f32(odd_f32(value))
}

/// `value` in single precision, rounded to odd where it does not fit: rounding that again, to a
/// format at least two bits shorter, gives what rounding `value` once gives (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums", 2008).
#[inline]
pub fn odd_f32(value: f64) -> f32 {
    let near = value as f32;
    let error = value - f64::from(near);
    // Without branches: lanes are rounded eight at a time.
    let is_inexact = near.is_finite() & (error != 0.0) & (near.to_bits() & 1 == 0);
    let away = (error > 0.0) == (value > 0.0);
    let step = if away { 1 } else { u32::MAX };
    f32::from_bits(
        near.to_bits()
            .wrapping_add(if is_inexact { step } else { 0 }),
    )
}

/// An integer in double precision, rounded to odd where it does not fit.
pub fn odd_f64(value: i128) -> f64 {
    let near = value as f64;
    let error = value - near as i128;
    if error == 0 || near.to_bits() & 1 == 1 {
        return near;
    }
    let away = (error > 0) == (value > 0);
    f64::from_bits(near.to_bits().wrapping_add(if away { 1 } else { u64::MAX }))
}

/// One element's value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of an integer type.
    Integer(i128),
    /// Of a floating-point type.
    Float(f64),
}

impl Value {
    /// As a double, rounded where it does not fit.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Integer(integer) => integer as f64,
            Value::Float(float) => float,
        }
    }

    /// As an integer, truncated towards zero.
    pub fn as_i128(self) -> i128 {
        match self {
            Value::Integer(integer) => integer,
            Value::Float(float) => float as i128,
        }
    }
}

impl ElementType {
    /// The distance of neighbouring values around `value`; nothing for integers.
    pub fn spacing(self, value: f64) -> Option<f64> {
        let fraction_bits = match self {
            ElementType::F64 => 52,
            ElementType::F32 => 23,
            ElementType::F16 => 10,
            ElementType::Bf16 => 7,
            ElementType::F8E4M3 => 3,
            ElementType::F8E5M2 => 2,
            _ => return None,
        };
        let exponent = value.abs().max(f64::MIN_POSITIVE).log2().floor();
        Some((exponent - f64::from(fraction_bits)).exp2())
    }

    /// Values of the type from one of these bits to the other, both zeros being one; nothing for
    /// integers, and where one is no number.
    pub fn ulps_apart(self, a: u64, b: u64) -> Option<u64> {
        let is_number = |bits| !self.value(bits).as_f64().is_nan();
        if !self.is_float() || !is_number(a) || !is_number(b) {
            return None;
        }
        let sign = 1_u64 << (8 * self.size_bytes() - 1);
        let place = |bits: u64| {
            let size = (bits & (sign - 1)) as i64;
            if bits & sign == 0 { size } else { -size }
        };
        Some(place(a).abs_diff(place(b)))
    }
}

/// How the bits of a variable are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// `true` or `false`, as 1 or 0.
    Bool,
    /// An address.
    Pointer,
    /// A number.
    Number(ElementType),
}

impl ValueType {
    /// The value with these bits: a truth value as 0 or 1, a pointer as its address.
    pub fn value(self, bits: u64) -> Value {
        match self {
            ValueType::Bool => Value::Integer(i128::from(bits & 1)),
            ValueType::Pointer => Value::Integer(i128::from(bits)),
            ValueType::Number(element) => element.value(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn across_zero_the_distance_is_that_of_both_to_zero() {
        let tiny = f64::from(f32::from_bits(2));
        let bits = |value| ElementType::F32.bits(Value::Float(value));
        let distance = |a, b| ElementType::F32.ulps_apart(bits(a), bits(b));
        assert_eq!(distance(tiny, -tiny), Some(4));
        assert_eq!(distance(f64::NAN, 1.0), None);
    }

    #[test]
    fn names_go_both_ways() {
        for name in ElementType::names() {
            assert_eq!(
                ElementType::from_name(name).map(ElementType::name),
                Some(name)
            );
        }
        assert_eq!(ElementType::from_name("f128"), None);
    }

    #[test]
    fn bits_and_values_go_both_ways() {
        assert_eq!(ElementType::I8.value(0xff), Value::Integer(-1));
        assert_eq!(ElementType::U8.bits(Value::Integer(-1)), 0xff);
        assert_eq!(ElementType::F16.value(0x3c00), Value::Float(1.0));
        assert_eq!(ElementType::Bf16.bits(Value::Float(1.0)), 0x3f80);
    }
}
