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

/// The operations that do the same to each floating-point type, where there is one.
#[derive(Clone, Copy)]
struct FloatOps {
    f16: Option<Op>,
    bf16: Option<Op>,
    f32: Option<Op>,
    f64: Option<Op>,
}

impl FloatOps {
    const fn all(f16: Op, bf16: Op, f32: Op, f64: Op) -> Self {
        FloatOps {
            f16: Some(f16),
            bf16: Some(bf16),
            f32: Some(f32),
            f64: Some(f64),
        }
    }

    /// What the GPU does not have for halves goes through single precision.
    const fn wide(f32: Op, f64: Op) -> Self {
        FloatOps {
            f64: Some(f64),
            ..FloatOps::single(f32)
        }
    }

    const fn single(f32: Op) -> Self {
        FloatOps {
            f16: None,
            bf16: None,
            f32: Some(f32),
            f64: None,
        }
    }

    fn of(self, kind: Kind) -> Option<Op> {
        match kind {
            Kind::F16 => self.f16,
            Kind::Bf16 => self.bf16,
            Kind::F32 => self.f32,
            Kind::F64 => self.f64,
            Kind::Int32 { .. } | Kind::Int64 { .. } => None,
        }
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
        kind => float(op)
            .of(kind)
            .unwrap_or_else(|| unreachable!("floats have all of these")),
    };
    BinaryOperation { op, is_swapped }
}

fn pick(signed: bool, yes: Op, no: Op) -> Op {
    if signed { yes } else { no }
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

fn float(op: BinaryOp) -> FloatOps {
    use BinaryOp::*;
    match op {
        Add => FloatOps::all(Op::AddF16, Op::AddBf16, Op::AddF32, Op::AddF64),
        Sub => FloatOps::all(Op::SubF16, Op::SubBf16, Op::SubF32, Op::SubF64),
        Mul => FloatOps::all(Op::MulF16, Op::MulBf16, Op::MulF32, Op::MulF64),
        Div => FloatOps::all(Op::DivF16, Op::DivBf16, Op::DivF32, Op::DivF64),
        Eq => FloatOps::all(Op::EqF16, Op::EqBf16, Op::EqF32, Op::EqF64),
        Ne => FloatOps::all(Op::NeF16, Op::NeBf16, Op::NeF32, Op::NeF64),
        Lt | Gt => FloatOps::all(Op::LtF16, Op::LtBf16, Op::LtF32, Op::LtF64),
        Le | Ge => FloatOps::all(Op::LeF16, Op::LeBf16, Op::LeF32, Op::LeF64),
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of floats")
        }
    }
}

/// Which operation a mathematical function is on a type, where it is a single one.
pub(super) fn math(function: MathFunction, scalar: Scalar) -> Option<Op> {
    match kind(scalar) {
        Kind::Int32 { signed } => math_int32(function, signed),
        Kind::Int64 { signed } => math_int64(function, signed),
        kind => math_float(function)?.of(kind),
    }
}

fn math_int32(function: MathFunction, signed: bool) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Abs => Op::AbsI32,
        Min => pick(signed, Op::MinI32, Op::MinU32),
        Max => pick(signed, Op::MaxI32, Op::MaxU32),
        MulHi => pick(signed, Op::MulHiI32, Op::MulHiU32),
        Popc => Op::Popc32,
        Clz => Op::Clz32,
        Ffs => Op::Ffs32,
        Brev => Op::Brev32,
        BytePerm => Op::BytePerm,
        FunnelL => Op::FunnelL,
        FunnelLClamp => Op::FunnelLClamp,
        FunnelR => Op::FunnelR,
        FunnelRClamp => Op::FunnelRClamp,
        Mul24 => pick(signed, Op::Mul24I32, Op::Mul24U32),
        Sad => pick(signed, Op::SadI32, Op::SadU32),
        Dp4a => pick(signed, Op::Dp4aI32, Op::Dp4aU32),
        _ => return None,
    })
}

fn math_int64(function: MathFunction, signed: bool) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Min => pick(signed, Op::MinI64, Op::MinU64),
        Max => pick(signed, Op::MaxI64, Op::MaxU64),
        MulHi => pick(signed, Op::MulHiI64, Op::MulHiU64),
        Popc => Op::Popc64,
        Clz => Op::Clz64,
        Ffs => Op::Ffs64,
        Brev => Op::Brev64,
        _ => return None,
    })
}

fn math_float(function: MathFunction) -> Option<FloatOps> {
    use MathFunction::*;
    Some(match function {
        Abs => FloatOps::all(Op::AbsB16, Op::AbsB16, Op::AbsF32, Op::AbsF64),
        Min => FloatOps::all(Op::MinF16, Op::MinBf16, Op::MinF32, Op::MinF64),
        Max => FloatOps::all(Op::MaxF16, Op::MaxBf16, Op::MaxF32, Op::MaxF64),
        Fma => FloatOps::all(Op::FmaF16, Op::FmaBf16, Op::FmaF32, Op::FmaF64),
        Sqrt => FloatOps::wide(Op::SqrtF32, Op::SqrtF64),
        Rsqrt => FloatOps::wide(Op::RsqrtF32, Op::RsqrtF64),
        Exp => FloatOps::wide(Op::ExpF32, Op::ExpF64),
        Exp2 => FloatOps::wide(Op::Exp2F32, Op::Exp2F64),
        Exp10 => FloatOps::wide(Op::Exp10F32, Op::Exp10F64),
        Log => FloatOps::wide(Op::LogF32, Op::LogF64),
        Log2 => FloatOps::wide(Op::Log2F32, Op::Log2F64),
        Log10 => FloatOps::wide(Op::Log10F32, Op::Log10F64),
        Sin => FloatOps::wide(Op::SinF32, Op::SinF64),
        FastSin => FloatOps::single(Op::FastSinF32),
        Cos => FloatOps::wide(Op::CosF32, Op::CosF64),
        FastCos => FloatOps::single(Op::FastCosF32),
        Tan => FloatOps::wide(Op::TanF32, Op::TanF64),
        Tanh => FloatOps::wide(Op::TanhF32, Op::TanhF64),
        Pow => FloatOps::wide(Op::PowF32, Op::PowF64),
        Fmod => FloatOps::wide(Op::FmodF32, Op::FmodF64),
        Floor => FloatOps::wide(Op::FloorF32, Op::FloorF64),
        Ceil => FloatOps::wide(Op::CeilF32, Op::CeilF64),
        Trunc => FloatOps::wide(Op::TruncF32, Op::TruncF64),
        Round => FloatOps::wide(Op::RoundF32, Op::RoundF64),
        Rint => FloatOps::wide(Op::RintF32, Op::RintF64),
        FastDivide => FloatOps::single(Op::FastDivF32),
        MulRn => FloatOps::all(Op::MulF16, Op::MulBf16, Op::MulF32, Op::MulF64),
        AddRn => FloatOps::all(Op::AddF16, Op::AddBf16, Op::AddF32, Op::AddF64),
        SubRn => FloatOps::all(Op::SubF16, Op::SubBf16, Op::SubF32, Op::SubF64),
        Asin => FloatOps::wide(Op::AsinF32, Op::AsinF64),
        Acos => FloatOps::wide(Op::AcosF32, Op::AcosF64),
        Atan => FloatOps::wide(Op::AtanF32, Op::AtanF64),
        Sinh => FloatOps::wide(Op::SinhF32, Op::SinhF64),
        Cosh => FloatOps::wide(Op::CoshF32, Op::CoshF64),
        Asinh => FloatOps::wide(Op::AsinhF32, Op::AsinhF64),
        Acosh => FloatOps::wide(Op::AcoshF32, Op::AcoshF64),
        Atanh => FloatOps::wide(Op::AtanhF32, Op::AtanhF64),
        Cbrt => FloatOps::wide(Op::CbrtF32, Op::CbrtF64),
        Rcbrt => FloatOps::wide(Op::RcbrtF32, Op::RcbrtF64),
        Erf => FloatOps::wide(Op::ErfF32, Op::ErfF64),
        Erfc => FloatOps::wide(Op::ErfcF32, Op::ErfcF64),
        Expm1 => FloatOps::wide(Op::Expm1F32, Op::Expm1F64),
        Log1p => FloatOps::wide(Op::Log1pF32, Op::Log1pF64),
        Lgamma => FloatOps::wide(Op::LgammaF32, Op::LgammaF64),
        Tgamma => FloatOps::wide(Op::TgammaF32, Op::TgammaF64),
        SinPi => FloatOps::wide(Op::SinPiF32, Op::SinPiF64),
        CosPi => FloatOps::wide(Op::CosPiF32, Op::CosPiF64),
        NormCdf => FloatOps::wide(Op::NormCdfF32, Op::NormCdfF64),
        Atan2 => FloatOps::wide(Op::Atan2F32, Op::Atan2F64),
        Hypot => FloatOps::wide(Op::HypotF32, Op::HypotF64),
        Copysign => FloatOps::wide(Op::CopysignF32, Op::CopysignF64),
        Fdim => FloatOps::wide(Op::FdimF32, Op::FdimF64),
        Remainder => FloatOps::wide(Op::RemainderF32, Op::RemainderF64),
        Ldexp => FloatOps::wide(Op::LdexpF32, Op::LdexpF64),
        FrexpMantissa => FloatOps::wide(Op::FrexpMantissaF32, Op::FrexpMantissaF64),
        FrexpExponent => FloatOps::wide(Op::FrexpExponentF32, Op::FrexpExponentF64),
        ModfFraction => FloatOps::wide(Op::ModfFractionF32, Op::ModfFractionF64),
        FastLog2 => FloatOps::single(Op::FastLog2F32),
        _ => return None,
    })
}
