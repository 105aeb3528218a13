//! Values of scalar types, computed as C++ and the GPU compute them.

use tutor::cuda::{BinaryOp, Scalar};

/// A value with its type. Integers are exact; floats are computed in their own type.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Integer(i128),
    F32(f32),
    F64(f64),
}

impl Value {
    pub fn zero(scalar: Scalar) -> Self {
        match scalar {
            Scalar::F32 => Value::F32(0.0),
            Scalar::F64 => Value::F64(0.0),
            _ => Value::Integer(0),
        }
    }

    /// The constant of the typed program.
    pub fn of_bits(bits: u64, scalar: Scalar) -> Self {
        match scalar {
            Scalar::F32 => Value::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Value::F64(f64::from_bits(bits)),
            _ => Value::Integer(wrap(i128::from(bits), scalar)),
        }
    }

    pub fn bits(self, scalar: Scalar) -> u64 {
        match self {
            Value::Integer(integer) => wrap(integer, scalar) as u64,
            Value::F32(float) => u64::from(float.to_bits()),
            Value::F64(float) => float.to_bits(),
        }
    }

    pub fn is_true(self) -> bool {
        match self {
            Value::Integer(integer) => integer != 0,
            Value::F32(float) => float != 0.0,
            Value::F64(float) => float != 0.0,
        }
    }

    pub fn integer(self) -> i128 {
        match self {
            Value::Integer(integer) => integer,
            _ => panic!("{self:?} is no integer"),
        }
    }

    /// Converted to `to`: integers wrap, floats truncate and saturate.
    pub fn convert(self, to: Scalar) -> Self {
        if to == Scalar::Bool {
            return Value::Integer(self.is_true().into());
        }
        match (self, to) {
            (Value::Integer(integer), Scalar::F32) => Value::F32(integer as f32),
            (Value::Integer(integer), Scalar::F64) => Value::F64(integer as f64),
            (Value::F32(float), Scalar::F32) => Value::F32(float),
            (Value::F32(float), Scalar::F64) => Value::F64(float.into()),
            (Value::F64(float), Scalar::F32) => Value::F32(float as f32),
            (Value::F64(float), Scalar::F64) => Value::F64(float),
            (Value::Integer(integer), to) => Value::Integer(wrap(integer, to)),
            (Value::F32(float), to) => Value::Integer(saturate(float.into(), to)),
            (Value::F64(float), to) => Value::Integer(saturate(float, to)),
        }
    }
}

fn wrap(integer: i128, to: Scalar) -> i128 {
    match to {
        Scalar::Char | Scalar::I8 => i128::from(integer as i8),
        Scalar::U8 | Scalar::Bool => i128::from(integer as u8),
        Scalar::I16 => i128::from(integer as i16),
        Scalar::U16 => i128::from(integer as u16),
        Scalar::I32 => i128::from(integer as i32),
        Scalar::U32 => i128::from(integer as u32),
        Scalar::I64 => i128::from(integer as i64),
        Scalar::U64 => i128::from(integer as u64),
        _ => panic!("{to:?} is no integer type"),
    }
}

/// The GPU converts to 32 or 64 bits, saturating, and keeps the low bits for narrower types.
fn saturate(float: f64, to: Scalar) -> i128 {
    match to {
        Scalar::U32 => i128::from(float as u32),
        Scalar::U64 => i128::from(float as u64),
        Scalar::I64 => i128::from(float as i64),
        to => wrap(i128::from(float as i32), to),
    }
}

pub fn binary(op: BinaryOp, a: Value, b: Value, scalar: Scalar) -> Value {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => float(op, a.into(), b.into(), a, b),
        (Value::F64(a), Value::F64(b)) => double(op, a, b),
        _ => integer(op, a.integer(), b.integer(), scalar),
    }
}

fn float(op: BinaryOp, wide_a: f64, wide_b: f64, a: f32, b: f32) -> Value {
    match op {
        BinaryOp::Add => Value::F32(a + b),
        BinaryOp::Sub => Value::F32(a - b),
        BinaryOp::Mul => Value::F32(a * b),
        BinaryOp::Div => Value::F32(a / b),
        op => double(op, wide_a, wide_b),
    }
}

fn double(op: BinaryOp, a: f64, b: f64) -> Value {
    let truth = |truth: bool| Value::Integer(truth.into());
    match op {
        BinaryOp::Add => Value::F64(a + b),
        BinaryOp::Sub => Value::F64(a - b),
        BinaryOp::Mul => Value::F64(a * b),
        BinaryOp::Div => Value::F64(a / b),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        op => panic!("{op:?} of floats"),
    }
}

fn integer(op: BinaryOp, a: i128, b: i128, scalar: Scalar) -> Value {
    let bits = if scalar.size_bytes() == 8 { 64 } else { 32 };
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a.wrapping_mul(b),
        // All ones, and the dividend itself: what NVIDIA's GPUs give.
        BinaryOp::Div => {
            if b == 0 {
                -1
            } else {
                a / b
            }
        }
        BinaryOp::Rem => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        // The distance is an unsigned 32-bit number to the GPU.
        BinaryOp::Shl => {
            if (b as u32) < bits {
                a << (b as u32)
            } else {
                0
            }
        }
        BinaryOp::Shr => a >> (b as u32).min(bits - 1 + u32::from(a >= 0)),
        BinaryOp::Eq => return Value::Integer((a == b).into()),
        BinaryOp::Ne => return Value::Integer((a != b).into()),
        BinaryOp::Lt => return Value::Integer((a < b).into()),
        BinaryOp::Le => return Value::Integer((a <= b).into()),
        BinaryOp::Gt => return Value::Integer((a > b).into()),
        BinaryOp::Ge => return Value::Integer((a >= b).into()),
    };
    Value::Integer(wrap(result, scalar))
}
