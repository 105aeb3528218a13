//! Which operation does what to which type.

use crate::cuda::{BinaryOp, MathFunction, Scalar};
use crate::ir::Op;

/// The six kinds of arithmetic; narrower integers compute as 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int32 { signed: bool },
    Int64 { signed: bool },
    F16,
    Bf16,
    F32,
    F64,
}

pub(crate) fn kind(scalar: Scalar) -> Kind {
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

/// The operation for `op` on `scalar`, and whether its operands change places. Bitwise operations
/// and remainders of floats do not exist: the checker refuses them.
pub(crate) fn binary(op: BinaryOp, scalar: Scalar) -> (Op, bool) {
    let swapped = matches!(op, BinaryOp::Gt | BinaryOp::Ge);
    let op = match op {
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        op => op,
    };
    let op = match kind(scalar) {
        Kind::Int32 { signed } => int32(op, signed),
        Kind::Int64 { signed } => int64(op, signed),
        Kind::F16 => f16(op),
        Kind::Bf16 => bf16(op),
        Kind::F32 => f32(op),
        Kind::F64 => f64(op),
    };
    (op, swapped)
}

fn pick(signed: bool, yes: Op, no: Op) -> Op {
    if signed { yes } else { no }
}

fn int32(op: BinaryOp, signed: bool) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddI32,
        Sub => Op::SubI32,
        Mul => Op::MulI32,
        Div => pick(signed, Op::DivI32, Op::DivU32),
        Rem => pick(signed, Op::RemI32, Op::RemU32),
        BitAnd => Op::And32,
        BitOr => Op::Or32,
        BitXor => Op::Xor32,
        Shl => Op::Shl32,
        Shr => pick(signed, Op::ShrI32, Op::ShrU32),
        Eq => Op::Eq32,
        Ne => Op::Ne32,
        Lt | Gt => pick(signed, Op::LtI32, Op::LtU32),
        Le | Ge => pick(signed, Op::LeI32, Op::LeU32),
    }
}

fn int64(op: BinaryOp, signed: bool) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddI64,
        Sub => Op::SubI64,
        Mul => Op::MulI64,
        Div => pick(signed, Op::DivI64, Op::DivU64),
        Rem => pick(signed, Op::RemI64, Op::RemU64),
        BitAnd => Op::And64,
        BitOr => Op::Or64,
        BitXor => Op::Xor64,
        Shl => Op::Shl64,
        Shr => pick(signed, Op::ShrI64, Op::ShrU64),
        Eq => Op::Eq64,
        Ne => Op::Ne64,
        Lt | Gt => pick(signed, Op::LtI64, Op::LtU64),
        Le | Ge => pick(signed, Op::LeI64, Op::LeU64),
    }
}

fn f32(op: BinaryOp) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddF32,
        Sub => Op::SubF32,
        Mul => Op::MulF32,
        Div => Op::DivF32,
        Eq => Op::EqF32,
        Ne => Op::NeF32,
        Lt | Gt => Op::LtF32,
        Le | Ge => Op::LeF32,
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of floats")
        }
    }
}

fn f16(op: BinaryOp) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddF16,
        Sub => Op::SubF16,
        Mul => Op::MulF16,
        Div => Op::DivF16,
        Eq => Op::EqF16,
        Ne => Op::NeF16,
        Lt | Gt => Op::LtF16,
        Le | Ge => Op::LeF16,
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of halves")
        }
    }
}

fn bf16(op: BinaryOp) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddBf16,
        Sub => Op::SubBf16,
        Mul => Op::MulBf16,
        Div => Op::DivBf16,
        Eq => Op::EqBf16,
        Ne => Op::NeBf16,
        Lt | Gt => Op::LtBf16,
        Le | Ge => Op::LeBf16,
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of bfloat16")
        }
    }
}

fn f64(op: BinaryOp) -> Op {
    use BinaryOp::*;
    match op {
        Add => Op::AddF64,
        Sub => Op::SubF64,
        Mul => Op::MulF64,
        Div => Op::DivF64,
        Eq => Op::EqF64,
        Ne => Op::NeF64,
        Lt | Gt => Op::LtF64,
        Le | Ge => Op::LeF64,
        Rem | BitAnd | BitOr | BitXor | Shl | Shr => {
            unreachable!("the checker refuses {op:?} of doubles")
        }
    }
}

/// Which operation a mathematical function is on a type, where it is a single one.
pub(crate) fn math(function: MathFunction, scalar: Scalar) -> Option<Op> {
    match kind(scalar) {
        Kind::F16 => math_f16(function),
        Kind::Bf16 => math_bf16(function),
        Kind::F32 => math_f32(function),
        Kind::F64 => math_f64(function),
        Kind::Int32 { signed } => math_int32(function, signed),
        Kind::Int64 { signed } => match function {
            MathFunction::Min => Some(pick(signed, Op::MinI64, Op::MinU64)),
            MathFunction::Max => Some(pick(signed, Op::MaxI64, Op::MaxU64)),
            MathFunction::MulHi => Some(pick(signed, Op::MulHiI64, Op::MulHiU64)),
            MathFunction::Popc => Some(Op::Popc64),
            MathFunction::Clz => Some(Op::Clz64),
            MathFunction::Ffs => Some(Op::Ffs64),
            MathFunction::Brev => Some(Op::Brev64),
            _ => None,
        },
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

/// What the GPU has for halves; the other functions go through single precision.
fn math_f16(function: MathFunction) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Abs => Op::AbsB16,
        Min => Op::MinF16,
        Max => Op::MaxF16,
        Fma => Op::FmaF16,
        MulRn => Op::MulF16,
        AddRn => Op::AddF16,
        SubRn => Op::SubF16,
        _ => return None,
    })
}

/// The same for bfloat16.
fn math_bf16(function: MathFunction) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Abs => Op::AbsB16,
        Min => Op::MinBf16,
        Max => Op::MaxBf16,
        Fma => Op::FmaBf16,
        MulRn => Op::MulBf16,
        AddRn => Op::AddBf16,
        SubRn => Op::SubBf16,
        _ => return None,
    })
}

fn math_f32(function: MathFunction) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Abs => Op::AbsF32,
        Min => Op::MinF32,
        Max => Op::MaxF32,
        Fma => Op::FmaF32,
        Sqrt => Op::SqrtF32,
        Rsqrt => Op::RsqrtF32,
        Exp => Op::ExpF32,
        Exp2 => Op::Exp2F32,
        Exp10 => Op::Exp10F32,
        Log => Op::LogF32,
        Log2 => Op::Log2F32,
        Log10 => Op::Log10F32,
        Sin => Op::SinF32,
        FastSin => Op::FastSinF32,
        Cos => Op::CosF32,
        FastCos => Op::FastCosF32,
        Tan => Op::TanF32,
        Tanh => Op::TanhF32,
        Pow => Op::PowF32,
        Fmod => Op::FmodF32,
        Floor => Op::FloorF32,
        Ceil => Op::CeilF32,
        Trunc => Op::TruncF32,
        Round => Op::RoundF32,
        Rint => Op::RintF32,
        FastDivide => Op::FastDivF32,
        MulRn => Op::MulF32,
        AddRn => Op::AddF32,
        SubRn => Op::SubF32,
        Asin => Op::AsinF32,
        Acos => Op::AcosF32,
        Atan => Op::AtanF32,
        Sinh => Op::SinhF32,
        Cosh => Op::CoshF32,
        Asinh => Op::AsinhF32,
        Acosh => Op::AcoshF32,
        Atanh => Op::AtanhF32,
        Cbrt => Op::CbrtF32,
        Rcbrt => Op::RcbrtF32,
        Erf => Op::ErfF32,
        Erfc => Op::ErfcF32,
        Expm1 => Op::Expm1F32,
        Log1p => Op::Log1pF32,
        Lgamma => Op::LgammaF32,
        Tgamma => Op::TgammaF32,
        SinPi => Op::SinPiF32,
        CosPi => Op::CosPiF32,
        NormCdf => Op::NormCdfF32,
        Atan2 => Op::Atan2F32,
        Hypot => Op::HypotF32,
        Copysign => Op::CopysignF32,
        Fdim => Op::FdimF32,
        Remainder => Op::RemainderF32,
        Ldexp => Op::LdexpF32,
        FrexpMantissa => Op::FrexpMantissaF32,
        FrexpExponent => Op::FrexpExponentF32,
        ModfFraction => Op::ModfFractionF32,
        FastLog2 => Op::FastLog2F32,
        _ => return None,
    })
}

fn math_f64(function: MathFunction) -> Option<Op> {
    use MathFunction::*;
    Some(match function {
        Abs => Op::AbsF64,
        Min => Op::MinF64,
        Max => Op::MaxF64,
        Fma => Op::FmaF64,
        Sqrt => Op::SqrtF64,
        Rsqrt => Op::RsqrtF64,
        Exp => Op::ExpF64,
        Exp2 => Op::Exp2F64,
        Exp10 => Op::Exp10F64,
        Log => Op::LogF64,
        Log2 => Op::Log2F64,
        Log10 => Op::Log10F64,
        Sin => Op::SinF64,
        Cos => Op::CosF64,
        Tan => Op::TanF64,
        Tanh => Op::TanhF64,
        Pow => Op::PowF64,
        Fmod => Op::FmodF64,
        Floor => Op::FloorF64,
        Ceil => Op::CeilF64,
        Trunc => Op::TruncF64,
        Round => Op::RoundF64,
        Rint => Op::RintF64,
        MulRn => Op::MulF64,
        AddRn => Op::AddF64,
        SubRn => Op::SubF64,
        Asin => Op::AsinF64,
        Acos => Op::AcosF64,
        Atan => Op::AtanF64,
        Sinh => Op::SinhF64,
        Cosh => Op::CoshF64,
        Asinh => Op::AsinhF64,
        Acosh => Op::AcoshF64,
        Atanh => Op::AtanhF64,
        Cbrt => Op::CbrtF64,
        Rcbrt => Op::RcbrtF64,
        Erf => Op::ErfF64,
        Erfc => Op::ErfcF64,
        Expm1 => Op::Expm1F64,
        Log1p => Op::Log1pF64,
        Lgamma => Op::LgammaF64,
        Tgamma => Op::TgammaF64,
        SinPi => Op::SinPiF64,
        CosPi => Op::CosPiF64,
        NormCdf => Op::NormCdfF64,
        Atan2 => Op::Atan2F64,
        Hypot => Op::HypotF64,
        Copysign => Op::CopysignF64,
        Fdim => Op::FdimF64,
        Remainder => Op::RemainderF64,
        Ldexp => Op::LdexpF64,
        FrexpMantissa => Op::FrexpMantissaF64,
        FrexpExponent => Op::FrexpExponentF64,
        ModfFraction => Op::ModfFractionF64,
        _ => return None,
    })
}
