//! What expressions compute: operators, functions of numbers, functions of warps and blocks.

/// Built-in index variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "CUDA's own names")]
pub enum Coordinate {
    ThreadIdx,
    BlockIdx,
    BlockDim,
    GridDim,
}

/// x, y or z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Axis {
    X,
    Y,
    Z,
}

/// Operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Negate,
    BitNot,
    LogicalNot,
}

/// Operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Whether the result is `bool`.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// As written.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    /// Whether it is `<<` or `>>`, whose operands are promoted each by itself ([expr.shift]).
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    /// Whether it is not defined for floating-point numbers.
    pub fn takes_integers_only(self) -> bool {
        use BinaryOp::*;
        matches!(self, Rem | BitAnd | BitOr | BitXor | Shl | Shr)
    }
}

/// Mathematical functions. `Fast` ones are the intrinsics: `__expf` and so on, single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MathFunction {
    Abs,
    Min,
    Max,
    Fma,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Tanh,
    Pow,
    Fmod,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    FastExp,
    FastLog,
    FastSin,
    FastCos,
    FastPow,
    FastDivide,
    /// Multiplication and addition that must not contract: `__fmul_rn`, `__fadd_rn`, `__dmul_rn`, …
    MulRn,
    AddRn,
    SubRn,
    /// To `bool`.
    IsNan,
    /// To `bool`.
    IsInf,
    /// High word of the product: `__mulhi`, `__umulhi`.
    MulHi,
    /// To `I32`: `__popc`, of 32 or 64 bits.
    Popc,
    /// To `I32`: `__clz`, of 32 or 64 bits.
    Clz,
    /// To `I32`: `__ffs`, of 32 or 64 bits.
    Ffs,
    /// `__brev`, of 32 or 64 bits.
    Brev,
    BytePerm,
    FunnelL,
    FunnelLClamp,
    FunnelR,
    FunnelRClamp,
    Mul24,
    Sad,
    Dp4a,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    Rcbrt,
    Erf,
    Erfc,
    Expm1,
    Log1p,
    Lgamma,
    Tgamma,
    SinPi,
    CosPi,
    NormCdf,
    Atan2,
    Hypot,
    Copysign,
    Fdim,
    Remainder,
    /// The second operand is `I32`.
    Ldexp,
    FrexpMantissa,
    /// To `I32`.
    FrexpExponent,
    ModfFraction,
    /// To `bool`.
    SignBit,
    FastLog2,
    FastLog10,
    FastExp10,
    FastTan,
    /// `__float_as_int` and its kin: the same bits as another type of the same size.
    Bitcast,
}

/// What an atomic operation or a reduction of a warp does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of CUDA's atomic functions")]
pub enum AtomicOperation {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

/// What a warp does with matrices that lie over its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOperation {
    /// The product of 16 by 16 and 16 by 8 elements, added to 16 by 8 sums: of 8 elements, 4
    /// elements and 4 sums of each lane, to a vector of 4 sums.
    Multiply,
    /// 8 by 8 elements turned over: of a pair, to a pair.
    Transpose,
}

/// Which barrier with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the suffixes of __syncthreads_*")]
pub enum BarrierVote {
    Count,
    And,
    Or,
}

/// Which shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the suffixes of __shfl_*_sync")]
pub enum ShuffleKind {
    Idx,
    Up,
    Down,
    Xor,
}

/// Which vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of CUDA")]
pub enum VoteKind {
    Any,
    All,
    Ballot,
}
