//! Single-precision instructions that an operation becomes on the GPU.

use super::Op;
use crate::launch::Fp32Counts;

/// The additions, multiplications, fused multiply-adds and special-function instructions that one
/// lane executes for `op`: what nvcc 13.0 makes of it for compute capability 9.0 without fast
/// math, on the path that ordinary operands take, as an H200's counters gave it. Operands that are
/// huge, tiny or not finite can take longer paths. Counts nothing for `fmod`, whose path depends
/// on its operands.
pub fn fp32_cost(op: Op) -> Fp32Counts {
    use Op::*;
    let (add, mul, fma, special) = match op {
        AddF32 | SubF32 | RoundF32 => (1, 0, 0, 0),
        MulF32 => (0, 1, 0, 0),
        FmaF32 => (0, 0, 1, 0),
        DivF32 => (0, 0, 5, 1),
        FastDivF32 | FastSinF32 | FastCosF32 => (0, 1, 0, 1),
        RcpF32 => (1, 0, 2, 1),
        SqrtF32 => (0, 2, 2, 1),
        RsqrtF32 | Exp2F32 | FastLog2F32 => (0, 0, 0, 1),
        ExpF32 | Exp10F32 => (1, 1, 4, 1),
        ExpAddF32 => (1, 0, 5, 1),
        LogF32 => (1, 1, 11, 0),
        Log2F32 => (2, 2, 11, 0),
        Log10F32 => (1, 2, 11, 0),
        SinF32 | CosF32 => (0, 2, 8, 0),
        TanF32 => (0, 3, 9, 1),
        TanhF32 => (1, 2, 5, 2),
        PowF32 => (13, 10, 19, 2),
        _ => (0, 0, 0, 0),
    };
    Fp32Counts {
        add,
        mul,
        fma,
        special,
    }
}
