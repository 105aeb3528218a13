//! Conversions. Rust's `as` does what the GPU does: truncates, saturates, gives 0 for NaN, and
//! rounds integers to the nearest float.

use crate::ir::Op;
use crate::simt::warp::LaneOperation;

versions! {
operation operation_avx2(op) {
    let operation: LaneOperation = match op {
        Op::SextI8 => |l, i| l.unary(i, |a| a as i8 as u32),
        Op::SextI16 => |l, i| l.unary(i, |a| a as i16 as u32),
        Op::ZextU8 => |l, i| l.unary(i, |a| a & 0xff),
        Op::ZextU16 => |l, i| l.unary(i, |a| a & 0xffff),
        Op::I32ToI64 => |l, i| l.widen(i, |a| a as i32 as u64),
        Op::U32ToI64 => |l, i| l.widen(i, u64::from),
        Op::I32ToF32 => |l, i| l.unary(i, |a| (a as i32 as f32).to_bits()),
        Op::U32ToF32 => |l, i| l.unary(i, |a| (a as f32).to_bits()),
        Op::QuarterF32 => |l, i| l.unary(i, |a| quarter(f32::from_bits(a)) as u32),
        Op::F32ToI32 => |l, i| l.unary(i, |a| f32::from_bits(a) as i32 as u32),
        Op::F32ToU32 => |l, i| l.unary(i, |a| f32::from_bits(a) as u32),
        Op::I64ToF32 => |l, i| l.narrow(i, |a| (a as i64 as f32).to_bits()),
        Op::U64ToF32 => |l, i| l.narrow(i, |a| (a as f32).to_bits()),
        Op::F32ToI64 => |l, i| l.widen(i, |a| f32::from_bits(a) as i64 as u64),
        Op::F32ToU64 => |l, i| l.widen(i, |a| f32::from_bits(a) as u64),
        Op::I32ToF64 => |l, i| l.widen(i, |a| f64::from(a as i32).to_bits()),
        Op::U32ToF64 => |l, i| l.widen(i, |a| f64::from(a).to_bits()),
        Op::F64ToI32 => |l, i| l.narrow(i, |a| f64::from_bits(a) as i32 as u32),
        Op::F64ToU32 => |l, i| l.narrow(i, |a| f64::from_bits(a) as u32),
        Op::I64ToF64 => |l, i| l.unary64(i, |a| (a as i64 as f64).to_bits()),
        Op::U64ToF64 => |l, i| l.unary64(i, |a| (a as f64).to_bits()),
        Op::F64ToI64 => |l, i| l.unary64(i, |a| f64::from_bits(a) as i64 as u64),
        Op::F64ToU64 => |l, i| l.unary64(i, |a| f64::from_bits(a) as u64),
        Op::F32ToF64 => |l, i| l.widen(i, |a| f64::from(f32::from_bits(a)).to_bits()),
        Op::F64ToF32 => |l, i| l.narrow(i, |a| (f64::from_bits(a) as f32).to_bits()),
        _ => return None,
    };
    Some(operation)
}
}

#[inline(always)]
fn quarter(angle: f32) -> i32 {
    (angle * std::f32::consts::FRAC_2_PI).round_ties_even() as i32
}
