//! 32-bit integers.

use crate::ir::Op;
use crate::simt::warp::LaneOperation;

versions! {
operation operation_avx2(op) {
    let operation: LaneOperation = match op {
        Op::AddI32 => |l, i| l.binary(i, u32::wrapping_add),
        Op::SubI32 => |l, i| l.binary(i, u32::wrapping_sub),
        Op::MulI32 => |l, i| l.binary(i, u32::wrapping_mul),
        Op::MadI32 => |l, i| l.ternary(i, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Op::MulHiI32 => |l, i| {
            l.binary(i, |a, b| {
                ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
            })
        },
        Op::MulHiU32 => |l, i| l.binary(i, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        // Division by zero gives all ones on NVIDIA GPUs, and the remainder is the dividend.
        Op::DivI32 => |l, i| {
            l.binary(i, |a, b| if b == 0 { u32::MAX } else { quotient_i32(a, b) })
        },
        Op::DivU32 => |l, i| {
            l.binary(i, |a, b| if b == 0 { u32::MAX } else { quotient_u32(a, b) })
        },
        Op::RemI32 => |l, i| {
            l.binary(i, |a, b| {
                let rest = a.wrapping_sub(quotient_i32(a, b).wrapping_mul(b));
                if b == 0 { a } else { rest }
            })
        },
        Op::RemU32 => |l, i| {
            l.binary(i, |a, b| {
                let rest = a.wrapping_sub(quotient_u32(a, b).wrapping_mul(b));
                if b == 0 { a } else { rest }
            })
        },
        Op::MinI32 => |l, i| l.binary(i, |a, b| (a as i32).min(b as i32) as u32),
        Op::MinU32 => |l, i| l.binary(i, u32::min),
        Op::MaxI32 => |l, i| l.binary(i, |a, b| (a as i32).max(b as i32) as u32),
        Op::MaxU32 => |l, i| l.binary(i, u32::max),
        Op::AbsI32 => |l, i| l.unary(i, |a| (a as i32).wrapping_abs() as u32),
        Op::NegI32 => |l, i| l.unary(i, u32::wrapping_neg),
        Op::And32 => |l, i| l.binary(i, |a, b| a & b),
        Op::Or32 => |l, i| l.binary(i, |a, b| a | b),
        Op::Xor32 => |l, i| l.binary(i, |a, b| a ^ b),
        Op::Not32 => |l, i| l.unary(i, |a| !a),
        Op::Shl32 => |l, i| l.binary(i, |a, b| a.checked_shl(b).unwrap_or(0)),
        // Shifts clamp at 32 in PTX; Rust would wrap the distance.
        Op::ShrI32 => |l, i| l.binary(i, |a, b| ((a as i32) >> b.min(31)) as u32),
        Op::ShrU32 => |l, i| l.binary(i, |a, b| a.checked_shr(b).unwrap_or(0)),
        Op::Popc32 => |l, i| l.unary(i, u32::count_ones),
        Op::Clz32 => |l, i| l.unary(i, u32::leading_zeros),
        // `__ffs` counts from 1, and gives 0 where no bit is set.
        Op::Ffs32 => |l, i| {
            l.unary(i, |a| match a {
                0 => 0,
                a => a.trailing_zeros() + 1,
            })
        },
        Op::Brev32 => |l, i| l.unary(i, u32::reverse_bits),
        Op::BytePerm => |l, i| l.ternary(i, byte_perm),
        // `a` is the low word and `b` the high one, as `__funnelshift_l(lo, hi, shift)` has them.
        Op::FunnelL => |l, i| l.ternary(i, |a, b, c| (join(a, b) << (c & 31) >> 32) as u32),
        Op::FunnelLClamp => |l, i| l.ternary(i, |a, b, c| (join(a, b) << c.min(32) >> 32) as u32),
        Op::FunnelR => |l, i| l.ternary(i, |a, b, c| (join(a, b) >> (c & 31)) as u32),
        Op::FunnelRClamp => |l, i| l.ternary(i, |a, b, c| (join(a, b) >> c.min(32)) as u32),
        // `__mul24` takes the low 24 bits of each, with the sign in bit 23.
        Op::Mul24I32 => |l, i| {
            l.binary(i, |a, b| {
                let low = |value: u32| (value << 8) as i32 >> 8;
                low(a).wrapping_mul(low(b)) as u32
            });
        },
        Op::Mul24U32 => |l, i| {
            l.binary(i, |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff));
        },
        Op::SadI32 => |l, i| {
            l.ternary(i, |a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c));
        },
        Op::SadU32 => |l, i| l.ternary(i, |a, b, c| a.abs_diff(b).wrapping_add(c)),
        Op::HaddU32 => |l, i| l.binary(i, |a, b| (a & b) + ((a ^ b) >> 1)),
        Op::RhaddI32 => |l, i| {
            // What one of them has beyond the other's bits is half too much.
            l.binary(i, |a, b| {
                let (a, b) = (a as i32, b as i32);
                ((a | b) - ((a ^ b) >> 1)) as u32
            });
        },
        Op::RhaddU32 => |l, i| l.binary(i, |a, b| (a | b) - ((a ^ b) >> 1)),
        Op::Dp4aI32 => |l, i| {
            l.ternary(i, |a, b, c| {
                let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
                let product = |(a, b)| i32::from(a as i8) * i32::from(b as i8);
                products
                    .map(product)
                    .fold(c, |sum, x| sum.wrapping_add(x as u32))
            });
        },
        Op::Dp4aU32 => |l, i| {
            l.ternary(i, |a, b, c| {
                let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
                let product = |(a, b)| u32::from(a) * u32::from(b);
                products.map(product).fold(c, u32::wrapping_add)
            });
        },
        Op::Eq32 => |l, i| l.binary(i, |a, b| u32::from(a == b)),
        Op::Ne32 => |l, i| l.binary(i, |a, b| u32::from(a != b)),
        Op::LtI32 => |l, i| l.binary(i, |a, b| u32::from((a as i32) < b as i32)),
        Op::LeI32 => |l, i| l.binary(i, |a, b| u32::from(a as i32 <= b as i32)),
        Op::LtU32 => |l, i| l.binary(i, |a, b| u32::from(a < b)),
        Op::LeU32 => |l, i| l.binary(i, |a, b| u32::from(a <= b)),
        _ => return None,
    };
    Some(operation)
}
}

/// `a / b` of signed integers towards zero, wrapped; anything for `b` of 0. Through doubles, of which
/// processors divide several at once: a quotient that is no integer is at least `1 / b` away from
/// the next, which no rounding bridges.
#[inline(always)]
fn quotient_i32(a: u32, b: u32) -> u32 {
    low_bits((f64::from(a as i32) / f64::from(b as i32)).trunc())
}

/// The same of unsigned integers.
#[inline(always)]
fn quotient_u32(a: u32, b: u32) -> u32 {
    low_bits((f64::from(a) / f64::from(b)).trunc())
}

/// The low 32 bits of an integer of up to 33, signed or not: added to a number whose last bit is
/// worth one, they stand at the end of the mantissa.
#[inline(always)]
fn low_bits(value: f64) -> u32 {
    const ONES: f64 = 6_755_399_441_055_744.0;
    (value + ONES).to_bits() as u32
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// `prmt` of the PTX instruction set, in its default mode.
fn byte_perm(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = join(a, b).to_le_bytes();
    let byte = |at: usize| {
        let nibble = selector >> (4 * at) & 0xf;
        let byte = bytes[(nibble & 7) as usize];
        if nibble & 8 == 0 {
            byte
        } else {
            (byte as i8 >> 7) as u8
        }
    };
    u32::from_le_bytes(std::array::from_fn(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_size() -> impl Strategy<Value = u32> {
        let edges = prop::sample::select(vec![0, 1, 2, 3, u32::MAX, 1 << 31, (1 << 31) - 1]);
        prop_oneof![any::<u32>(), 0_u32..100, edges]
    }

    proptest! {
        #[test]
        fn quotients_are_those_of_integers(a in any_size(), b in any_size(), c in 0_u32..3) {
            // Near multiples rounding is hardest.
            let near = a.wrapping_mul(b).wrapping_add(c).wrapping_sub(1);
            for a in [a, near] {
                prop_assume!(b != 0);
                prop_assert_eq!(quotient_i32(a, b), (a as i32).wrapping_div(b as i32) as u32);
                prop_assert_eq!(quotient_u32(a, b), a / b);
            }
        }
    }
}
