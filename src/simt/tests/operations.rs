//! Every operation on registers against a plain scalar rule.

use proptest::prelude::*;

use crate::ir::{Instruction, Op, Operand};
use crate::launch::WARP_LANES;
use crate::simt::geometry::Geometry;
use crate::simt::lanes::{Lanes, Vector};
use crate::simt::operations::lane_operation;

/// Registers of the operands, two each.
const DST: u16 = 0;
const A: u16 = 2;
const B: u16 = 4;
const C: u16 = 6;
/// An immediate, and the only constant.
const IMMEDIATE: u32 = 0x1234_5678;
const CONSTANT: u64 = 0x0123_4567_89ab_cdef;

fn signed(bits: u64) -> i32 {
    bits as u32 as i32
}

fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn integer32(op: Op, a: u64, b: u64, c: u64) -> Option<u32> {
    let (x, y) = (a as u32, b as u32);
    let (i, j) = (i64::from(signed(a)), i64::from(signed(b)));
    let (m, n) = (u64::from(x), u64::from(y));
    Some(match op {
        Op::AddI32 => (m + n) as u32,
        Op::SubI32 => (i - j) as u32,
        Op::MulI32 => (i * j) as u32,
        Op::MadI32 => (i128::from(i * j) + i128::from(signed(c))) as u32,
        Op::MulHiI32 => ((i * j) >> 32) as u32,
        Op::MulHiU32 => ((m * n) >> 32) as u32,
        Op::DivI32 | Op::DivU32 if y == 0 => u32::MAX,
        Op::RemI32 | Op::RemU32 if y == 0 => x,
        Op::DivI32 => (i / j) as u32,
        Op::DivU32 => x / y,
        Op::RemI32 => (i % j) as u32,
        Op::RemU32 => x % y,
        Op::MinI32 => i.min(j) as u32,
        Op::MinU32 => x.min(y),
        Op::MaxI32 => i.max(j) as u32,
        Op::MaxU32 => x.max(y),
        Op::AbsI32 => i.unsigned_abs() as u32,
        Op::NegI32 => -i as u32,
        Op::And32 => x & y,
        Op::Or32 => x | y,
        Op::Xor32 => x ^ y,
        Op::Not32 => !x,
        Op::Shl32 => (u128::from(x) << y.min(64)) as u32,
        Op::ShrI32 => (i >> y.min(63)) as u32,
        Op::ShrU32 => (m >> y.min(63)) as u32,
        Op::Popc32 => (0..32).map(|bit| x >> bit & 1).sum(),
        Op::Clz32 => (0..32).take_while(|bit| x << bit >> 31 == 0).count() as u32,
        Op::Ffs32 => (0..32)
            .find(|bit| x >> bit & 1 == 1)
            .map_or(0, |bit| bit + 1),
        Op::Brev32 => (0..32).map(|bit| (x >> bit & 1) << (31 - bit)).sum(),
        Op::Eq32 => u32::from(x == y),
        Op::Ne32 => u32::from(x != y),
        Op::LtI32 => u32::from(i < j),
        Op::LeI32 => u32::from(i <= j),
        Op::LtU32 => u32::from(x < y),
        Op::LeU32 => u32::from(x <= y),
        Op::SextI8 => (signed(a) << 24 >> 24) as u32,
        Op::SextI16 => (signed(a) << 16 >> 16) as u32,
        Op::ZextU8 => x % 256,
        Op::ZextU16 => x % 65536,
        _ => return None,
    })
}

fn integer64(op: Op, a: u64, b: u64) -> Option<u64> {
    let (i, j) = (i128::from(a as i64), i128::from(b as i64));
    let distance = (b as u32).min(100);
    Some(match op {
        Op::AddI64 => (i + j) as u64,
        Op::SubI64 => (i - j) as u64,
        Op::MulI64 => (i * j) as u64,
        Op::DivI64 | Op::DivU64 if b == 0 => u64::MAX,
        Op::RemI64 | Op::RemU64 if b == 0 => a,
        Op::DivI64 => (i / j) as u64,
        Op::DivU64 => a / b,
        Op::RemI64 => (i % j) as u64,
        Op::RemU64 => a % b,
        Op::MinI64 => i.min(j) as u64,
        Op::MinU64 => a.min(b),
        Op::MaxI64 => i.max(j) as u64,
        Op::MaxU64 => a.max(b),
        Op::NegI64 => -i as u64,
        Op::And64 => a & b,
        Op::Or64 => a | b,
        Op::Xor64 => a ^ b,
        Op::Not64 => !a,
        Op::Shl64 if distance > 63 => 0,
        Op::Shl64 => a << distance,
        Op::ShrI64 => (i >> distance) as u64,
        Op::ShrU64 => (u128::from(a) >> distance) as u64,
        Op::Eq64 => u64::from(a == b),
        Op::Ne64 => u64::from(a != b),
        Op::LtI64 => u64::from(i < j),
        Op::LeI64 => u64::from(i <= j),
        Op::LtU64 => u64::from(a < b),
        Op::LeU64 => u64::from(a <= b),
        Op::I32ToI64 => i64::from(signed(a)) as u64,
        Op::U32ToI64 => a & 0xffff_ffff,
        Op::F32ToI64 => float(a) as i64 as u64,
        Op::F32ToU64 => float(a) as u64,
        Op::F64ToI64 => f64::from_bits(a) as i64 as u64,
        Op::F64ToU64 => f64::from_bits(a) as u64,
        Op::F32ToI32 => u64::from(float(a) as i32 as u32),
        Op::F32ToU32 => u64::from(float(a) as u32),
        Op::F64ToI32 => u64::from(f64::from_bits(a) as i32 as u32),
        Op::F64ToU32 => u64::from(f64::from_bits(a) as u32),
        _ => return None,
    })
}

fn single(op: Op, a: u64, b: u64, c: u64) -> Option<f32> {
    let (x, y, z) = (float(a), float(b), float(c));
    Some(match op {
        Op::AddF32 => x + y,
        Op::SubF32 => x - y,
        Op::MulF32 => x * y,
        Op::FmaF32 => x.mul_add(y, z),
        Op::DivF32 => x / y,
        Op::NegF32 => -x,
        Op::AbsF32 => x.abs(),
        Op::MinF32 | Op::MaxF32 if x.is_nan() || y.is_nan() => x.min(y),
        Op::MinF32 => [x, y].into_iter().min_by(f32::total_cmp)?,
        Op::MaxF32 => [x, y].into_iter().max_by(f32::total_cmp)?,
        Op::SqrtF32 => x.sqrt(),
        Op::RsqrtF32 => (1.0 / f64::from(x).sqrt()) as f32,
        Op::FastDivF32 => x * (1.0 / y),
        Op::RcpF32 => 1.0 / x,
        Op::ExpAddF32 => x.exp() + y,
        Op::ExpF32 => x.exp(),
        Op::Exp2F32 => x.exp2(),
        Op::Exp10F32 => 10_f64.powf(x.into()) as f32,
        Op::LogF32 => x.ln(),
        Op::Log2F32 | Op::FastLog2F32 => x.log2(),
        Op::Log10F32 => x.log10(),
        Op::SinF32 | Op::FastSinF32 => x.sin(),
        Op::CosF32 | Op::FastCosF32 => x.cos(),
        Op::TanF32 => x.tan(),
        Op::TanhF32 => x.tanh(),
        Op::PowF32 => x.powf(y),
        Op::FmodF32 => x % y,
        Op::FloorF32 => x.floor(),
        Op::CeilF32 => x.ceil(),
        Op::TruncF32 => x.trunc(),
        Op::RoundF32 => x.round(),
        Op::RintF32 => x.round_ties_even(),
        Op::I32ToF32 => signed(a) as f32,
        Op::U32ToF32 => a as u32 as f32,
        Op::I64ToF32 => a as i64 as f32,
        Op::U64ToF32 => a as f32,
        Op::F64ToF32 => f64::from_bits(a) as f32,
        _ => return None,
    })
}

fn double(op: Op, a: u64, b: u64, c: u64) -> Option<f64> {
    let [x, y, z] = [a, b, c].map(f64::from_bits);
    Some(match op {
        Op::AddF64 => x + y,
        Op::SubF64 => x - y,
        Op::MulF64 => x * y,
        Op::FmaF64 => x.mul_add(y, z),
        Op::DivF64 => x / y,
        Op::NegF64 => -x,
        Op::AbsF64 => x.abs(),
        Op::MinF64 | Op::MaxF64 if x.is_nan() || y.is_nan() => x.min(y),
        Op::MinF64 => [x, y].into_iter().min_by(f64::total_cmp)?,
        Op::MaxF64 => [x, y].into_iter().max_by(f64::total_cmp)?,
        Op::SqrtF64 => x.sqrt(),
        Op::RsqrtF64 => 1.0 / x.sqrt(),
        Op::ExpF64 => x.exp(),
        Op::Exp2F64 => x.exp2(),
        Op::Exp10F64 => 10_f64.powf(x),
        Op::LogF64 => x.ln(),
        Op::Log2F64 => x.log2(),
        Op::Log10F64 => x.log10(),
        Op::SinF64 => x.sin(),
        Op::CosF64 => x.cos(),
        Op::TanF64 => x.tan(),
        Op::TanhF64 => x.tanh(),
        Op::PowF64 => x.powf(y),
        Op::FmodF64 => x % y,
        Op::FloorF64 => x.floor(),
        Op::CeilF64 => x.ceil(),
        Op::TruncF64 => x.trunc(),
        Op::RoundF64 => x.round(),
        Op::RintF64 => x.round_ties_even(),
        Op::I32ToF64 => signed(a).into(),
        Op::U32ToF64 => (a as u32).into(),
        Op::I64ToF64 => a as i64 as f64,
        Op::U64ToF64 => a as f64,
        Op::F32ToF64 => float(a).into(),
        _ => return None,
    })
}

fn comparison(op: Op, a: u64, b: u64) -> Option<bool> {
    let single = float(a).partial_cmp(&float(b));
    let double = f64::from_bits(a).partial_cmp(&f64::from_bits(b));
    Some(match op {
        Op::EqF32 => single.is_some_and(|order| order.is_eq()),
        Op::NeF32 => !single.is_some_and(|order| order.is_eq()),
        Op::LtF32 => single.is_some_and(|order| order.is_lt()),
        Op::LeF32 => single.is_some_and(|order| order.is_le()),
        Op::EqF64 => double.is_some_and(|order| order.is_eq()),
        Op::NeF64 => !double.is_some_and(|order| order.is_eq()),
        Op::LtF64 => double.is_some_and(|order| order.is_lt()),
        Op::LeF64 => double.is_some_and(|order| order.is_le()),
        _ => return None,
    })
}

/// Values and coordinates: of lane `lane` in the only warp of block (1, 2, 3).
fn moved(op: Op, lane: u32, a: u64, b: u64, c: u64, active: u32) -> Option<u64> {
    let chosen = if a as u32 != 0 { b } else { c };
    Some(match op {
        Op::Const32 => IMMEDIATE.into(),
        Op::Const64 => CONSTANT,
        Op::Mov32 => a & 0xffff_ffff,
        Op::Mov64 => a,
        Op::Select32 => chosen & 0xffff_ffff,
        Op::Select64 => chosen,
        Op::ThreadX => (lane % 4).into(),
        Op::ThreadY => (lane / 4 % 4).into(),
        Op::ThreadZ => (lane / 16).into(),
        Op::BlockX => 1,
        Op::BlockY => 2,
        Op::BlockZ => 3,
        Op::BlockDimX | Op::BlockDimY => 4,
        Op::BlockDimZ => 2,
        Op::GridDimX => 5,
        Op::GridDimY => 6,
        Op::GridDimZ => 7,
        Op::ActiveMask => active.into(),
        _ => return None,
    })
}

/// What `op` gives: its bits, and whether any NaN will do (32 or 64 bits wide).
fn expected(op: Op, lane: u32, [a, b, c]: [u64; 3], active: u32) -> (u64, Option<u32>) {
    if let Some(value) = single(op, a, b, c) {
        return (value.to_bits().into(), value.is_nan().then_some(32));
    }
    if let Some(value) = double(op, a, b, c) {
        return (value.to_bits(), value.is_nan().then_some(64));
    }
    let bits = integer32(op, a, b, c)
        .map(u64::from)
        .or_else(|| integer64(op, a, b))
        .or_else(|| comparison(op, a, b).map(u64::from))
        .or_else(|| moved(op, lane, a, b, c, active));
    (bits.unwrap_or_else(|| panic!("no rule for {op:?}")), None)
}

/// Values that overflow, divide badly, round or are no numbers, and others.
fn operand() -> impl Strategy<Value = u64> {
    let special = [
        0,
        1,
        2,
        31,
        32,
        64,
        u64::MAX,
        1 << 63,
        1 << 31,
        0x8000_0000_8000_0000,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        2.5_f64.to_bits(),
        (-1e300_f64).to_bits(),
        5e-324_f64.to_bits(),
        u64::from(f32::NAN.to_bits()),
        u64::from(f32::INFINITY.to_bits()),
        u64::from((-0.5_f32).to_bits()),
        u64::from(3e9_f32.to_bits()),
        u64::from(1e-40_f32.to_bits()),
    ];
    let small = (-100_i32..100).prop_map(|value| u64::from((value as f32 / 4.0).to_bits()));
    let small_double = (-100_i32..100).prop_map(|value| (f64::from(value) / 4.0).to_bits());
    prop_oneof![
        any::<u64>(),
        prop::sample::select(special.to_vec()),
        small,
        small_double,
        0_u64..100
    ]
}

fn check(op: Op, dst: u16, operands: &[[u64; 3]], active: u32) -> Result<(), TestCaseError> {
    let geometry = Geometry::new([5, 6, 7], [4, 4, 2]);
    let mut image = vec![[0_u32; WARP_LANES]; 8];
    image[usize::from(DST)] = [0xdead_beef; WARP_LANES];
    for (lane, values) in operands.iter().enumerate() {
        for (register, value) in [A, B, C].into_iter().zip(values) {
            image[usize::from(register)][lane] = *value as u32;
            image[usize::from(register) + 1][lane] = (*value >> 32) as u32;
        }
    }
    let constants = [CONSTANT];
    let mut lanes = Lanes::new(&image, &geometry, &constants);
    lanes.block = [1, 2, 3];
    lanes.set_active(active);
    let operation = lane_operation(op).expect("is one of registers");
    let instruction = Instruction {
        op,
        dst,
        a: A,
        b: B,
        c: C,
        imm: if op == Op::Const64 { 0 } else { IMMEDIATE },
    };
    operation(&mut lanes, instruction);
    let is_wide = op.operands().contains(&Operand::Dst64);
    let before: (Vector, Vector) = (image[usize::from(dst)], image[usize::from(dst) + 1]);
    for (lane, values) in operands.iter().enumerate() {
        let (low, high) = (lanes.get(dst)[lane], lanes.get(dst + 1)[lane]);
        let found = u64::from(low) | u64::from(high) << 32;
        let old = u64::from(before.0[lane]) | u64::from(before.1[lane]) << 32;
        if active >> lane & 1 == 0 {
            prop_assert_eq!(found, old, "{:?} changed idle lane {}", op, lane);
            continue;
        }
        let found = if is_wide { found } else { low.into() };
        let (bits, nan) = expected(op, lane as u32, *values, active);
        let is_nan = match nan {
            Some(32) => float(found).is_nan(),
            Some(_) => f64::from_bits(found).is_nan(),
            None => false,
        };
        prop_assert!(
            is_nan || found == bits,
            "{op:?} {values:x?}: {found:x} {bits:x}"
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn operations_follow_their_rules_in_active_lanes(
        operands in prop::collection::vec(prop::array::uniform3(operand()), 32),
        mask in prop_oneof![Just(u32::MAX), any::<u32>()],
    ) {
        for &op in Op::ALL {
            // Its result is no register.
            if lane_operation(op).is_some() && op != Op::SyncWarp {
                check(op, DST, &operands, mask)?;
                check(op, A, &operands, mask)?;
                check(op, B, &operands, mask)?;
            }
        }
    }
}
