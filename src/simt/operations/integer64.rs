//! 64-bit integers.

use crate::ir::Op;
use crate::simt::warp::LaneOperation;

versions! {
operation operation_avx2(op) {
    let operation: LaneOperation = match op {
        Op::AddI64 => |l, i| l.binary64(i, u64::wrapping_add),
        Op::SubI64 => |l, i| l.binary64(i, u64::wrapping_sub),
        Op::MulI64 => |l, i| l.binary64(i, u64::wrapping_mul),
        Op::DivI64 => |l, i| {
            l.binary64(i, |a, b| match b {
                0 => u64::MAX,
                // The least number by -1 does not fit: Rust's own division would panic.
                b => (a as i64).wrapping_div(b as i64) as u64,
            })
        },
        Op::DivU64 => |l, i| l.binary64(i, |a, b| a.checked_div(b).unwrap_or(u64::MAX)),
        Op::RemI64 => |l, i| {
            l.binary64(i, |a, b| match b {
                0 => a,
                b => (a as i64).wrapping_rem(b as i64) as u64,
            })
        },
        Op::RemU64 => |l, i| l.binary64(i, |a, b| a.checked_rem(b).unwrap_or(a)),
        Op::MinI64 => |l, i| l.binary64(i, |a, b| (a as i64).min(b as i64) as u64),
        Op::MinU64 => |l, i| l.binary64(i, u64::min),
        Op::MaxI64 => |l, i| l.binary64(i, |a, b| (a as i64).max(b as i64) as u64),
        Op::MaxU64 => |l, i| l.binary64(i, u64::max),
        Op::NegI64 => |l, i| l.unary64(i, u64::wrapping_neg),
        Op::And64 => |l, i| l.binary64(i, |a, b| a & b),
        Op::Or64 => |l, i| l.binary64(i, |a, b| a | b),
        Op::Xor64 => |l, i| l.binary64(i, |a, b| a ^ b),
        Op::Not64 => |l, i| l.unary64(i, |a| !a),
        // By 64 and more nothing is left, as on the GPU; Rust's own shift would take the distance modulo 64.
        Op::Shl64 => |l, i| l.shift64(i, |a, b| a.checked_shl(b).unwrap_or(0)),
        Op::ShrI64 => |l, i| l.shift64(i, |a, b| ((a as i64) >> b.min(63)) as u64),
        Op::ShrU64 => |l, i| l.shift64(i, |a, b| a.checked_shr(b).unwrap_or(0)),
        Op::MulHiI64 => |l, i| {
            l.binary64(i, |a, b| {
                ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
            });
        },
        Op::MulHiU64 => |l, i| {
            l.binary64(i, |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64);
        },
        Op::Popc64 => |l, i| l.narrow(i, u64::count_ones),
        Op::Clz64 => |l, i| l.narrow(i, u64::leading_zeros),
        Op::Ffs64 => |l, i| {
            l.narrow(i, |a| match a {
                0 => 0,
                a => a.trailing_zeros() + 1,
            });
        },
        Op::Brev64 => |l, i| l.unary64(i, u64::reverse_bits),
        Op::Eq64 => |l, i| l.compare64(i, |a, b| a == b),
        Op::Ne64 => |l, i| l.compare64(i, |a, b| a != b),
        Op::LtI64 => |l, i| l.compare64(i, |a, b| (a as i64) < b as i64),
        Op::LeI64 => |l, i| l.compare64(i, |a, b| a as i64 <= b as i64),
        Op::LtU64 => |l, i| l.compare64(i, |a, b| a < b),
        Op::LeU64 => |l, i| l.compare64(i, |a, b| a <= b),
        _ => return None,
    };
    Some(operation)
}
}
