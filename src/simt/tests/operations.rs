//! Every operation on registers against a plain scalar rule.

use proptest::prelude::*;

use crate::ir::{CaseTable, Instruction, Op, Operand};
use crate::launch::WARP_LANES;
use crate::simt::operations::lane_operation;
use crate::simt::warp::Geometry;
use crate::simt::warp::{Lanes, Vector};

use super::floats::{comparison, double, single};
use super::halves::{halves, nan16};

/// Registers of the operands, two each.
const DST: u16 = 0;
const A: u16 = 2;
const B: u16 = 4;
const C: u16 = 6;
/// An immediate, and the first constant.
const IMMEDIATE: u32 = 0x1234_5678;
const CONSTANT: u64 = 0x0123_4567_89ab_cdef;

/// Operations without a result, and those that have rules of their own below.
const OTHERS: [Op; 8] = [
    Op::SyncWarp,
    Op::Nop,
    Op::CopyCommit,
    Op::CopyWait,
    Op::SinPiF32,
    Op::CosPiF32,
    Op::SinPiF64,
    Op::CosPiF64,
];

pub fn signed(bits: u64) -> i32 {
    bits as u32 as i32
}

pub fn float(bits: u64) -> f32 {
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
        Op::BytePerm | Op::FunnelL | Op::FunnelLClamp | Op::FunnelR | Op::FunnelRClamp => {
            return Some(two_words(op, u128::from(x) | u128::from(y) << 32, c as u32));
        }
        Op::Mul24I32 => ((i << 40 >> 40) * (j << 40 >> 40)) as u32,
        Op::Mul24U32 => (m % (1 << 24) * (n % (1 << 24))) as u32,
        Op::SadI32 => ((i - j).abs() + i64::from(c as u32)) as u32,
        Op::SadU32 => (m.abs_diff(n) + u64::from(c as u32)) as u32,
        Op::HaddU32 => ((m + n) / 2) as u32,
        Op::RhaddI32 => ((i + j + 1).div_euclid(2)) as u32,
        Op::RhaddU32 => (m + n).div_ceil(2) as u32,
        Op::Dp4aI32 => bytes(a, b, |byte| i64::from(byte as i8), c),
        Op::Dp4aU32 => bytes(a, b, i64::from, c),
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

/// Shifts and permutations of 8 bytes.
fn two_words(op: Op, pair: u128, c: u32) -> u32 {
    match op {
        Op::FunnelL => (pair << (c % 32) >> 32) as u32,
        Op::FunnelLClamp => (pair << c.min(32) >> 32) as u32,
        Op::FunnelR => (pair >> (c % 32)) as u32,
        Op::FunnelRClamp => (pair >> c.min(32)) as u32,
        _ => (0..4)
            .map(|at| {
                let byte = (pair >> (8 * (c >> (4 * at) & 7)) & 0xff) as u32;
                let sign = if byte > 127 { 0xff } else { 0 };
                let spreads = c >> (4 * at) & 8 != 0;
                (if spreads { sign } else { byte }) << (8 * at)
            })
            .sum(),
    }
}

/// `c` plus the products of bytes.
fn bytes(a: u64, b: u64, read: impl Fn(u8) -> i64, c: u64) -> u32 {
    let byte = |word: u64, at: usize| read(word.to_le_bytes()[at]);
    let sum: i64 = (0..4).map(|at| byte(a, at) * byte(b, at)).sum();
    (sum + i64::from(c as u32)) as u32
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
        Op::MulHiI64 => ((i * j) >> 64) as u64,
        Op::MulHiU64 => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::Popc64 => (0..64).map(|bit| a >> bit & 1).sum(),
        Op::Clz64 => (0..64).take_while(|bit| a << bit >> 63 == 0).count() as u64,
        Op::Ffs64 => (0..64)
            .find(|bit| a >> bit & 1 == 1)
            .map_or(0, |bit| bit + 1),
        Op::Brev64 => (0..64).map(|bit| (a >> bit & 1) << (63 - bit)).sum(),
        Op::FrexpExponentF32 if !float(a).is_finite() => 0,
        Op::FrexpExponentF32 => u64::from(libm::frexpf(float(a)).1 as u32),
        Op::FrexpExponentF64 if !f64::from_bits(a).is_finite() => 0,
        Op::FrexpExponentF64 => u64::from(libm::frexp(f64::from_bits(a)).1 as u32),
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
        Op::QuarterF32 => {
            let turns = float(a) * std::f32::consts::FRAC_2_PI;
            u64::from(turns.round_ties_even() as i32 as u32)
        }
        Op::F32ToI32 => u64::from(float(a) as i32 as u32),
        Op::F32ToU32 => u64::from(float(a) as u32),
        Op::F64ToI32 => u64::from(f64::from_bits(a) as i32 as u32),
        Op::F64ToU32 => u64::from(f64::from_bits(a) as u32),
        _ => return None,
    })
}

/// Values and coordinates: of lane `lane` in the only warp of block (1, 2, 3).
fn moved(op: Op, lane: u32, a: u64, b: u64, c: u64, active: u32) -> Option<u64> {
    let chosen = if a as u32 != 0 { b } else { c };
    Some(match op {
        Op::Const32 => IMMEDIATE.into(),
        Op::Const64 => CONSTANT,
        // The table has two cases.
        Op::Case32 | Op::Case64 => {
            let value = if op == Op::Case32 { a & 0xffff_ffff } else { a };
            match value {
                2 => 7,
                u64::MAX => 8,
                _ => 9,
            }
        }
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
    if let Some((bits, is_nan)) = halves(op, a, b, c) {
        return (bits.into(), is_nan.then_some(16));
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
    let geometry = Geometry::new([5, 6, 7], [4, 4, 2], 1);
    let mut image = vec![[0_u32; WARP_LANES]; 8];
    image[usize::from(DST)] = [0xdead_beef; WARP_LANES];
    for (lane, values) in operands.iter().enumerate() {
        for (register, value) in [A, B, C].into_iter().zip(values) {
            image[usize::from(register)][lane] = *value as u32;
            image[usize::from(register) + 1][lane] = (*value >> 32) as u32;
        }
    }
    let table = CaseTable::constants(vec![(2, 7), (u64::MAX, 8)], 9);
    let constants = [vec![CONSTANT], table].concat();
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
        imm: match op {
            Op::Const64 => 0,
            Op::Case32 | Op::Case64 => 1,
            _ => IMMEDIATE,
        },
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
            Some(16) => nan16(op, found as u16),
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
            if lane_operation(op).is_some() && !OTHERS.contains(&op) {
                check(op, DST, &operands, mask)?;
                check(op, A, &operands, mask)?;
                check(op, B, &operands, mask)?;
            }
        }
    }
}
