//! The one table of functions of numbers: what each is, what code it becomes, and what it costs.
//!
//! A row has every column, or it does not compile: the checker takes the functions from it, the
//! compiler the operation for each type, and its estimates of code size the last figures.

use crate::ir::Op;

/// What the compiler knows of a [`MathFunction`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MathRow {
    /// What it gives, as a sentence.
    pub help: &'static str,
    /// How many instructions it is taken for where the size of a loop's body decides.
    pub instruction_count: u32,
    /// Whether `nvcc` compiles it to code with branches in single precision.
    pub has_branches: bool,
    /// The operation on each type that has a single one for it; other types go through single
    /// precision, or through several operations.
    pub operations: MathOperations,
}

/// The operations of a function, by the type of its first operand.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names of the types")]
pub struct MathOperations {
    pub i32: Option<Op>,
    pub u32: Option<Op>,
    pub i64: Option<Op>,
    pub u64: Option<Op>,
    pub f16: Option<Op>,
    pub bf16: Option<Op>,
    pub f32: Option<Op>,
    pub f64: Option<Op>,
}

macro_rules! operation {
    (-) => {
        None
    };
    ($op:ident) => {
        Some(Op::$op)
    };
}

macro_rules! truth {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

macro_rules! math_functions {
    ($($help:literal $name:ident $count:literal $branches:ident
       [$i32:tt $u32:tt $i64:tt $u64:tt $f16:tt $bf16:tt $f32:tt $f64:tt];)*) => {
        /// Functions of numbers. `Fast` ones are the intrinsics of single precision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum MathFunction {
            $(#[doc = $help] $name),*
        }

        impl MathFunction {
            /// Its row of the table.
            pub fn row(self) -> MathRow {
                match self {
                    $(MathFunction::$name => MathRow {
                        help: $help,
                        instruction_count: $count,
                        has_branches: truth!($branches),
                        operations: MathOperations {
                            i32: operation!($i32),
                            u32: operation!($u32),
                            i64: operation!($i64),
                            u64: operation!($u64),
                            f16: operation!($f16),
                            bf16: operation!($bf16),
                            f32: operation!($f32),
                            f64: operation!($f64),
                        },
                    }),*
                }
            }
        }
    };
}

// Help, name, instructions, whether it branches, and the operations on
// [i32 u32 i64 u64 f16 bf16 f32 f64]. The GPU has no instruction of 16 bits for most functions, and
// none of 64-bit integers but those that compare and count.
math_functions! {
    "The magnitude."
    Abs 1 no [AbsI32 AbsI32 - - AbsB16 AbsB16 AbsF32 AbsF64];
    "The lesser of two; of a number and a NaN, the number."
    Min 1 no [MinI32 MinU32 MinI64 MinU64 MinF16 MinBf16 MinF32 MinF64];
    "The greater of two; of a number and a NaN, the number."
    Max 1 no [MaxI32 MaxU32 MaxI64 MaxU64 MaxF16 MaxBf16 MaxF32 MaxF64];
    "A product and a sum, rounded once."
    Fma 1 no [- - - - FmaF16 FmaBf16 FmaF32 FmaF64];
    "The square root."
    Sqrt 9 no [- - - - - - SqrtF32 SqrtF64];
    "One over the square root."
    Rsqrt 9 no [- - - - - - RsqrtF32 RsqrtF64];
    "A power of e."
    Exp 9 no [- - - - - - ExpF32 ExpF64];
    "A power of 2."
    Exp2 9 no [- - - - - - Exp2F32 Exp2F64];
    "A power of 10."
    Exp10 9 no [- - - - - - Exp10F32 Exp10F64];
    "The natural logarithm."
    Log 9 no [- - - - - - LogF32 LogF64];
    "The logarithm to base 2."
    Log2 9 no [- - - - - - Log2F32 Log2F64];
    "The logarithm to base 10."
    Log10 9 no [- - - - - - Log10F32 Log10F64];
    "The sine."
    Sin 9 yes [- - - - - - SinF32 SinF64];
    "The cosine."
    Cos 9 yes [- - - - - - CosF32 CosF64];
    "The tangent."
    Tan 9 yes [- - - - - - TanF32 TanF64];
    "The hyperbolic tangent."
    Tanh 9 no [- - - - - - TanhF32 TanhF64];
    "The first to the power of the second."
    Pow 9 yes [- - - - - - PowF32 PowF64];
    "The remainder of a division that is cut towards zero."
    Fmod 9 no [- - - - - - FmodF32 FmodF64];
    "The next whole number below."
    Floor 2 no [- - - - - - FloorF32 FloorF64];
    "The next whole number above."
    Ceil 2 no [- - - - - - CeilF32 CeilF64];
    "The whole number towards zero."
    Trunc 2 no [- - - - - - TruncF32 TruncF64];
    "The nearest whole number, halves away from zero."
    Round 9 no [- - - - - - RoundF32 RoundF64];
    "The nearest whole number, halves to even ones."
    Rint 2 no [- - - - - - RintF32 RintF64];
    "A power of e, fast: off by a few units in the last place."
    FastExp 2 no [- - - - - - - -];
    "The natural logarithm, fast: off by 2^-21.4 near 1."
    FastLog 2 no [- - - - - - - -];
    "The sine, fast: off by 2^-21.4 between -pi and pi."
    FastSin 2 no [- - - - - - FastSinF32 -];
    "The cosine, fast: off by 2^-21.2 between -pi and pi."
    FastCos 2 no [- - - - - - FastCosF32 -];
    "The first to the power of the second, fast, by way of logarithms to base 2."
    FastPow 9 no [- - - - - - - -];
    "A quotient, fast: off by 2 units in the last place; 0 if the divisor is huge."
    FastDivide 2 no [- - - - - - FastDivF32 -];
    "A product that is never contracted to a fused multiply-add."
    MulRn 1 no [- - - - MulF16 MulBf16 MulF32 MulF64];
    "A sum that is never contracted to a fused multiply-add."
    AddRn 1 no [- - - - AddF16 AddBf16 AddF32 AddF64];
    "A difference that is never contracted to a fused multiply-add."
    SubRn 1 no [- - - - SubF16 SubBf16 SubF32 SubF64];
    "Whether it is NaN."
    IsNan 9 no [- - - - - - - -];
    "Whether it is infinite."
    IsInf 9 no [- - - - - - - -];
    "The high word of the product."
    MulHi 9 no [MulHiI32 MulHiU32 MulHiI64 MulHiU64 - - - -];
    "How many bits are set."
    Popc 9 no [Popc32 Popc32 Popc64 Popc64 - - - -];
    "How many zeros lead."
    Clz 9 no [Clz32 Clz32 Clz64 Clz64 - - - -];
    "The place of the lowest bit that is set, counted from 1, or 0 if none is."
    Ffs 9 no [Ffs32 Ffs32 Ffs64 Ffs64 - - - -];
    "The bits in reverse."
    Brev 9 no [Brev32 Brev32 Brev64 Brev64 - - - -];
    "Four bytes chosen of eight."
    BytePerm 9 no [BytePerm BytePerm - - - - - -];
    "The high word of two that are shifted left, by the amount modulo 32."
    FunnelL 9 no [FunnelL FunnelL - - - - - -];
    "The high word of two that are shifted left, by at most 32."
    FunnelLClamp 9 no [FunnelLClamp FunnelLClamp - - - - - -];
    "The low word of two that are shifted right, by the amount modulo 32."
    FunnelR 9 no [FunnelR FunnelR - - - - - -];
    "The low word of two that are shifted right, by at most 32."
    FunnelRClamp 9 no [FunnelRClamp FunnelRClamp - - - - - -];
    "The low word of the product of the low 24 bits."
    Mul24 9 no [Mul24I32 Mul24U32 - - - - - -];
    "The distance of two numbers, added to a third."
    Sad 9 no [SadI32 SadU32 - - - - - -];
    "Half of the sum, rounded down; the sum does not wrap."
    Average 9 no [- HaddU32 - - - - - -];
    "Half of the sum, rounded up; the sum does not wrap."
    RoundedAverage 9 no [RhaddI32 RhaddU32 - - - - - -];
    "The products of four pairs of bytes, added to a sum."
    Dp4a 9 no [Dp4aI32 Dp4aU32 - - - - - -];
    "The inverse of the sine."
    Asin 9 no [- - - - - - AsinF32 AsinF64];
    "The inverse of the cosine."
    Acos 9 no [- - - - - - AcosF32 AcosF64];
    "The inverse of the tangent."
    Atan 9 no [- - - - - - AtanF32 AtanF64];
    "The hyperbolic sine."
    Sinh 9 no [- - - - - - SinhF32 SinhF64];
    "The hyperbolic cosine."
    Cosh 9 no [- - - - - - CoshF32 CoshF64];
    "The inverse of the hyperbolic sine."
    Asinh 9 no [- - - - - - AsinhF32 AsinhF64];
    "The inverse of the hyperbolic cosine."
    Acosh 9 no [- - - - - - AcoshF32 AcoshF64];
    "The inverse of the hyperbolic tangent."
    Atanh 9 no [- - - - - - AtanhF32 AtanhF64];
    "The cube root."
    Cbrt 9 no [- - - - - - CbrtF32 CbrtF64];
    "One over the cube root."
    Rcbrt 9 no [- - - - - - RcbrtF32 RcbrtF64];
    "The error function."
    Erf 9 no [- - - - - - ErfF32 ErfF64];
    "One minus the error function."
    Erfc 9 no [- - - - - - ErfcF32 ErfcF64];
    "A power of e, less 1."
    Expm1 9 no [- - - - - - Expm1F32 Expm1F64];
    "The natural logarithm of 1 more."
    Log1p 9 no [- - - - - - Log1pF32 Log1pF64];
    "The logarithm of the gamma function's magnitude."
    Lgamma 9 no [- - - - - - LgammaF32 LgammaF64];
    "The gamma function."
    Tgamma 9 no [- - - - - - TgammaF32 TgammaF64];
    "The sine of so many half turns."
    SinPi 9 no [- - - - - - SinPiF32 SinPiF64];
    "The cosine of so many half turns."
    CosPi 9 no [- - - - - - CosPiF32 CosPiF64];
    "The standard normal distribution function."
    NormCdf 9 no [- - - - - - NormCdfF32 NormCdfF64];
    "The angle of a point, given y and then x."
    Atan2 9 no [- - - - - - Atan2F32 Atan2F64];
    "The square root of the sum of two squares."
    Hypot 9 no [- - - - - - HypotF32 HypotF64];
    "The magnitude of the first with the sign of the second."
    Copysign 9 no [- - - - - - CopysignF32 CopysignF64];
    "By how much the first is greater, or 0."
    Fdim 9 no [- - - - - - FdimF32 FdimF64];
    "The remainder of a division to the nearest whole number, as IEEE 754 defines it."
    Remainder 9 no [- - - - - - RemainderF32 RemainderF64];
    "The first times 2 to the power of the second."
    Ldexp 9 no [- - - - - - LdexpF32 LdexpF64];
    "The fraction of a number whose exponent is taken out, of magnitude 0.5 to 1."
    FrexpMantissa 9 no [- - - - - - FrexpMantissaF32 FrexpMantissaF64];
    "The exponent that leaves a fraction of magnitude 0.5 to 1."
    FrexpExponent 9 no [- - - - - - FrexpExponentF32 FrexpExponentF64];
    "The part after the point."
    ModfFraction 9 no [- - - - - - ModfFractionF32 ModfFractionF64];
    "Whether the sign bit is set."
    SignBit 9 no [- - - - - - - -];
    "The square root, fast: off by 2^-23 of it."
    FastSqrt 9 no [- - - - - - FastSqrtF32 -];
    "The reciprocal, fast: off by 2^-23 of it."
    FastRcp 9 no [- - - - - - FastRcpF32 -];
    "The hyperbolic tangent, fast: off by 2^-11 of it."
    FastTanh 9 no [- - - - - - FastTanhF32 -];
    "The logarithm to base 2, fast: off by 2^-22 near 1."
    FastLog2 9 no [- - - - - - FastLog2F32 -];
    "The logarithm to base 10, fast: off by 2^-24 near 1."
    FastLog10 9 no [- - - - - - - -];
    "A power of 10, fast, by way of a power of 2."
    FastExp10 9 no [- - - - - - - -];
    "The tangent, fast: the sine over the cosine."
    FastTan 9 no [- - - - - - - -];
    "The same bits as another type of the same size."
    Bitcast 1 no [- - - - - - - -];
}
