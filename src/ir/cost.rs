//! Single-precision instructions that an operation becomes on the GPU.

use super::op::Op;
use super::program::Kernel;
use crate::launch::Fp32Counts;

/// The additions, multiplications, fused multiply-adds and special-function instructions that one
/// lane executes for `op`: what nvcc 13.0 makes of it for compute capability 9.0 without fast
/// math, on the path that ordinary operands take, as an H200's counters gave it. Operands that are
/// huge, tiny or not finite can take longer paths. Counts nothing for `fmod` and the gamma
/// functions, whose path depends on their operands.
pub fn fp32_cost(op: Op) -> Fp32Counts {
    let [add, mul, fma, special] = adds_muls_fmas_specials(op);
    Fp32Counts {
        add,
        mul,
        fma,
        special,
    }
}

fn adds_muls_fmas_specials(op: Op) -> [u64; 4] {
    use Op::*;
    match op {
        AddF32 | SubF32 | RoundF32 => [1, 0, 0, 0],
        MulF32 | ErfF64 => [0, 1, 0, 0],
        // Of a quotient in double precision, one step is in single: whether its exponent is one of the quick path's.
        FmaF32 | DivF64 => [0, 0, 1, 0],
        DivF32 => [0, 0, 5, 1],
        FastDivF32 | FastSinF32 | FastCosF32 => [0, 1, 0, 1],
        RcpF32 => [1, 0, 2, 1],
        SqrtF32 => [0, 2, 2, 1],
        FastSqrtF32 | FastRcpF32 | FastTanhF32 | RsqrtF32 | Exp2F32 | FastLog2F32 => [0, 0, 0, 1],
        ExpF32 | Exp10F32 => [1, 1, 4, 1],
        ExpAddF32 => [1, 0, 5, 1],
        LogF32 => [1, 1, 11, 0],
        Log2F32 => [2, 2, 11, 0],
        Log10F32 => [1, 2, 11, 0],
        op => of_function(op),
    }
}

/// The same of functions that take a polynomial.
fn of_function(op: Op) -> [u64; 4] {
    use Op::*;
    match op {
        SinF32 | CosF32 => [0, 2, 7, 0],
        TanF32 => [0, 3, 9, 1],
        TanhF32 => [1, 2, 5, 2],
        PowF32 => [11, 9, 19, 2],
        AsinF32 => [0, 5, 8, 1],
        AcosF32 => [0, 4, 9, 1],
        AtanF32 => [0, 2, 8, 1],
        Atan2F32 => [1, 2, 13, 1],
        HypotF32 => [2, 6, 3, 1],
        SinhF32 => [1, 6, 6, 2],
        CoshF32 => [1, 4, 3, 2],
        AsinhF32 => [2, 3, 14, 2],
        AcoshF32 => [4, 4, 14, 1],
        AtanhF32 => [4, 4, 11, 1],
        CbrtF32 | RcbrtF32 => [1, 5, 2, 2],
        ErfF32 => [0, 1, 7, 0],
        ErfcF32 => [5, 8, 20, 3],
        Expm1F32 => [1, 3, 8, 1],
        Log1pF32 => [2, 2, 11, 0],
        SinPiF32 | CosPiF32 => [1, 1, 9, 0],
        NormCdfF32 => [6, 10, 22, 3],
        // Integers, moves, control flow, and double precision, which has counters of its own.
        _ => [0; 4],
    }
}

impl Kernel {
    /// The single-precision instructions that one lane executes for instruction `pc`.
    pub fn fp32_cost(&self, pc: usize) -> Fp32Counts {
        let known = self
            .recosted
            .binary_search_by_key(&(pc as u32), |cost| cost.0);
        known.map_or_else(|_| fp32_cost(self.code[pc].op), |at| self.recosted[at].1)
    }
}
