//! Which operation does what to which type.

use crate::cuda::{BinaryOp, MathFunction, Scalar};
use crate::ir::Op;

/// The six kinds of arithmetic; narrower integers compute as 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int32 { signed: bool },
    Int64 { signed: bool },
    F16,
    Bf16,
    F32,
    F64,
}

pub(super) fn kind(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::F16 => Kind::F16,
        Scalar::Bf16 => Kind::Bf16,
        Scalar::F32 => Kind::F32,
        Scalar::F64 => Kind::F64,
        Scalar::I64 => Kind::Int64 { signed: true },
        Scalar::U64 => Kind::Int64 { signed: false },
        scalar => Kind::Int32 {
            signed: scalar.is_signed(),
        },
    }
}

/// A binary operation on registers.
#[derive(Clone, Copy)]
pub(super) struct BinaryOperation {
    pub op: Op,
    /// Whether its operands change places: `a > b` is `b < a`.
    pub is_swapped: bool,
}

/// The operation for `op` on `scalar`.
pub(super) fn binary(op: BinaryOp, scalar: Scalar) -> BinaryOperation {
    let is_swapped = matches!(op, BinaryOp::Gt | BinaryOp::Ge);
    let op = match kind(scalar) {
        Kind::Int32 { signed } => integer(op, signed).0,
        Kind::Int64 { signed } => integer(op, signed).1,
        Kind::F16 => float(op)[0],
        Kind::Bf16 => float(op)[1],
        Kind::F32 => float(op)[2],
        Kind::F64 => float(op)[3],
    };
    BinaryOperation { op, is_swapped }
}

/// Of 32 and of 64 bits.
fn integer(op: BinaryOp, signed: bool) -> (Op, Op) {
    use BinaryOp::*;
    match (op, signed) {
        (Add, _) => (Op::AddI32, Op::AddI64),
        (Sub, _) => (Op::SubI32, Op::SubI64),
        (Mul, _) => (Op::MulI32, Op::MulI64),
        (Div, true) => (Op::DivI32, Op::DivI64),
        (Div, false) => (Op::DivU32, Op::DivU64),
        (Rem, true) => (Op::RemI32, Op::RemI64),
        (Rem, false) => (Op::RemU32, Op::RemU64),
        (BitAnd, _) => (Op::And32, Op::And64),
        (BitOr, _) => (Op::Or32, Op::Or64),
        (BitXor, _) => (Op::Xor32, Op::Xor64),
        (Shl, _) => (Op::Shl32, Op::Shl64),
        (Shr, true) => (Op::ShrI32, Op::ShrI64),
        (Shr, false) => (Op::ShrU32, Op::ShrU64),
        (Eq, _) => (Op::Eq32, Op::Eq64),
        (Ne, _) => (Op::Ne32, Op::Ne64),
        (Lt | Gt, true) => (Op::LtI32, Op::LtI64),
        (Lt | Gt, false) => (Op::LtU32, Op::LtU64),
        (Le | Ge, true) => (Op::LeI32, Op::LeI64),
        (Le | Ge, false) => (Op::LeU32, Op::LeU64),
    }
}

/// Of `__half`, `__nv_bfloat16`, `float` and `double`.
fn float(op: BinaryOp) -> [Op; 4] {
    use BinaryOp::*;
    match op {
        Add => [Op::AddF16, Op::AddBf16, Op::AddF32, Op::AddF64],
        Sub => [Op::SubF16, Op::SubBf16, Op::SubF32, Op::SubF64],
        Mul => [Op::MulF16, Op::MulBf16, Op::MulF32, Op::MulF64],
        Div => [Op::DivF16, Op::DivBf16, Op::DivF32, Op::DivF64],
        Eq => [Op::EqF16, Op::EqBf16, Op::EqF32, Op::EqF64],
        Ne => [Op::NeF16, Op::NeBf16, Op::NeF32, Op::NeF64],
        Lt | Gt => [Op::LtF16, Op::LtBf16, Op::LtF32, Op::LtF64],
        Le | Ge => [Op::LeF16, Op::LeBf16, Op::LeF32, Op::LeF64],
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of floats")
        }
    }
}

/// Which operation a mathematical function is on a type, where it is a single one.
pub(super) fn math(function: MathFunction, scalar: Scalar) -> Option<Op> {
    let operations = function.row().operations;
    match kind(scalar) {
        Kind::F16 => operations.f16,
        Kind::Bf16 => operations.bf16,
        Kind::F32 => operations.f32,
        Kind::F64 => operations.f64,
        Kind::Int32 { signed: true } => operations.i32,
        Kind::Int32 { signed: false } => operations.u32,
        Kind::Int64 { signed: true } => operations.i64,
        Kind::Int64 { signed: false } => operations.u64,
    }
}
