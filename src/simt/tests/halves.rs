//! The rules of 16-bit floats, found without the roundings that the operations use.

use half::{bf16, f16};

use crate::ir::Op;

/// The 16-bit format nearest to the sum of two doubles without a rounding between, by search: the
/// neighbours of a first guess, ties to even.
fn nearest(is_bf16: bool, a: f64, b: f64) -> u16 {
    let value = |bits: u16| match is_bf16 {
        true => bf16::from_bits(bits).to_f64(),
        false => f16::from_bits(bits).to_f64(),
    };
    let sum = a + b;
    let guess = match is_bf16 {
        true => bf16::from_f32(sum as f32).to_bits(),
        false => f16::from_f32(sum as f32).to_bits(),
    };
    if !value(guess).is_finite() || sum == 0.0 {
        return guess;
    }
    // The sum is `sum + rest` exactly.
    let part = sum - a;
    let rest = (a - (sum - part)) + (b - part);
    let step = |by: i32| (i32::from(guess & 0x7fff) + by).max(0) as u16 | guess & 0x8000;
    let distance = |bits: u16| {
        let far = value(bits) - sum;
        let key = (far - rest).abs();
        // Doubles may not tell a tie from a near tie: the sign of the rest does.
        let tie = if (far - rest) - far == 0.0 {
            -rest * far.signum()
        } else {
            0.0
        };
        (key, tie, bits & 1)
    };
    let near = [step(-1), guess, step(1)]
        .into_iter()
        .filter(|&bits| value(bits).is_finite());
    let best = near.min_by(|&x, &y| {
        let order = distance(x).partial_cmp(&distance(y));
        order.expect("no number is missing")
    });
    best.expect("the guess is finite")
}

/// Operations on 16-bit floats: their bits, and whether any NaN will do.
pub fn halves(op: Op, a: u64, b: u64, c: u64) -> Option<(u32, bool)> {
    let is_bf16 = op.mnemonic().contains("bf16");
    let value = |bits: u64| match is_bf16 {
        true => bf16::from_bits(bits as u16).to_f64(),
        false => f16::from_bits(bits as u16).to_f64(),
    };
    let (x, y, z) = (value(a), value(b), value(c));
    // Exact in double precision, or as the sum of two doubles.
    let (sum, rest) = match op {
        Op::AddF16 | Op::AddBf16 => (x, y),
        Op::SubF16 | Op::SubBf16 => (x, -y),
        Op::MulF16 | Op::MulBf16 => (x * y, -0.0),
        Op::FmaF16 | Op::FmaBf16 => (x * y, z),
        // A quotient of two short numbers is never so near a tie that 53 bits cannot tell.
        Op::DivF16 | Op::DivBf16 => (x / y, -0.0),
        Op::F32ToF16 | Op::F32ToBf16 => (f32::from_bits(a as u32).into(), -0.0),
        Op::F64ToF16 | Op::F64ToBf16 => (f64::from_bits(a), -0.0),
        Op::I64ToF16 | Op::I64ToBf16 => {
            let high = (a as i64 >> 32 << 32) as f64;
            (high, (a & 0xffff_ffff) as f64)
        }
        Op::U64ToF16 | Op::U64ToBf16 => ((a >> 32 << 32) as f64, (a & 0xffff_ffff) as f64),
        Op::MinF16 | Op::MaxF16 | Op::MinBf16 | Op::MaxBf16 => {
            let is_min = matches!(op, Op::MinF16 | Op::MinBf16);
            let chosen = match (x.is_nan(), y.is_nan()) {
                (true, _) => b,
                (false, true) => a,
                _ if (x.total_cmp(&y).is_lt()) == is_min => a,
                _ => b,
            };
            return Some((chosen as u32 & 0xffff, value(chosen).is_nan()));
        }
        Op::NegB16 => return Some(((a ^ 0x8000) as u32 & 0xffff, false)),
        Op::AbsB16 => return Some((a as u32 & 0x7fff, false)),
        Op::EqF16 | Op::EqBf16 => return Some((u32::from(x == y), false)),
        Op::NeF16 | Op::NeBf16 => return Some((u32::from(x != y), false)),
        Op::LtF16 | Op::LtBf16 => return Some((u32::from(x < y), false)),
        Op::LeF16 | Op::LeBf16 => return Some((u32::from(x <= y), false)),
        _ => return None,
    };
    if (sum + rest).is_nan() {
        return Some((0, true));
    }
    Some((nearest(is_bf16, sum, rest).into(), false))
}

/// Whether the bits are no number, in the format that `op` gives.
pub fn nan16(op: Op, bits: u16) -> bool {
    match op.mnemonic().contains("bf16") {
        true => bf16::from_bits(bits).is_nan(),
        false => f16::from_bits(bits).is_nan(),
    }
}
