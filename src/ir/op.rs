//! The one table of operations.

/// What an operand field of an instruction means. `32` and `64` are the bits of the register or
/// register pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `dst` is written, 32 bits.
    Dst32,
    /// `dst` and the next register are written.
    Dst64,
    /// `dst` and the three registers behind it are written.
    Dst128,
    /// `dst` is written as many words as the access site says.
    DstSite,
    /// `dst` is read as many words as the access site says.
    SrcSite,
    /// `a` is read, 32 bits.
    A32,
    /// `a` and the next register are read.
    A64,
    /// `a` and the three registers behind it are read.
    A128,
    /// `a` and the seven registers behind it are read.
    A256,
    /// `a` is the base of an address: 64 bits for `Load` and `Store`, 32 bits elsewhere, or
    /// `NO_REGISTER` for 0.
    Base,
    /// `b` is read, 32 bits.
    B32,
    /// `b` and the next register are read.
    B64,
    /// `b` and the three registers behind it are read.
    B128,
    /// `b` is the index of an address, of the access site's index type.
    Index,
    /// `c` is read, 32 bits.
    C32,
    /// `c` and the next register are read.
    C64,
    /// `c` and the three registers behind it are read.
    C128,
    /// `imm` is a number.
    Immediate,
    /// `imm` indexes the kernel's 64-bit constants.
    Constant,
    /// `imm` is where a [`super::CaseTable`] begins among the kernel's 64-bit constants.
    Cases,
    /// `imm` indexes the kernel's access sites.
    Site,
    /// `imm` is the instruction to go to when no lane is left active (or always, for `Jump` and `Call`).
    Target,
    /// `a` is a number: how many frames above the innermost one.
    Depth,
    /// `imm` indexes the kernel's prints; `a` and the registers after it hold the values.
    Print,
    /// `imm` indexes the kernel's traps.
    Trap,
    /// `imm` indexes the kernel's launches; `a` and the registers after it hold grid, block, shared memory, stream and
    /// arguments.
    Launch,
}

/// Declares [`Op`]: of each operation its name in disassembly, its operands and what it does, on a line where that fits,
/// else with what it does above it.
macro_rules! operations {
    ($($(#[$long:meta])* $op:ident $mnemonic:literal [$($operand:ident)*] $($does:literal)?;)*) => {
        /// An operation of the warp bytecode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Op {
            $($(#[$long])* $(#[doc = $does])? $op,)*
        }

        impl Op {
            /// Every operation, in the order of the table.
            pub const ALL: &[Op] = &[$(Op::$op),*];

            /// Its name in disassembly.
            pub fn mnemonic(self) -> &'static str {
                match self { $(Op::$op => $mnemonic,)* }
            }

            /// The operands it has, in the order that disassembly shows.
            pub fn operands(self) -> &'static [Operand] {
                match self { $(Op::$op => &[$(Operand::$operand),*],)* }
            }
        }
    };
}

impl Op {
    /// Whether it is an atomic operation on memory.
    pub fn is_atomic(self) -> bool {
        (Op::AtomAddI32 as u16..=Op::AtomCas64 as u16).contains(&(self as u16))
    }

    /// Whether each lane takes the value of another one.
    pub fn is_shuffle(self) -> bool {
        matches!(self, Op::ShflIdx | Op::ShflUp | Op::ShflDown | Op::ShflXor)
    }

    /// Whether it passes values between the lanes of a warp, which brings them together.
    pub fn is_exchange(self) -> bool {
        matches!(
            self,
            Op::ShflIdx
                | Op::ShflUp
                | Op::ShflDown
                | Op::ShflXor
                | Op::VoteAny
                | Op::VoteAll
                | Op::Ballot
                | Op::ReduceAdd
                | Op::ReduceMinI32
                | Op::ReduceMinU32
                | Op::ReduceMaxI32
                | Op::ReduceMaxU32
                | Op::ReduceAnd
                | Op::ReduceOr
                | Op::ReduceXor
                | Op::MatchAny32
                | Op::MatchAll32
                | Op::MatchAny64
                | Op::MatchAll64
        ) || self.is_matrix()
    }

    /// Whether it works on matrices that lie over the lanes of a whole warp.
    pub fn is_matrix(self) -> bool {
        self == Op::Transpose || self.multiply_adds() > 0
    }

    /// The multiplications and additions that the tensor cores do for one warp's instruction.
    pub fn multiply_adds(self) -> u64 {
        match self {
            Op::MmaF32F16 | Op::MmaF32Bf16 | Op::MmaF16F16 => 16 * 8 * 16,
            Op::MmaF32Tf32 => 16 * 8 * 8,
            Op::MmaF32Tf32K4 => 16 * 8 * 4,
            Op::MmaS32S8 | Op::MmaS32U8 => 16 * 8 * 16,
            Op::MmaS32S8K32 | Op::MmaS32U8K32 => 16 * 8 * 32,
            Op::MmaF64 => 8 * 8 * 4,
            _ => 0,
        }
    }
}

operations! {
    // Moving values.
    Const32 "const.32" [Dst32 Immediate] "`dst = imm`.";
    Const64 "const.64" [Dst64 Constant] "`dst = constants[imm]`.";
    Mov32 "mov.32" [Dst32 A32] "`dst = a`.";
    Mov64 "mov.64" [Dst64 A64] "`dst = a`.";
    Select32 "select.32" [Dst32 A32 B32 C32] "`dst = a ? b : c`.";
    Select64 "select.64" [Dst64 A32 B64 C64] "`dst = a ? b : c`.";
    Case32 "case.32" [Dst32 A32 Cases] "What the table of cases gives for `a`.";
    Case64 "case.64" [Dst32 A64 Cases] "What the table of cases gives for `a`.";
    ThreadX "thread.x" [Dst32] "Index of the thread in its block, x.";
    ThreadY "thread.y" [Dst32] "Index of the thread in its block, y.";
    ThreadZ "thread.z" [Dst32] "Index of the thread in its block, z.";
    BlockX "block.x" [Dst32] "Index of the block in the grid, x.";
    BlockY "block.y" [Dst32] "Index of the block in the grid, y.";
    BlockZ "block.z" [Dst32] "Index of the block in the grid, z.";
    BlockDimX "blockdim.x" [Dst32] "Threads in a block, x.";
    BlockDimY "blockdim.y" [Dst32] "Threads in a block, y.";
    BlockDimZ "blockdim.z" [Dst32] "Threads in a block, z.";
    GridDimX "griddim.x" [Dst32] "Blocks in the grid, x.";
    GridDimY "griddim.y" [Dst32] "Blocks in the grid, y.";
    GridDimZ "griddim.z" [Dst32] "Blocks in the grid, z.";
    ActiveMask "activemask" [Dst32] "Mask of the active lanes.";

    // 32-bit integers. All wrap; shifts by 32 and more give what the GPU gives (0, or the sign).
    AddI32 "add.i32" [Dst32 A32 B32] "`dst = a + b`.";
    SubI32 "sub.i32" [Dst32 A32 B32] "`dst = a - b`.";
    MulI32 "mul.i32" [Dst32 A32 B32] "`dst = a * b`.";
    MadI32 "mad.i32" [Dst32 A32 B32 C32] "`dst = a * b + c`.";
    MulHiI32 "mulhi.i32" [Dst32 A32 B32] "High word of the signed product.";
    MulHiU32 "mulhi.u32" [Dst32 A32 B32] "High word of the unsigned product.";
    /// Signed quotient, towards zero; all ones for a divisor of 0, as on NVIDIA's GPUs.
    DivI32 "div.i32" [Dst32 A32 B32];
    DivU32 "div.u32" [Dst32 A32 B32] "Unsigned quotient; all ones for a divisor of 0.";
    RemI32 "rem.i32" [Dst32 A32 B32] "Signed remainder, with the sign of `a`; `a` for a divisor of 0.";
    RemU32 "rem.u32" [Dst32 A32 B32] "Unsigned remainder; `a` for a divisor of 0.";
    MinI32 "min.i32" [Dst32 A32 B32] "The lesser, signed.";
    MinU32 "min.u32" [Dst32 A32 B32] "The lesser, unsigned.";
    MaxI32 "max.i32" [Dst32 A32 B32] "The greater, signed.";
    MaxU32 "max.u32" [Dst32 A32 B32] "The greater, unsigned.";
    AbsI32 "abs.i32" [Dst32 A32] "`dst = |a|`, wrapping.";
    NegI32 "neg.i32" [Dst32 A32] "`dst = -a`.";
    And32 "and.32" [Dst32 A32 B32] "Bitwise and; of booleans too.";
    Or32 "or.32" [Dst32 A32 B32] "Bitwise or.";
    Xor32 "xor.32" [Dst32 A32 B32] "Bitwise exclusive or.";
    Not32 "not.32" [Dst32 A32] "Bitwise complement.";
    Shl32 "shl.32" [Dst32 A32 B32] "`dst = a << b`.";
    ShrI32 "shr.i32" [Dst32 A32 B32] "`dst = a >> b`, copying the sign.";
    ShrU32 "shr.u32" [Dst32 A32 B32] "`dst = a >> b`, filling with zeros.";
    Popc32 "popc.32" [Dst32 A32] "Number of ones.";
    Clz32 "clz.32" [Dst32 A32] "Number of leading zeros, 32 for 0.";
    Ffs32 "ffs.32" [Dst32 A32] "Position of the lowest one from 1, 0 for none.";
    Brev32 "brev.32" [Dst32 A32] "The bits in reverse order.";
    /// Bytes of `b:a` that the four nibbles of `c` choose; bit 3 of a nibble spreads the byte's sign.
    BytePerm "prmt" [Dst32 A32 B32 C32];
    FunnelL "shf.l" [Dst32 A32 B32 C32] "High word of `b:a << (c mod 32)`.";
    FunnelLClamp "shf.l.clamp" [Dst32 A32 B32 C32] "High word of `b:a << min(c, 32)`.";
    FunnelR "shf.r" [Dst32 A32 B32 C32] "Low word of `b:a >> (c mod 32)`.";
    FunnelRClamp "shf.r.clamp" [Dst32 A32 B32 C32] "Low word of `b:a >> min(c, 32)`.";
    Mul24I32 "mul24.i32" [Dst32 A32 B32] "Low word of the product of the low 24 bits, signed.";
    Mul24U32 "mul24.u32" [Dst32 A32 B32] "Low word of the product of the low 24 bits, unsigned.";
    SadI32 "sad.i32" [Dst32 A32 B32 C32] "`dst = |a - b| + c`, signed.";
    SadU32 "sad.u32" [Dst32 A32 B32 C32] "`dst = |a - b| + c`, unsigned.";
    HaddU32 "hadd.u32" [Dst32 A32 B32] "`dst = (a + b) / 2`, rounded down, of a sum that does not wrap.";
    RhaddI32 "rhadd.i32" [Dst32 A32 B32] "`dst = (a + b + 1) / 2`, rounded down, of a sum that does not wrap, signed.";
    RhaddU32 "rhadd.u32" [Dst32 A32 B32] "`dst = (a + b + 1) / 2`, of a sum that does not wrap, unsigned.";
    Dp4aI32 "dp4a.i32" [Dst32 A32 B32 C32] "`c` plus the four products of the signed bytes of `a` and `b`.";
    Dp4aU32 "dp4a.u32" [Dst32 A32 B32 C32] "`c` plus the four products of the unsigned bytes of `a` and `b`.";

    // 64-bit integers.
    AddI64 "add.i64" [Dst64 A64 B64] "`dst = a + b`.";
    SubI64 "sub.i64" [Dst64 A64 B64] "`dst = a - b`.";
    MulI64 "mul.i64" [Dst64 A64 B64] "`dst = a * b`.";
    DivI64 "div.i64" [Dst64 A64 B64] "Signed quotient; all ones for a divisor of 0.";
    DivU64 "div.u64" [Dst64 A64 B64] "Unsigned quotient; all ones for a divisor of 0.";
    RemI64 "rem.i64" [Dst64 A64 B64] "Signed remainder; `a` for a divisor of 0.";
    RemU64 "rem.u64" [Dst64 A64 B64] "Unsigned remainder; `a` for a divisor of 0.";
    MinI64 "min.i64" [Dst64 A64 B64] "The lesser, signed.";
    MinU64 "min.u64" [Dst64 A64 B64] "The lesser, unsigned.";
    MaxI64 "max.i64" [Dst64 A64 B64] "The greater, signed.";
    MaxU64 "max.u64" [Dst64 A64 B64] "The greater, unsigned.";
    NegI64 "neg.i64" [Dst64 A64] "`dst = -a`.";
    And64 "and.64" [Dst64 A64 B64] "Bitwise and.";
    Or64 "or.64" [Dst64 A64 B64] "Bitwise or.";
    Xor64 "xor.64" [Dst64 A64 B64] "Bitwise exclusive or.";
    Not64 "not.64" [Dst64 A64] "Bitwise complement.";
    Shl64 "shl.64" [Dst64 A64 B32] "`dst = a << b`; the distance is 32 bits.";
    ShrI64 "shr.i64" [Dst64 A64 B32] "`dst = a >> b`, copying the sign.";
    ShrU64 "shr.u64" [Dst64 A64 B32] "`dst = a >> b`, filling with zeros.";
    MulHiI64 "mulhi.i64" [Dst64 A64 B64] "High 64 bits of the signed product.";
    MulHiU64 "mulhi.u64" [Dst64 A64 B64] "High 64 bits of the unsigned product.";
    Popc64 "popc.64" [Dst32 A64] "Number of ones.";
    Clz64 "clz.64" [Dst32 A64] "Number of leading zeros, 64 for 0.";
    Ffs64 "ffs.64" [Dst32 A64] "Position of the lowest one from 1, 0 for none.";
    Brev64 "brev.64" [Dst64 A64] "The bits in reverse order.";

    // Comparisons give 0 or 1. Greater is less with its operands swapped.
    Eq32 "eq.32" [Dst32 A32 B32] "`a == b`, as integers.";
    Ne32 "ne.32" [Dst32 A32 B32] "`a != b`, as integers.";
    LtI32 "lt.i32" [Dst32 A32 B32] "`a < b`, signed.";
    LeI32 "le.i32" [Dst32 A32 B32] "`a <= b`, signed.";
    LtU32 "lt.u32" [Dst32 A32 B32] "`a < b`, unsigned.";
    LeU32 "le.u32" [Dst32 A32 B32] "`a <= b`, unsigned.";
    Eq64 "eq.64" [Dst32 A64 B64] "`a == b`, as integers.";
    Ne64 "ne.64" [Dst32 A64 B64] "`a != b`, as integers.";
    LtI64 "lt.i64" [Dst32 A64 B64] "`a < b`, signed.";
    LeI64 "le.i64" [Dst32 A64 B64] "`a <= b`, signed.";
    LtU64 "lt.u64" [Dst32 A64 B64] "`a < b`, unsigned.";
    LeU64 "le.u64" [Dst32 A64 B64] "`a <= b`, unsigned.";
    EqF32 "eq.f32" [Dst32 A32 B32] "`a == b`; false for NaN.";
    NeF32 "ne.f32" [Dst32 A32 B32] "`a != b`; true for NaN.";
    LtF32 "lt.f32" [Dst32 A32 B32] "`a < b`; false for NaN.";
    LeF32 "le.f32" [Dst32 A32 B32] "`a <= b`; false for NaN.";
    EqF64 "eq.f64" [Dst32 A64 B64] "`a == b`; false for NaN.";
    NeF64 "ne.f64" [Dst32 A64 B64] "`a != b`; true for NaN.";
    LtF64 "lt.f64" [Dst32 A64 B64] "`a < b`; false for NaN.";
    LeF64 "le.f64" [Dst32 A64 B64] "`a <= b`; false for NaN.";

    // Single precision. Minimum and maximum drop a NaN when the other operand is a number.
    AddF32 "add.f32" [Dst32 A32 B32] "`dst = a + b`.";
    SubF32 "sub.f32" [Dst32 A32 B32] "`dst = a - b`.";
    MulF32 "mul.f32" [Dst32 A32 B32] "`dst = a * b`.";
    FmaF32 "fma.f32" [Dst32 A32 B32 C32] "`dst = a * b + c`, rounded once.";
    DivF32 "div.f32" [Dst32 A32 B32] "`dst = a / b`, rounded correctly.";
    FastDivF32 "fastdiv.f32" [Dst32 A32 B32] "`dst = a / b` by `__fdividef`: `a` times the reciprocal of `b`.";
    RcpF32 "rcp.f32" [Dst32 A32] "`dst = 1 / a`, rounded correctly.";
    NegF32 "neg.f32" [Dst32 A32] "`dst = -a`.";
    AbsF32 "abs.f32" [Dst32 A32] "`dst = |a|`.";
    MinF32 "min.f32" [Dst32 A32 B32] "The lesser.";
    MaxF32 "max.f32" [Dst32 A32 B32] "The greater.";
    SqrtF32 "sqrt.f32" [Dst32 A32] "Square root, rounded correctly.";
    /// Square root by the special function unit, for `sqrt.approx`.
    FastSqrtF32 "fastsqrt.f32" [Dst32 A32];
    /// Reciprocal by the special function unit, for `rcp.approx`.
    FastRcpF32 "fastrcp.f32" [Dst32 A32];
    /// Hyperbolic tangent by the special function unit, for `tanh.approx`.
    FastTanhF32 "fasttanh.f32" [Dst32 A32];
    RsqrtF32 "rsqrt.f32" [Dst32 A32] "`1 / sqrt(a)`.";
    ExpF32 "exp.f32" [Dst32 A32] "`e^a`.";
    /// `dst = e^a + b`: the multiplication that ends an exponential contracts with the addition.
    ExpAddF32 "expadd.f32" [Dst32 A32 B32];
    Exp2F32 "exp2.f32" [Dst32 A32] "`2^a`.";
    Exp10F32 "exp10.f32" [Dst32 A32] "`10^a`.";
    LogF32 "log.f32" [Dst32 A32] "Natural logarithm.";
    Log2F32 "log2.f32" [Dst32 A32] "Logarithm to the base 2.";
    /// Logarithm to the base 2 by the special function unit, for `__logf` and `__powf`.
    FastLog2F32 "fastlog2.f32" [Dst32 A32];
    Log10F32 "log10.f32" [Dst32 A32] "Logarithm to the base 10.";
    SinF32 "sin.f32" [Dst32 A32] "Sine.";
    CosF32 "cos.f32" [Dst32 A32] "Cosine.";
    /// The quarter turn nearest to the angle `a`: `a * 2/π`, rounded to an integer.
    QuarterF32 "quarter.f32" [Dst32 A32];
    FastSinF32 "fastsin.f32" [Dst32 A32] "`__sinf`.";
    FastCosF32 "fastcos.f32" [Dst32 A32] "`__cosf`.";
    TanF32 "tan.f32" [Dst32 A32] "Tangent.";
    TanhF32 "tanh.f32" [Dst32 A32] "Hyperbolic tangent.";
    PowF32 "pow.f32" [Dst32 A32 B32] "`a` to the power `b`.";
    FmodF32 "fmod.f32" [Dst32 A32 B32] "Remainder of `a / b`, with the sign of `a`.";
    FloorF32 "floor.f32" [Dst32 A32] "Rounded down.";
    CeilF32 "ceil.f32" [Dst32 A32] "Rounded up.";
    TruncF32 "trunc.f32" [Dst32 A32] "Rounded towards zero.";
    RoundF32 "round.f32" [Dst32 A32] "Rounded to nearest, halves away from zero.";
    RintF32 "rint.f32" [Dst32 A32] "Rounded to nearest, halves to even.";
    AsinF32 "asin.f32" [Dst32 A32] "Arc sine.";
    AcosF32 "acos.f32" [Dst32 A32] "Arc cosine.";
    AtanF32 "atan.f32" [Dst32 A32] "Arc tangent.";
    SinhF32 "sinh.f32" [Dst32 A32] "Hyperbolic sine.";
    CoshF32 "cosh.f32" [Dst32 A32] "Hyperbolic cosine.";
    AsinhF32 "asinh.f32" [Dst32 A32] "Inverse hyperbolic sine.";
    AcoshF32 "acosh.f32" [Dst32 A32] "Inverse hyperbolic cosine.";
    AtanhF32 "atanh.f32" [Dst32 A32] "Inverse hyperbolic tangent.";
    CbrtF32 "cbrt.f32" [Dst32 A32] "Cube root.";
    RcbrtF32 "rcbrt.f32" [Dst32 A32] "`1 / cbrt(a)`.";
    ErfF32 "erf.f32" [Dst32 A32] "Error function.";
    ErfcF32 "erfc.f32" [Dst32 A32] "`1 - erf(a)`, without cancellation.";
    Expm1F32 "expm1.f32" [Dst32 A32] "`e^a - 1`, without cancellation.";
    Log1pF32 "log1p.f32" [Dst32 A32] "`ln(1 + a)`, without cancellation.";
    LgammaF32 "lgamma.f32" [Dst32 A32] "Logarithm of the gamma function's absolute value.";
    TgammaF32 "tgamma.f32" [Dst32 A32] "Gamma function.";
    SinPiF32 "sinpi.f32" [Dst32 A32] "`sin(pi * a)`.";
    CosPiF32 "cospi.f32" [Dst32 A32] "`cos(pi * a)`.";
    NormCdfF32 "normcdf.f32" [Dst32 A32] "Standard normal distribution function.";
    ModfFractionF32 "modffraction.f32" [Dst32 A32] "The part after the point, with the sign of `a`.";
    FrexpMantissaF32 "frexpmantissa.f32" [Dst32 A32] "`m` of `a = m * 2^e` with `|m|` in [0.5, 1).";
    Atan2F32 "atan2.f32" [Dst32 A32 B32] "Angle of the point (`b`, `a`).";
    HypotF32 "hypot.f32" [Dst32 A32 B32] "`sqrt(a^2 + b^2)` without overflow.";
    CopysignF32 "copysign.f32" [Dst32 A32 B32] "`|a|` with the sign of `b`.";
    FdimF32 "fdim.f32" [Dst32 A32 B32] "`a - b`, or 0 where that is negative.";
    RemainderF32 "remainder.f32" [Dst32 A32 B32] "`a - b * n` with `n` the integer nearest to `a / b`.";
    LdexpF32 "ldexp.f32" [Dst32 A32 B32] "`a * 2^b`, with an integer `b`.";
    FrexpExponentF32 "frexpexponent.f32" [Dst32 A32] "`e` of `a = m * 2^e` with `|m|` in [0.5, 1).";

    // Double precision.
    AddF64 "add.f64" [Dst64 A64 B64] "`dst = a + b`.";
    SubF64 "sub.f64" [Dst64 A64 B64] "`dst = a - b`.";
    MulF64 "mul.f64" [Dst64 A64 B64] "`dst = a * b`.";
    FmaF64 "fma.f64" [Dst64 A64 B64 C64] "`dst = a * b + c`, rounded once.";
    DivF64 "div.f64" [Dst64 A64 B64] "`dst = a / b`.";
    NegF64 "neg.f64" [Dst64 A64] "`dst = -a`.";
    AbsF64 "abs.f64" [Dst64 A64] "`dst = |a|`.";
    MinF64 "min.f64" [Dst64 A64 B64] "The lesser.";
    MaxF64 "max.f64" [Dst64 A64 B64] "The greater.";
    SqrtF64 "sqrt.f64" [Dst64 A64] "Square root.";
    RsqrtF64 "rsqrt.f64" [Dst64 A64] "`1 / sqrt(a)`.";
    ExpF64 "exp.f64" [Dst64 A64] "`e^a`.";
    Exp2F64 "exp2.f64" [Dst64 A64] "`2^a`.";
    Exp10F64 "exp10.f64" [Dst64 A64] "`10^a`.";
    LogF64 "log.f64" [Dst64 A64] "Natural logarithm.";
    Log2F64 "log2.f64" [Dst64 A64] "Logarithm to the base 2.";
    Log10F64 "log10.f64" [Dst64 A64] "Logarithm to the base 10.";
    SinF64 "sin.f64" [Dst64 A64] "Sine.";
    CosF64 "cos.f64" [Dst64 A64] "Cosine.";
    TanF64 "tan.f64" [Dst64 A64] "Tangent.";
    TanhF64 "tanh.f64" [Dst64 A64] "Hyperbolic tangent.";
    PowF64 "pow.f64" [Dst64 A64 B64] "`a` to the power `b`.";
    FmodF64 "fmod.f64" [Dst64 A64 B64] "Remainder of `a / b`, with the sign of `a`.";
    FloorF64 "floor.f64" [Dst64 A64] "Rounded down.";
    CeilF64 "ceil.f64" [Dst64 A64] "Rounded up.";
    TruncF64 "trunc.f64" [Dst64 A64] "Rounded towards zero.";
    RoundF64 "round.f64" [Dst64 A64] "Rounded to nearest, halves away from zero.";
    RintF64 "rint.f64" [Dst64 A64] "Rounded to nearest, halves to even.";
    AsinF64 "asin.f64" [Dst64 A64] "Arc sine.";
    AcosF64 "acos.f64" [Dst64 A64] "Arc cosine.";
    AtanF64 "atan.f64" [Dst64 A64] "Arc tangent.";
    SinhF64 "sinh.f64" [Dst64 A64] "Hyperbolic sine.";
    CoshF64 "cosh.f64" [Dst64 A64] "Hyperbolic cosine.";
    AsinhF64 "asinh.f64" [Dst64 A64] "Inverse hyperbolic sine.";
    AcoshF64 "acosh.f64" [Dst64 A64] "Inverse hyperbolic cosine.";
    AtanhF64 "atanh.f64" [Dst64 A64] "Inverse hyperbolic tangent.";
    CbrtF64 "cbrt.f64" [Dst64 A64] "Cube root.";
    RcbrtF64 "rcbrt.f64" [Dst64 A64] "`1 / cbrt(a)`.";
    ErfF64 "erf.f64" [Dst64 A64] "Error function.";
    ErfcF64 "erfc.f64" [Dst64 A64] "`1 - erf(a)`, without cancellation.";
    Expm1F64 "expm1.f64" [Dst64 A64] "`e^a - 1`, without cancellation.";
    Log1pF64 "log1p.f64" [Dst64 A64] "`ln(1 + a)`, without cancellation.";
    LgammaF64 "lgamma.f64" [Dst64 A64] "Logarithm of the gamma function's absolute value.";
    TgammaF64 "tgamma.f64" [Dst64 A64] "Gamma function.";
    SinPiF64 "sinpi.f64" [Dst64 A64] "`sin(pi * a)`.";
    CosPiF64 "cospi.f64" [Dst64 A64] "`cos(pi * a)`.";
    NormCdfF64 "normcdf.f64" [Dst64 A64] "Standard normal distribution function.";
    ModfFractionF64 "modffraction.f64" [Dst64 A64] "The part after the point, with the sign of `a`.";
    FrexpMantissaF64 "frexpmantissa.f64" [Dst64 A64] "`m` of `a = m * 2^e` with `|m|` in [0.5, 1).";
    Atan2F64 "atan2.f64" [Dst64 A64 B64] "Angle of the point (`b`, `a`).";
    HypotF64 "hypot.f64" [Dst64 A64 B64] "`sqrt(a^2 + b^2)` without overflow.";
    CopysignF64 "copysign.f64" [Dst64 A64 B64] "`|a|` with the sign of `b`.";
    FdimF64 "fdim.f64" [Dst64 A64 B64] "`a - b`, or 0 where that is negative.";
    RemainderF64 "remainder.f64" [Dst64 A64 B64] "`a - b * n` with `n` the integer nearest to `a / b`.";
    LdexpF64 "ldexp.f64" [Dst64 A64 B32] "`a * 2^b`, with an integer `b`.";
    FrexpExponentF64 "frexpexponent.f64" [Dst32 A64] "`e` of `a = m * 2^e` with `|m|` in [0.5, 1).";

    // Half precision: each result is rounded once; the value is in the low 16 bits, the others are 0.
    AddF16 "add.f16" [Dst32 A32 B32] "`dst = a + b`.";
    SubF16 "sub.f16" [Dst32 A32 B32] "`dst = a - b`.";
    MulF16 "mul.f16" [Dst32 A32 B32] "`dst = a * b`.";
    FmaF16 "fma.f16" [Dst32 A32 B32 C32] "`dst = a * b + c`, rounded once.";
    DivF16 "div.f16" [Dst32 A32 B32] "`dst = a / b`.";
    MinF16 "min.f16" [Dst32 A32 B32] "The lesser.";
    MaxF16 "max.f16" [Dst32 A32 B32] "The greater.";
    EqF16 "eq.f16" [Dst32 A32 B32] "`a == b`; false for NaN.";
    NeF16 "ne.f16" [Dst32 A32 B32] "`a != b`; true for NaN.";
    LtF16 "lt.f16" [Dst32 A32 B32] "`a < b`; false for NaN.";
    LeF16 "le.f16" [Dst32 A32 B32] "`a <= b`; false for NaN.";
    F16ToF32 "f32.f16" [Dst32 A32] "To float; exact.";
    F32ToF16 "f16.f32" [Dst32 A32] "From float.";
    F64ToF16 "f16.f64" [Dst32 A64] "From double.";
    I64ToF16 "f16.i64" [Dst32 A64] "From a signed 64-bit integer.";
    U64ToF16 "f16.u64" [Dst32 A64] "From an unsigned 64-bit integer.";

    // bfloat16, in the same form.
    AddBf16 "add.bf16" [Dst32 A32 B32] "`dst = a + b`.";
    SubBf16 "sub.bf16" [Dst32 A32 B32] "`dst = a - b`.";
    MulBf16 "mul.bf16" [Dst32 A32 B32] "`dst = a * b`.";
    FmaBf16 "fma.bf16" [Dst32 A32 B32 C32] "`dst = a * b + c`, rounded once.";
    DivBf16 "div.bf16" [Dst32 A32 B32] "`dst = a / b`.";
    MinBf16 "min.bf16" [Dst32 A32 B32] "The lesser.";
    MaxBf16 "max.bf16" [Dst32 A32 B32] "The greater.";
    EqBf16 "eq.bf16" [Dst32 A32 B32] "`a == b`; false for NaN.";
    NeBf16 "ne.bf16" [Dst32 A32 B32] "`a != b`; true for NaN.";
    LtBf16 "lt.bf16" [Dst32 A32 B32] "`a < b`; false for NaN.";
    LeBf16 "le.bf16" [Dst32 A32 B32] "`a <= b`; false for NaN.";
    Bf16ToF32 "f32.bf16" [Dst32 A32] "To float; exact.";
    F32ToBf16 "bf16.f32" [Dst32 A32] "From float.";
    F64ToBf16 "bf16.f64" [Dst32 A64] "From double.";
    I64ToBf16 "bf16.i64" [Dst32 A64] "From a signed 64-bit integer.";
    U64ToBf16 "bf16.u64" [Dst32 A64] "From an unsigned 64-bit integer.";
    NegB16 "neg.b16" [Dst32 A32] "`dst = -a`, of both 16-bit formats.";
    AbsB16 "abs.b16" [Dst32 A32] "`dst = |a|`, of both 16-bit formats.";

    // Conversions. Floats to integers truncate and saturate; NaN gives 0.
    SextI8 "sext.i8" [Dst32 A32] "Sign-extends the low byte.";
    SextI16 "sext.i16" [Dst32 A32] "Sign-extends the low half.";
    ZextU8 "zext.u8" [Dst32 A32] "Zero-extends the low byte.";
    ZextU16 "zext.u16" [Dst32 A32] "Zero-extends the low half.";
    I32ToI64 "i64.i32" [Dst64 A32] "Signed 32 to 64 bits. The other way is `mov.32` of the low word.";
    U32ToI64 "i64.u32" [Dst64 A32] "Unsigned 32 to 64 bits.";
    I32ToF32 "f32.i32" [Dst32 A32] "Signed integer to float.";
    U32ToF32 "f32.u32" [Dst32 A32] "Unsigned integer to float.";
    F32ToI32 "i32.f32" [Dst32 A32] "Float to signed integer.";
    F32ToU32 "u32.f32" [Dst32 A32] "Float to unsigned integer.";
    I64ToF32 "f32.i64" [Dst32 A64] "Signed 64-bit integer to float.";
    U64ToF32 "f32.u64" [Dst32 A64] "Unsigned 64-bit integer to float.";
    F32ToI64 "i64.f32" [Dst64 A32] "Float to signed 64-bit integer.";
    F32ToU64 "u64.f32" [Dst64 A32] "Float to unsigned 64-bit integer.";
    I32ToF64 "f64.i32" [Dst64 A32] "Signed integer to double.";
    U32ToF64 "f64.u32" [Dst64 A32] "Unsigned integer to double.";
    F64ToI32 "i32.f64" [Dst32 A64] "Double to signed integer.";
    F64ToU32 "u32.f64" [Dst32 A64] "Double to unsigned integer.";
    I64ToF64 "f64.i64" [Dst64 A64] "Signed 64-bit integer to double.";
    U64ToF64 "f64.u64" [Dst64 A64] "Unsigned 64-bit integer to double.";
    F64ToI64 "i64.f64" [Dst64 A64] "Double to signed 64-bit integer.";
    F64ToU64 "u64.f64" [Dst64 A64] "Double to unsigned 64-bit integer.";
    F32ToF64 "f64.f32" [Dst64 A32] "Float to double.";
    F64ToF32 "f32.f64" [Dst32 A64] "Double to float.";

    // Memory. The address is base + index * scale + offset, the last two from the access site.
    Load "ld" [DstSite Base Index Site] "Loads from the space that the 64-bit address lies in.";
    Store "st" [SrcSite Base Index Site] "Stores to the space that the 64-bit address lies in.";
    LoadShared "ld.shared" [DstSite Base Index Site] "Loads from shared memory at a 32-bit offset.";
    StoreShared "st.shared" [SrcSite Base Index Site] "Stores to shared memory.";
    LoadLocal "ld.local" [DstSite Base Index Site] "Loads from the lane's local memory at a 32-bit offset.";
    StoreLocal "st.local" [SrcSite Base Index Site] "Stores to the lane's local memory.";

    // Atomics on global or shared memory, wherever the 64-bit address `a` lies. `dst` is what was there
    // before. Lanes go one after the other, in order.
    AtomAddI32 "atom.add.i32" [Dst32 A64 B32 Site] "Adds `b`, wrapping.";
    AtomAddI64 "atom.add.i64" [Dst64 A64 B64 Site] "Adds `b`, wrapping.";
    AtomAddF32 "atom.add.f32" [Dst32 A64 B32 Site] "Adds `b`. In global memory denormals become 0, as PTX has it.";
    AtomAddF64 "atom.add.f64" [Dst64 A64 B64 Site] "Adds `b`.";
    AtomAddF16 "atom.add.f16" [Dst32 A64 B32 Site] "Adds `b`, a half, to 2 bytes.";
    AtomAddBf16 "atom.add.bf16" [Dst32 A64 B32 Site] "Adds `b`, a bfloat16, to 2 bytes.";
    AtomAddF16x2 "atom.add.f16x2" [Dst32 A64 B32 Site] "Adds two halves, each on its own.";
    AtomAddBf16x2 "atom.add.bf16x2" [Dst32 A64 B32 Site] "Adds two bfloat16, each on its own.";
    AtomMinI32 "atom.min.i32" [Dst32 A64 B32 Site] "Leaves the lesser of both.";
    AtomMinU32 "atom.min.u32" [Dst32 A64 B32 Site] "Leaves the lesser of both.";
    AtomMinI64 "atom.min.i64" [Dst64 A64 B64 Site] "Leaves the lesser of both.";
    AtomMinU64 "atom.min.u64" [Dst64 A64 B64 Site] "Leaves the lesser of both.";
    AtomMaxI32 "atom.max.i32" [Dst32 A64 B32 Site] "Leaves the greater of both.";
    AtomMaxU32 "atom.max.u32" [Dst32 A64 B32 Site] "Leaves the greater of both.";
    AtomMaxI64 "atom.max.i64" [Dst64 A64 B64 Site] "Leaves the greater of both.";
    AtomMaxU64 "atom.max.u64" [Dst64 A64 B64 Site] "Leaves the greater of both.";
    AtomAnd32 "atom.and.32" [Dst32 A64 B32 Site] "Bitwise and.";
    AtomAnd64 "atom.and.64" [Dst64 A64 B64 Site] "Bitwise and.";
    AtomOr32 "atom.or.32" [Dst32 A64 B32 Site] "Bitwise or.";
    AtomOr64 "atom.or.64" [Dst64 A64 B64 Site] "Bitwise or.";
    AtomXor32 "atom.xor.32" [Dst32 A64 B32 Site] "Bitwise exclusive or.";
    AtomXor64 "atom.xor.64" [Dst64 A64 B64 Site] "Bitwise exclusive or.";
    AtomExch32 "atom.exch.32" [Dst32 A64 B32 Site] "Puts `b` there.";
    AtomExch64 "atom.exch.64" [Dst64 A64 B64 Site] "Puts `b` there.";
    AtomInc32 "atom.inc.u32" [Dst32 A64 B32 Site] "Counts up, from `b` back to 0: `old >= b ? 0 : old + 1`.";
    /// Counts down, from 0 back to `b`: `old == 0 || old > b ? b : old - 1`.
    AtomDec32 "atom.dec.u32" [Dst32 A64 B32 Site];
    AtomCas32 "atom.cas.b32" [Dst32 A64 B32 C32 Site] "Puts `c` there if it holds `b`.";
    AtomCas16 "atom.cas.b16" [Dst32 A64 B32 C32 Site] "Puts `c` there if it holds `b`, of 16 bits.";
    AtomCas64 "atom.cas.b64" [Dst64 A64 B64 C64 Site] "Puts `c` there if it holds `b`.";

    // Between lanes. Lanes are exchanged within segments of `imm` lanes (a power of two).
    ShflIdx "shfl.idx" [Dst32 A32 B32 C32 Immediate] "`dst = a` of lane `b` of the segment.";
    ShflUp "shfl.up" [Dst32 A32 B32 C32 Immediate] "`dst = a` of the lane `b` below, or its own.";
    ShflDown "shfl.down" [Dst32 A32 B32 C32 Immediate] "`dst = a` of the lane `b` above, or its own.";
    ShflXor "shfl.xor" [Dst32 A32 B32 C32 Immediate] "`dst = a` of the lane whose index differs by xor `b`.";
    VoteAny "vote.any" [Dst32 A32 B32] "Whether `a` is not 0 in any lane of the mask `b`.";
    VoteAll "vote.all" [Dst32 A32 B32] "Whether `a` is not 0 in all lanes of the mask `b`.";
    Ballot "ballot" [Dst32 A32 B32] "Mask of the lanes of `b` in which `a` is not 0.";
    ReduceAdd "redux.add" [Dst32 A32 B32] "Sum, wrapping, of `a` over the lanes of the mask `b`.";
    ReduceMinI32 "redux.min.i32" [Dst32 A32 B32] "Least, signed, of `a` over the lanes of the mask `b`.";
    ReduceMinU32 "redux.min.u32" [Dst32 A32 B32] "Least, unsigned, of `a` over the lanes of the mask `b`.";
    ReduceMaxI32 "redux.max.i32" [Dst32 A32 B32] "Greatest, signed, of `a` over the lanes of the mask `b`.";
    ReduceMaxU32 "redux.max.u32" [Dst32 A32 B32] "Greatest, unsigned, of `a` over the lanes of the mask `b`.";
    ReduceAnd "redux.and" [Dst32 A32 B32] "Bitwise and of `a` over the lanes of the mask `b`.";
    ReduceOr "redux.or" [Dst32 A32 B32] "Bitwise or of `a` over the lanes of the mask `b`.";
    ReduceXor "redux.xor" [Dst32 A32 B32] "Bitwise exclusive or of `a` over the lanes of the mask `b`.";
    MatchAny32 "match.any.32" [Dst32 A32 B32] "Mask of the lanes of `b` whose `a` has the same bits.";
    MatchAll32 "match.all.32" [Dst32 A32 B32] "The mask `b` if `a` has the same bits in all its lanes, else 0.";
    MatchAny64 "match.any.64" [Dst32 A64 B32] "Mask of the lanes of `b` whose `a` has the same bits.";
    MatchAll64 "match.all.64" [Dst32 A64 B32] "The mask `b` if `a` has the same bits in all its lanes, else 0.";
    /// 8 by 8 values of 16 bits turned over. Lane l holds two neighbours of row l / 4, those at
    /// 2 * (l % 4), a register each.
    Transpose "movm" [Dst64 A64];
    /// `dst = a * b + c` on the tensor cores: 16 by 16 halves, a register each, times 16 by 8, with
    /// sums in float. They lie over the lanes as PTX has it for mma.m16n8k16.
    MmaF32F16 "mma.f32.f16" [Dst128 A256 B128 C128];
    MmaF32Bf16 "mma.f32.bf16" [Dst128 A256 B128 C128] "The same of bfloat16.";
    /// The same of floats, of whose fraction the first 10 bits are taken, with 8 products of a sum: they lie over the
    /// lanes as PTX has it for mma.m16n8k8.
    MmaF32Tf32 "mma.f32.tf32" [Dst128 A128 B64 C128];
    /// The same with 4 products of a sum, as those of mma.m16n8k16 lie of which all others are of zeros.
    MmaF32Tf32K4 "mma.f32.tf32.k4" [Dst128 A256 B128 C128];
    MmaF16F16 "mma.f16.f16" [Dst128 A256 B128 C128] "The same of halves, with sums in half.";
    /// The same of signed bytes, four a register, with sums in `int`, which wrap.
    MmaS32S8 "mma.s32.s8" [Dst128 A64 B32 C128];
    MmaS32U8 "mma.s32.u8" [Dst128 A64 B32 C128] "The same of unsigned bytes.";
    MmaS32S8K32 "mma.s32.s8.k32" [Dst128 A128 B64 C128] "The same with 32 products of a sum.";
    MmaS32U8K32 "mma.s32.u8.k32" [Dst128 A128 B64 C128] "The same of unsigned bytes.";
    /// 8 by 4 doubles, one a lane, times 4 by 8, with two sums a lane, as PTX has it for mma.m8n8k4.
    MmaF64 "mma.f64" [Dst128 A64 B64 C128];
    SyncWarp "syncwarp" [A32] "Waits for the lanes of the mask `a`; in lockstep, only its count remains.";
    Barrier "barrier" [] "Waits for all threads of the block.";
    BarrierVote "barrier.vote" [A32] "A barrier at which the threads of the block put their `a` together.";
    BarrierCount "barrier.count" [Dst32] "What the last `barrier.vote` gave: in how many threads `a` was not 0.";
    BarrierAnd "barrier.and" [Dst32] "Whether `a` was not 0 in all threads of the last `barrier.vote`.";
    BarrierOr "barrier.or" [Dst32] "Whether `a` was not 0 in any thread of the last `barrier.vote`.";
    /// The active lanes come to the block's barrier `a % 16`, which opens for `a / 16` threads: how often it has opened
    /// before.
    BarrierArrive "barrier.arrive" [Dst32 A32];
    BarrierOpened "barrier.opened" [Dst32 A32] "Whether the block's barrier `a % 16` has opened since it had `a / 16` times.";

    // Around the program.
    Nop "nop" [] "Orders memory accesses, or waits some time: nothing here, but it counts.";
    /// What the texture `a` gives at the coordinates in `b`, whose last register is a
    /// [`super::TextureRequest`].
    Texture "tex" [Dst128 A64 B128];
    SurfaceLoad "suld" [Dst128 A64 B128] "What the surface `a` holds there.";
    SurfaceStore "sust" [A64 B128 C128] "The surface `a` holds `c` there.";
    CopyCommit "copy.commit" [] "The lane's asynchronous copies since the last one make a group.";
    /// Waits for the lane's groups of asynchronous copies, but for the last `a`: nothing here, where copies are done
    /// at once, but for checks.
    CopyWait "copy.wait" [A32];
    GridBarrier "barrier.grid" [] "All threads of the grid wait for each other.";
    Yield "yield" [] "The other warps of the block go on first: somebody waits for what they do.";
    Clock "clock" [Dst64] "The warp's clock, by a model.";
    Print "print" [Print] "Prints a line's part for each lane, in order of lanes.";
    Launch "launch" [Launch] "Each lane launches a kernel, in order of lanes.";
    Fault "fault" [Trap] "Ends the launch with a fault.";

    // Control flow.
    /// Opens a frame; lanes with `a == 0` wait for its `Else`. With none left, goes to the target,
    /// the frame's `Else`.
    If "if" [A32 Target];
    /// The waiting lanes become active, the others wait for `EndIf`. With none, goes to the
    /// target, the frame's `EndIf`.
    Else "else" [Target];
    EndIf "endif" [Target] "Closes the frame; its lanes rejoin. With none, goes to the target.";
    ScopeBegin "scope" [] "Opens a frame for a loop or an inlined function; lanes that leave wait for its `ScopeEnd`.";
    /// Lanes with `a == 0` leave the innermost frame. With none left, goes to the target, the
    /// frame's `ScopeEnd`.
    LeaveUnless "leave.unless" [A32 Target];
    Leave "leave" [Depth Target] "The active lanes leave to the end of the frame `Depth` above; goes to the target.";
    /// The active lanes wait for the `Rejoin` of the frame `Depth` above; goes to the target.
    Continue "continue" [Depth Target];
    /// Lanes that wait after `Continue` in the innermost frame become active. With none, goes to
    /// the target, the frame's `ScopeEnd`.
    Rejoin "rejoin" [Target];
    Jump "jump" [Target] "Goes to the target, the head of a loop.";
    ScopeEnd "scope.end" [Target] "Closes the frame; its lanes rejoin. With none, goes to the target.";
    Exit "exit" [Target] "The active threads end; goes to the target.";
    /// Goes to the target, the first instruction of a function's body, with the active lanes; the warp
    /// comes back behind this by `Return`.
    Call "call" [Target];
    Return "return" [] "The body is over: back behind the `Call` that led here.";
    End "end" [] "The warp ends.";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Op;

    #[test]
    fn atomics_stand_together() {
        for op in Op::ALL {
            assert_eq!(op.is_atomic(), op.mnemonic().starts_with("atom."), "{op:?}");
        }
    }

    #[test]
    fn mnemonics_are_unique() {
        let names: HashSet<_> = Op::ALL.iter().map(|op| op.mnemonic()).collect();
        assert_eq!(names.len(), Op::ALL.len());
    }
}
