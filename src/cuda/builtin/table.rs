//! CUDA's built-in functions and constants, as tables.
//!
//! Names and types are those of the CUDA Math API and of the CUDA C++ Programming Guide.

use crate::cuda::typed::{
    AtomicOperation as A, BarrierVote, BinaryOp as Op, MathFunction as M, MatrixOperation, Order,
    Scalar, ShuffleKind, TextureOperation, Type, VoteKind, named_type,
};
use Scalar::{Bf16, F16, F32, F64, I32, I64, U32, U64};

/// How a built-in function is called.
#[derive(Clone, Copy, Debug)]
pub enum Builtin {
    /// These parameters, that result; operands all of the parameters' type.
    Fixed(M, &'static [Scalar], Scalar),
    /// As many operands, `float` if all are, else `double`.
    Overloaded(M, usize),
    /// `abs`: of `int`, `long long`, `float` or `double`.
    Abs,
    /// `min` or `max`.
    Extreme(M),
    /// `isnan` or `isinf`: of `float` or `double`, to `bool`.
    Test(M),
    /// `isfinite`.
    IsFinite,
    /// `__saturatef`.
    Saturate,
    /// `__fdiv_rn`, `__frcp_rn`, `__ddiv_rn`, `__drcp_rn`: division, or the reciprocal.
    Divide(Scalar, bool),
    /// `__shfl_*_sync`.
    Shuffle(ShuffleKind),
    /// `__any_sync` and its kin.
    Vote(VoteKind),
    /// `__activemask`.
    ActiveMask,
    /// `__ldg`.
    Ldg,
    /// `__syncthreads` and `__syncwarp`, which are statements.
    Statement,
    /// `atomicAdd` and its kin.
    Atomic(A),
    /// `__reduce_*_sync`.
    Reduce(A),
    /// `__match_any_sync`, or `__match_all_sync`.
    Match(bool),
    /// What the functions of `<mma.h>` are made of.
    Matrix(MatrixOperation),
    /// What the functions of textures and surfaces are made of.
    Texture(TextureOperation),
    /// `__syncthreads_count` and its kin.
    Barrier(BarrierVote),
    /// Does nothing with these operands: fences, `__nanosleep`.
    Nothing(&'static [Scalar]),
    /// What concerns when things happen, with these operands.
    Order(Order, &'static [Scalar]),
    /// `__trap`.
    Trap,
    /// `clock` and `clock64`.
    Clock(Scalar),
    /// `__stcs` and its kin.
    Store,
    /// A function of the first type, if any, then a conversion to the second.
    Through(Option<M>, Scalar, Scalar),
    /// `ldexp`: of this type, or of the operand's.
    Scaled(Option<Scalar>),
    /// `__dp4a`.
    Dot,
    /// Functions whose results go where pointers point, and the one that is the call's value.
    Outputs(&'static [M], Option<M>, Scalar),
    /// An operator on 16-bit floats, or on pairs of them.
    HalfBinary(Op, bool),
    /// A function of so many 16-bit floats, or pairs of them.
    HalfMath(M, usize, bool),
    /// `-x` of a 16-bit float, or a pair.
    HalfNegate(bool),
    /// A test of a 16-bit float, to `bool`.
    HalfTest(M),
    /// A pair of two values of the first type, each converted to the second.
    Pair(Scalar, Scalar),
    /// A pair of the same value twice, converted.
    Spread(Scalar, Scalar),
    /// A pair converted, value by value.
    PairTo(Scalar, Scalar),
    /// One value of a pair, converted.
    Part(Scalar, u32, Scalar),
    /// One value of a pair of any 16-bit type, as `float`.
    PartToFloat(u32),
}

use Builtin::*;

/// Functions of `double`, of so many operands, and of `float`, with an f behind their names.
macro_rules! of_floats {
    ($($name:literal $function:ident $operands:literal;)*) => {
        &[$(
            (concat!($name, "f"), Fixed(M::$function, &[F32; $operands], F32)),
            ($name, Overloaded(M::$function, $operands)),
        )*]
    };
}

const FLOATS: &[(&str, Builtin)] = of_floats! {
    "sqrt" Sqrt 1;
    "rsqrt" Rsqrt 1;
    "exp" Exp 1;
    "exp2" Exp2 1;
    "exp10" Exp10 1;
    "log" Log 1;
    "log2" Log2 1;
    "log10" Log10 1;
    "sin" Sin 1;
    "cos" Cos 1;
    "tan" Tan 1;
    "tanh" Tanh 1;
    "pow" Pow 2;
    "fmod" Fmod 2;
    "floor" Floor 1;
    "ceil" Ceil 1;
    "trunc" Trunc 1;
    "round" Round 1;
    "rint" Rint 1;
    "nearbyint" Rint 1;
    "fabs" Abs 1;
    "fmin" Min 2;
    "fmax" Max 2;
    "fma" Fma 3;
    "asin" Asin 1;
    "acos" Acos 1;
    "atan" Atan 1;
    "sinh" Sinh 1;
    "cosh" Cosh 1;
    "asinh" Asinh 1;
    "acosh" Acosh 1;
    "atanh" Atanh 1;
    "cbrt" Cbrt 1;
    "rcbrt" Rcbrt 1;
    "erf" Erf 1;
    "erfc" Erfc 1;
    "expm1" Expm1 1;
    "log1p" Log1p 1;
    "lgamma" Lgamma 1;
    "tgamma" Tgamma 1;
    "sinpi" SinPi 1;
    "cospi" CosPi 1;
    "normcdf" NormCdf 1;
    "atan2" Atan2 2;
    "hypot" Hypot 2;
    "copysign" Copysign 2;
    "fdim" Fdim 2;
    "remainder" Remainder 2;
};

const FUNCTIONS: &[(&str, Builtin)] = &[
    ("__fmaf_rn", Fixed(M::Fma, &[F32, F32, F32], F32)),
    ("__fma_rn", Fixed(M::Fma, &[F64, F64, F64], F64)),
    ("abs", Abs),
    ("labs", Fixed(M::Abs, &[I64], I64)),
    ("llabs", Fixed(M::Abs, &[I64], I64)),
    ("min", Extreme(M::Min)),
    ("max", Extreme(M::Max)),
    ("umin", Fixed(M::Min, &[U32, U32], U32)),
    ("umax", Fixed(M::Max, &[U32, U32], U32)),
    ("isnan", Test(M::IsNan)),
    ("isinf", Test(M::IsInf)),
    ("isfinite", IsFinite),
    ("__expf", Fixed(M::FastExp, &[F32], F32)),
    ("__logf", Fixed(M::FastLog, &[F32], F32)),
    ("__sinf", Fixed(M::FastSin, &[F32], F32)),
    ("__cosf", Fixed(M::FastCos, &[F32], F32)),
    ("__powf", Fixed(M::FastPow, &[F32, F32], F32)),
    ("__fdividef", Fixed(M::FastDivide, &[F32, F32], F32)),
    ("fdividef", Fixed(M::FastDivide, &[F32, F32], F32)),
    ("__fsqrt_rn", Fixed(M::Sqrt, &[F32], F32)),
    ("__dsqrt_rn", Fixed(M::Sqrt, &[F64], F64)),
    ("__fdiv_rn", Divide(F32, false)),
    ("__ddiv_rn", Divide(F64, false)),
    ("__frcp_rn", Divide(F32, true)),
    ("__drcp_rn", Divide(F64, true)),
    ("__saturatef", Saturate),
    ("__fmul_rn", Fixed(M::MulRn, &[F32, F32], F32)),
    ("__fadd_rn", Fixed(M::AddRn, &[F32, F32], F32)),
    ("__fsub_rn", Fixed(M::SubRn, &[F32, F32], F32)),
    ("__dmul_rn", Fixed(M::MulRn, &[F64, F64], F64)),
    ("__dadd_rn", Fixed(M::AddRn, &[F64, F64], F64)),
    ("__dsub_rn", Fixed(M::SubRn, &[F64, F64], F64)),
    ("__mulhi", Fixed(M::MulHi, &[I32, I32], I32)),
    ("__umulhi", Fixed(M::MulHi, &[U32, U32], U32)),
    ("__mul64hi", Fixed(M::MulHi, &[I64, I64], I64)),
    ("__umul64hi", Fixed(M::MulHi, &[U64, U64], U64)),
    ("__popc", Fixed(M::Popc, &[U32], I32)),
    ("__clz", Fixed(M::Clz, &[I32], I32)),
    ("__ffs", Fixed(M::Ffs, &[I32], I32)),
    ("__brev", Fixed(M::Brev, &[U32], U32)),
    ("__float_as_int", Fixed(M::Bitcast, &[F32], I32)),
    ("__float_as_uint", Fixed(M::Bitcast, &[F32], U32)),
    ("__int_as_float", Fixed(M::Bitcast, &[I32], F32)),
    ("__uint_as_float", Fixed(M::Bitcast, &[U32], F32)),
    ("__double_as_longlong", Fixed(M::Bitcast, &[F64], I64)),
    ("__longlong_as_double", Fixed(M::Bitcast, &[I64], F64)),
    ("__shfl_sync", Shuffle(ShuffleKind::Idx)),
    ("__shfl_up_sync", Shuffle(ShuffleKind::Up)),
    ("__shfl_down_sync", Shuffle(ShuffleKind::Down)),
    ("__shfl_xor_sync", Shuffle(ShuffleKind::Xor)),
    ("__any_sync", Vote(VoteKind::Any)),
    ("__all_sync", Vote(VoteKind::All)),
    ("__ballot_sync", Vote(VoteKind::Ballot)),
    ("__activemask", ActiveMask),
    ("__ldg", Ldg),
    ("__syncthreads", Statement),
    ("__syncwarp", Statement),
];

/// Atomics, without the suffixes `_system` and `_block`.
const ATOMICS: &[(&str, A)] = &[
    ("atomicAdd", A::Add),
    ("atomicSub", A::Sub),
    ("atomicMin", A::Min),
    ("atomicMax", A::Max),
    ("atomicAnd", A::And),
    ("atomicOr", A::Or),
    ("atomicXor", A::Xor),
    ("atomicExch", A::Exch),
    ("atomicCAS", A::Cas),
    ("atomicInc", A::Inc),
    ("atomicDec", A::Dec),
];

/// Functions of warps and blocks, memory, and time.
const TOGETHER: &[(&str, Builtin)] = &[
    ("__reduce_add_sync", Reduce(A::Add)),
    ("__reduce_min_sync", Reduce(A::Min)),
    ("__reduce_max_sync", Reduce(A::Max)),
    ("__reduce_and_sync", Reduce(A::And)),
    ("__reduce_or_sync", Reduce(A::Or)),
    ("__reduce_xor_sync", Reduce(A::Xor)),
    ("__match_any_sync", Match(false)),
    ("__match_all_sync", Match(true)),
    ("__mma_m16n8k16", Matrix(MatrixOperation::Multiply)),
    ("__mma_m16n8k8", Matrix(MatrixOperation::MultiplyEight)),
    ("__mma_m16n8k4", Matrix(MatrixOperation::MultiplyFour)),
    (
        "__mma_m16n8k16_bytes",
        Matrix(MatrixOperation::MultiplyBytes),
    ),
    (
        "__mma_m16n8k32_bytes",
        Matrix(MatrixOperation::MultiplyMoreBytes),
    ),
    (
        "__mma_m8n8k4_doubles",
        Matrix(MatrixOperation::MultiplyDoubles),
    ),
    ("__movm", Matrix(MatrixOperation::Transpose)),
    ("__texture", Texture(TextureOperation::Fetch)),
    ("__surface_load", Texture(TextureOperation::Load)),
    ("__surface_store", Texture(TextureOperation::Store)),
    ("__syncthreads_count", Barrier(BarrierVote::Count)),
    ("__syncthreads_and", Barrier(BarrierVote::And)),
    ("__syncthreads_or", Barrier(BarrierVote::Or)),
    ("__barrier_arrive", Barrier(BarrierVote::Arrive)),
    ("__barrier_opened", Barrier(BarrierVote::Opened)),
    ("__threadfence", Nothing(&[])),
    ("__threadfence_block", Nothing(&[])),
    ("__threadfence_system", Nothing(&[])),
    ("__nanosleep", Order(Order::Yield, &[U32])),
    // What the headers of asynchronous copies and barriers are made of.
    ("__copy_async", Atomic(A::Copy)),
    ("__grid_barrier", Order(Order::GridBarrier, &[])),
    ("__commit_copies", Order(Order::CommitCopies, &[])),
    ("__await_copies", Order(Order::AwaitCopies, &[U32])),
    ("__trap", Trap),
    ("clock", Clock(I32)),
    ("clock64", Clock(I64)),
    ("__ldca", Ldg),
    ("__ldcg", Ldg),
    ("__ldcs", Ldg),
    ("__ldcv", Ldg),
    ("__ldlu", Ldg),
    ("__stwb", Store),
    ("__stcg", Store),
    ("__stcs", Store),
    ("__stwt", Store),
];

/// Functions of 16-bit floats, and of pairs of them, with a 2 between the halves of their names.
macro_rules! of_halves {
    ($($before:literal $behind:literal $kind:ident($($of:expr),*);)*) => {
        &[$(
            (concat!($before, $behind), $kind($($of,)* false)),
            (concat!($before, "2", $behind), $kind($($of,)* true)),
        )*]
    };
}

const HALVES_AND_PAIRS: &[(&str, Builtin)] = of_halves! {
    "__hadd" "" HalfBinary(Op::Add);
    "__hsub" "" HalfBinary(Op::Sub);
    "__hmul" "" HalfBinary(Op::Mul);
    "__h" "div" HalfBinary(Op::Div);
    "__hadd" "_rn" HalfMath(M::AddRn, 2);
    "__hsub" "_rn" HalfMath(M::SubRn, 2);
    "__hmul" "_rn" HalfMath(M::MulRn, 2);
    "__hfma" "" HalfMath(M::Fma, 3);
    "__hmin" "" HalfMath(M::Min, 2);
    "__hmax" "" HalfMath(M::Max, 2);
    "__habs" "" HalfMath(M::Abs, 1);
    "__hneg" "" HalfNegate();
    "h" "exp" HalfMath(M::Exp, 1);
    "h" "exp2" HalfMath(M::Exp2, 1);
    "h" "log" HalfMath(M::Log, 1);
    "h" "log2" HalfMath(M::Log2, 1);
    "h" "sqrt" HalfMath(M::Sqrt, 1);
    "h" "rsqrt" HalfMath(M::Rsqrt, 1);
    "h" "sin" HalfMath(M::Sin, 1);
    "h" "cos" HalfMath(M::Cos, 1);
    "h" "tanh" HalfMath(M::Tanh, 1);
    "h" "ceil" HalfMath(M::Ceil, 1);
    "h" "floor" HalfMath(M::Floor, 1);
    "h" "trunc" HalfMath(M::Trunc, 1);
    "h" "rint" HalfMath(M::Rint, 1);
};

/// What there is of 16-bit floats, or of pairs, alone; and conversions.
const HALVES: &[(&str, Builtin)] = &[
    ("__heq", HalfBinary(Op::Eq, false)),
    ("__hlt", HalfBinary(Op::Lt, false)),
    ("__hle", HalfBinary(Op::Le, false)),
    ("__hgt", HalfBinary(Op::Gt, false)),
    ("__hge", HalfBinary(Op::Ge, false)),
    ("__hisnan", HalfTest(M::IsNan)),
    ("__hisinf", HalfTest(M::IsInf)),
    ("hexp10", HalfMath(M::Exp10, 1, false)),
    ("hlog10", HalfMath(M::Log10, 1, false)),
    ("__float2half", Through(None, F32, F16)),
    ("__float2half_rn", Through(None, F32, F16)),
    ("__double2half", Through(None, F64, F16)),
    ("__half2float", Through(None, F16, F32)),
    ("__int2half_rn", Through(None, I32, F16)),
    ("__uint2half_rn", Through(None, U32, F16)),
    ("__half2int_rn", Through(Some(M::Rint), F16, I32)),
    ("__half2int_rz", Through(None, F16, I32)),
    ("__half2uint_rn", Through(Some(M::Rint), F16, U32)),
    ("__half_as_ushort", Fixed(M::Bitcast, &[F16], Scalar::U16)),
    ("__short_as_half", Fixed(M::Bitcast, &[Scalar::U16], F16)),
    ("__ushort_as_half", Fixed(M::Bitcast, &[Scalar::U16], F16)),
    ("__float2bfloat16", Through(None, F32, Bf16)),
    ("__float2bfloat16_rn", Through(None, F32, Bf16)),
    ("__double2bfloat16", Through(None, F64, Bf16)),
    ("__bfloat162float", Through(None, Bf16, F32)),
    ("__int2bfloat16_rn", Through(None, I32, Bf16)),
    ("__bfloat162int_rn", Through(Some(M::Rint), Bf16, I32)),
    ("__bfloat162int_rz", Through(None, Bf16, I32)),
    (
        "__bfloat16_as_ushort",
        Fixed(M::Bitcast, &[Bf16], Scalar::U16),
    ),
    (
        "__ushort_as_bfloat16",
        Fixed(M::Bitcast, &[Scalar::U16], Bf16),
    ),
    ("__halves2half2", Pair(F16, F16)),
    ("__floats2half2_rn", Pair(F32, F16)),
    ("__halves2bfloat162", Pair(Bf16, Bf16)),
    ("make_bfloat162", Pair(Bf16, Bf16)),
    ("__floats2bfloat162_rn", Pair(F32, Bf16)),
    ("__half2half2", Spread(F16, F16)),
    ("__float2half2_rn", Spread(F32, F16)),
    ("__bfloat162bfloat162", Spread(Bf16, Bf16)),
    ("__float2bfloat162_rn", Spread(F32, Bf16)),
    ("__float22half2_rn", PairTo(F32, F16)),
    ("__half22float2", PairTo(F16, F32)),
    ("__float22bfloat162_rn", PairTo(F32, Bf16)),
    ("__bfloat1622float2", PairTo(Bf16, F32)),
    ("__low2half", Part(F16, 0, F16)),
    ("__high2half", Part(F16, 1, F16)),
    ("__low2float", PartToFloat(0)),
    ("__high2float", PartToFloat(1)),
    ("__low2bfloat16", Part(Bf16, 0, Bf16)),
    ("__high2bfloat16", Part(Bf16, 1, Bf16)),
];

/// Bits and integers.
const BITS: &[(&str, Builtin)] = &[
    ("__popcll", Fixed(M::Popc, &[U64], I32)),
    ("__clzll", Fixed(M::Clz, &[I64], I32)),
    ("__ffsll", Fixed(M::Ffs, &[I64], I32)),
    ("__brevll", Fixed(M::Brev, &[U64], U64)),
    ("__byte_perm", Fixed(M::BytePerm, &[U32, U32, U32], U32)),
    ("__funnelshift_l", Fixed(M::FunnelL, &[U32, U32, U32], U32)),
    (
        "__funnelshift_lc",
        Fixed(M::FunnelLClamp, &[U32, U32, U32], U32),
    ),
    ("__funnelshift_r", Fixed(M::FunnelR, &[U32, U32, U32], U32)),
    (
        "__funnelshift_rc",
        Fixed(M::FunnelRClamp, &[U32, U32, U32], U32),
    ),
    ("__mul24", Fixed(M::Mul24, &[I32, I32], I32)),
    ("__umul24", Fixed(M::Mul24, &[U32, U32], U32)),
    ("__sad", Fixed(M::Sad, &[I32, I32, I32], U32)),
    ("__usad", Fixed(M::Sad, &[U32, U32, U32], U32)),
    ("__rhadd", Fixed(M::RoundedAverage, &[I32, I32], I32)),
    ("__urhadd", Fixed(M::RoundedAverage, &[U32, U32], U32)),
    ("__uhadd", Fixed(M::Average, &[U32, U32], U32)),
    ("__dp4a", Dot),
    ("llmin", Fixed(M::Min, &[I64, I64], I64)),
    ("llmax", Fixed(M::Max, &[I64, I64], I64)),
    ("ullmin", Fixed(M::Min, &[U64, U64], U64)),
    ("ullmax", Fixed(M::Max, &[U64, U64], U64)),
    ("__float2int_rn", Through(Some(M::Rint), F32, I32)),
    ("__float2int_rd", Through(Some(M::Floor), F32, I32)),
    ("__float2int_ru", Through(Some(M::Ceil), F32, I32)),
    ("__float2int_rz", Through(None, F32, I32)),
    ("__float2uint_rn", Through(Some(M::Rint), F32, U32)),
    ("__float2uint_rd", Through(Some(M::Floor), F32, U32)),
    ("__float2uint_ru", Through(Some(M::Ceil), F32, U32)),
    ("__float2uint_rz", Through(None, F32, U32)),
    ("__float2ll_rn", Through(Some(M::Rint), F32, I64)),
    ("__float2ll_rd", Through(Some(M::Floor), F32, I64)),
    ("__float2ll_ru", Through(Some(M::Ceil), F32, I64)),
    ("__float2ll_rz", Through(None, F32, I64)),
    ("__float2ull_rn", Through(Some(M::Rint), F32, U64)),
    ("__float2ull_rd", Through(Some(M::Floor), F32, U64)),
    ("__float2ull_ru", Through(Some(M::Ceil), F32, U64)),
    ("__float2ull_rz", Through(None, F32, U64)),
    ("__double2int_rn", Through(Some(M::Rint), F64, I32)),
    ("__double2int_rd", Through(Some(M::Floor), F64, I32)),
    ("__double2int_ru", Through(Some(M::Ceil), F64, I32)),
    ("__double2int_rz", Through(None, F64, I32)),
    ("__double2uint_rn", Through(Some(M::Rint), F64, U32)),
    ("__double2uint_rd", Through(Some(M::Floor), F64, U32)),
    ("__double2uint_ru", Through(Some(M::Ceil), F64, U32)),
    ("__double2uint_rz", Through(None, F64, U32)),
    ("__double2ll_rn", Through(Some(M::Rint), F64, I64)),
    ("__double2ll_rd", Through(Some(M::Floor), F64, I64)),
    ("__double2ll_ru", Through(Some(M::Ceil), F64, I64)),
    ("__double2ll_rz", Through(None, F64, I64)),
    ("__double2ull_rn", Through(Some(M::Rint), F64, U64)),
    ("__double2ull_rd", Through(Some(M::Floor), F64, U64)),
    ("__double2ull_ru", Through(Some(M::Ceil), F64, U64)),
    ("__double2ull_rz", Through(None, F64, U64)),
    ("__double2float_rn", Through(None, F64, F32)),
    ("__int2float_rn", Through(None, I32, F32)),
    ("__uint2float_rn", Through(None, U32, F32)),
    ("__ll2float_rn", Through(None, I64, F32)),
    ("__ull2float_rn", Through(None, U64, F32)),
    ("__int2double_rn", Through(None, I32, F64)),
    ("__uint2double_rn", Through(None, U32, F64)),
    ("__ull2double_rn", Through(None, U64, F64)),
    ("__ll2double_rn", Through(None, I64, F64)),
];

/// The rest of the mathematics.
const MATH: &[(&str, Builtin)] = &[
    ("ldexpf", Scaled(Some(F32))),
    ("scalbnf", Scaled(Some(F32))),
    ("ldexp", Scaled(None)),
    ("scalbn", Scaled(None)),
    ("signbit", Test(M::SignBit)),
    ("sincosf", Outputs(&[M::Sin, M::Cos], None, F32)),
    ("sincos", Outputs(&[M::Sin, M::Cos], None, F64)),
    ("__sincosf", Outputs(&[M::FastSin, M::FastCos], None, F32)),
    ("sincospif", Outputs(&[M::SinPi, M::CosPi], None, F32)),
    (
        "frexpf",
        Outputs(&[M::FrexpExponent], Some(M::FrexpMantissa), F32),
    ),
    (
        "frexp",
        Outputs(&[M::FrexpExponent], Some(M::FrexpMantissa), F64),
    ),
    ("modff", Outputs(&[M::Trunc], Some(M::ModfFraction), F32)),
    ("modf", Outputs(&[M::Trunc], Some(M::ModfFraction), F64)),
    ("lrintf", Through(Some(M::Rint), F32, I64)),
    ("llrintf", Through(Some(M::Rint), F32, I64)),
    ("lrint", Through(Some(M::Rint), F64, I64)),
    ("llrint", Through(Some(M::Rint), F64, I64)),
    ("lroundf", Through(Some(M::Round), F32, I64)),
    ("llroundf", Through(Some(M::Round), F32, I64)),
    ("lround", Through(Some(M::Round), F64, I64)),
    ("llround", Through(Some(M::Round), F64, I64)),
    // `sqrt.approx` and its kin, which have no names in CUDA C++.
    ("__sqrt_approx", Fixed(M::FastSqrt, &[F32], F32)),
    ("__rcp_approx", Fixed(M::FastRcp, &[F32], F32)),
    ("__tanh_approx", Fixed(M::FastTanh, &[F32], F32)),
    ("__log2f", Fixed(M::FastLog2, &[F32], F32)),
    ("__log10f", Fixed(M::FastLog10, &[F32], F32)),
    ("__exp10f", Fixed(M::FastExp10, &[F32], F32)),
    ("__tanf", Fixed(M::FastTan, &[F32], F32)),
    ("__frsqrt_rn", Fixed(M::Rsqrt, &[F32], F32)),
];

const fn f32(value: f32) -> u64 {
    value.to_bits() as u64
}

const fn f64(value: f64) -> u64 {
    value.to_bits()
}

const CONSTANTS: &[(&str, Scalar, u64)] = &[
    ("warpSize", I32, 32),
    ("INFINITY", F32, f32(f32::INFINITY)),
    ("HUGE_VALF", F32, f32(f32::INFINITY)),
    ("HUGE_VAL", F64, f64(f64::INFINITY)),
    ("NAN", F32, f32(f32::NAN)),
    ("CUDART_INF_F", F32, f32(f32::INFINITY)),
    ("CUDART_NAN_F", F32, 0x7fff_ffff),
    ("CUDART_PI_F", F32, f32(std::f32::consts::PI)),
    ("CUDART_MAX_NORMAL_F", F32, f32(f32::MAX)),
    ("CUDART_INF", F64, f64(f64::INFINITY)),
    ("CUDART_NAN", F64, 0xfff8_0000_0000_0000),
    ("CUDART_PI", F64, f64(std::f64::consts::PI)),
    ("FLT_MAX", F32, f32(f32::MAX)),
    ("FLT_MIN", F32, f32(f32::MIN_POSITIVE)),
    ("FLT_EPSILON", F32, f32(f32::EPSILON)),
    ("DBL_MAX", F64, f64(f64::MAX)),
    ("DBL_MIN", F64, f64(f64::MIN_POSITIVE)),
    ("DBL_EPSILON", F64, f64(f64::EPSILON)),
    // Macros of the compiler itself, which need no header.
    ("__FLT_MAX__", F32, f32(f32::MAX)),
    ("__FLT_MIN__", F32, f32(f32::MIN_POSITIVE)),
    ("__FLT_EPSILON__", F32, f32(f32::EPSILON)),
    ("__DBL_MAX__", F64, f64(f64::MAX)),
    ("__DBL_MIN__", F64, f64(f64::MIN_POSITIVE)),
    ("__DBL_EPSILON__", F64, f64(f64::EPSILON)),
    ("__INT_MAX__", I32, i32::MAX as u64),
    ("M_PI", F64, f64(std::f64::consts::PI)),
    ("M_PI_2", F64, f64(std::f64::consts::FRAC_PI_2)),
    ("M_PI_4", F64, f64(std::f64::consts::FRAC_PI_4)),
    ("M_1_PI", F64, f64(std::f64::consts::FRAC_1_PI)),
    ("M_2_PI", F64, f64(std::f64::consts::FRAC_2_PI)),
    ("M_2_SQRTPI", F64, f64(std::f64::consts::FRAC_2_SQRT_PI)),
    ("M_E", F64, f64(std::f64::consts::E)),
    ("M_LOG2E", F64, f64(std::f64::consts::LOG2_E)),
    ("M_LOG10E", F64, f64(std::f64::consts::LOG10_E)),
    ("M_LN2", F64, f64(std::f64::consts::LN_2)),
    ("M_LN10", F64, f64(std::f64::consts::LN_10)),
    ("M_SQRT2", F64, f64(std::f64::consts::SQRT_2)),
    ("M_SQRT1_2", F64, f64(std::f64::consts::FRAC_1_SQRT_2)),
    ("CHAR_BIT", I32, 8),
    ("SCHAR_MAX", I32, 127),
    ("SCHAR_MIN", I32, -128i64 as u64),
    ("CHAR_MAX", I32, 127),
    ("CHAR_MIN", I32, -128i64 as u64),
    ("UCHAR_MAX", I32, 255),
    ("SHRT_MAX", I32, 32767),
    ("SHRT_MIN", I32, -32768i64 as u64),
    ("USHRT_MAX", I32, 65535),
    ("INT_MAX", I32, i32::MAX as u64),
    ("INT_MIN", I32, i32::MIN as i64 as u64),
    ("UINT_MAX", U32, u32::MAX as u64),
    ("LONG_MAX", I64, i64::MAX as u64),
    ("LONG_MIN", I64, i64::MIN as u64),
    ("ULONG_MAX", U64, u64::MAX),
    ("LLONG_MAX", I64, i64::MAX as u64),
    ("LLONG_MIN", I64, i64::MIN as u64),
    ("ULLONG_MAX", U64, u64::MAX),
    ("SIZE_MAX", U64, u64::MAX),
    ("INT8_MAX", I32, 127),
    ("INT8_MIN", I32, -128i64 as u64),
    ("UINT8_MAX", I32, 255),
    ("INT16_MAX", I32, 32767),
    ("INT16_MIN", I32, -32768i64 as u64),
    ("UINT16_MAX", I32, 65535),
    ("INT32_MAX", I32, i32::MAX as u64),
    ("INT32_MIN", I32, i32::MIN as i64 as u64),
    ("UINT32_MAX", U32, u32::MAX as u64),
    ("INT64_MAX", I64, i64::MAX as u64),
    ("INT64_MIN", I64, i64::MIN as u64),
    ("UINT64_MAX", U64, u64::MAX),
];

const VARIABLES: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

pub fn function(name: &str) -> Option<Builtin> {
    if let Some(stem) = name.strip_prefix("atomic") {
        let stem = stem.strip_suffix("_system").unwrap_or(stem);
        let stem = stem.strip_suffix("_block").unwrap_or(stem);
        let mut atomics = ATOMICS.iter();
        let found = atomics.find(|(known, _)| known.strip_prefix("atomic") == Some(stem));
        return found.map(|&(_, operation)| Atomic(operation));
    }
    let mut functions = tables().flatten();
    let found = functions.find(|(known, _)| *known == name);
    found.map(|&(_, builtin)| builtin)
}

fn tables() -> impl Iterator<Item = &'static [(&'static str, Builtin)]> {
    let of_floats = [FLOATS, FUNCTIONS, MATH];
    let of_others = [TOGETHER, HALVES_AND_PAIRS, HALVES, BITS];
    of_floats.into_iter().chain(of_others)
}

/// The vector type that `make_float4` and its kin make.
pub fn made_vector(name: &str) -> Option<(Scalar, u32)> {
    let name = name.strip_prefix("make_")?;
    match named_type(name)? {
        Type::Vector(of, lanes) => Some((of, lanes)),
        _ => None,
    }
}

pub fn is_function(name: &str) -> bool {
    function(name).is_some() || made_vector(name).is_some()
}

/// A constant that CUDA's headers define: its type and bits.
pub fn constant(name: &str) -> Option<(Scalar, u64)> {
    let found = CONSTANTS.iter().find(|(known, _, _)| *known == name);
    found.map(|&(_, scalar, bits)| (scalar, bits))
}

/// The constants of the host's headers, with expressions of C++ that have their type and value.
pub fn constants() -> impl Iterator<Item = (&'static str, String)> {
    let written = CONSTANTS.iter().filter(|(name, _, _)| *name != "warpSize");
    written.map(|&(name, scalar, bits)| (name, literal(scalar, bits)))
}

fn literal(scalar: Scalar, bits: u64) -> String {
    let float = match scalar {
        F32 => f64::from(f32::from_bits(bits as u32)),
        F64 => f64::from_bits(bits),
        U32 => return format!("{bits}u"),
        U64 => return format!("{bits}ull"),
        I64 if bits == i64::MIN as u64 => return format!("(-{}ll - 1)", i64::MAX),
        I64 => return format!("{}ll", bits as i64),
        _ if bits as i32 == i32::MIN => return format!("(-{} - 1)", i32::MAX),
        _ if bits as i32 >= 0 => return format!("{}", bits as i32),
        _ => return format!("({})", bits as i32),
    };
    let suffix = if scalar == F32 { "f" } else { "" };
    match float {
        // NVRTC has no builtin function for them that is a constant expression.
        float if float.is_nan() => format!("(0.0{suffix} / 0.0{suffix})"),
        float if float.is_infinite() => format!("(1.0{suffix} / 0.0{suffix})"),
        float => format!("{float:e}{suffix}"),
    }
}

/// The functions that kernels may call.
pub fn listed() -> impl Iterator<Item = (&'static str, Builtin)> {
    // Those of matrices, textures, copies and numbered barriers are for headers alone.
    let all = tables().flatten().copied();
    let functions = all.filter(|(_, builtin)| match builtin {
        Matrix(_)
        | Texture(_)
        | Atomic(A::Copy)
        | Barrier(BarrierVote::Arrive | BarrierVote::Opened) => false,
        Order(order, _) => *order == crate::cuda::typed::Order::Yield,
        _ => true,
    });
    let atomics = ATOMICS.iter();
    functions.chain(atomics.map(|&(name, operation)| (name, Atomic(operation))))
}

/// All names, for suggestions.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    let functions = listed().map(|(name, _)| name);
    let functions = functions.chain(["printf", "assert"]);
    let constants = CONSTANTS.iter().map(|(name, _, _)| *name);
    let vectors = [
        "make_float2",
        "make_float3",
        "make_float4",
        "make_int2",
        "make_int4",
    ];
    functions.chain(constants).chain(VARIABLES).chain(vectors)
}
