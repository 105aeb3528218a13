//! What tensor cores compute of bytes and of doubles, whose sums follow the rules of ordinary arithmetic.

use crate::ir::{Instruction, Op, Register};
use crate::launch::WARP_LANES;
use crate::simt::warp::{Lanes, Vector};

/// Rows of the first matrix of bytes.
const ROWS: usize = 16;
/// Columns of the second.
const COLUMNS: usize = 8;
/// Most products of a sum.
const DEPTH: usize = 32;

/// Adds a product of bytes to sums of `int`, which wrap. They lie over the lanes as PTX has it for `mma.m16n8k16` and
/// `mma.m16n8k32`, four neighbours a register.
pub fn multiply_bytes(lanes: &mut Lanes<'_>, i: Instruction) {
    let is_signed = matches!(i.op, Op::MmaS32S8 | Op::MmaS32S8K32);
    let registers = match i.op {
        Op::MmaS32S8K32 | Op::MmaS32U8K32 => 2,
        _ => 1,
    };
    let a: [[i32; DEPTH]; ROWS] = factors(lanes, i.a, 2 * registers, is_signed);
    let b: [[i32; DEPTH]; COLUMNS] = factors(lanes, i.b, registers, is_signed);
    let mut results: [Vector; 4] = [[0; WARP_LANES]; 4];
    for (element, result) in results.iter_mut().enumerate() {
        let before = lanes.get(i.c + element as Register);
        for lane in 0..WARP_LANES {
            let row = &a[lane / 4 + 8 * (element / 2)];
            let column = &b[lane % 4 * 2 + element % 2];
            let products = row.iter().zip(column).map(|(a, b)| a * b);
            let sum = products.fold(before[lane] as i32, i32::wrapping_add);
            result[lane] = sum as u32;
        }
    }
    for (element, result) in results.into_iter().enumerate() {
        lanes.set(i.dst + element as Register, result);
    }
}

/// The lines of a matrix of bytes that lies in registers from `first` on: four neighbours of a line each, of all groups of
/// eight lines before the elements behind them.
fn factors<const LINES: usize>(
    lanes: &Lanes<'_>,
    first: Register,
    registers: usize,
    is_signed: bool,
) -> [[i32; DEPTH]; LINES] {
    let groups = LINES / 8;
    let mut lines = [[0; DEPTH]; LINES];
    for register in 0..registers {
        let words = lanes.get(first + register as Register);
        for (lane, word) in words.iter().enumerate() {
            let line = &mut lines[lane / 4 + 8 * (register % groups)];
            let at = lane % 4 * 4 + 16 * (register / groups);
            for (value, byte) in line[at..].iter_mut().zip(word.to_le_bytes()) {
                *value = match is_signed {
                    true => i32::from(byte as i8),
                    false => i32::from(byte),
                };
            }
        }
    }
    lines
}

/// Adds a product of 8 by 4 and 4 by 8 doubles to sums, one multiplication and addition without rounding between at a
/// time. They lie over the lanes as PTX has it for `mma.m8n8k4`.
pub fn multiply_doubles(lanes: &mut Lanes<'_>, i: Instruction) {
    let double = |first: Register, lane: usize| {
        let [low, high] = [first, first + 1].map(|register| u64::from(lanes.get(register)[lane]));
        f64::from_bits(low | high << 32)
    };
    let sum = |lane: usize, element: usize| {
        let (row, column) = (lane / 4, lane % 4 * 2 + element);
        let before = double(i.c + 2 * element as Register, lane);
        let products = (0..4).map(|at| (double(i.a, 4 * row + at), double(i.b, 4 * column + at)));
        products
            .fold(before, |sum, (a, b)| a.mul_add(b, sum))
            .to_bits()
    };
    let results: [[u64; WARP_LANES]; 2] =
        std::array::from_fn(|element| std::array::from_fn(|lane| sum(lane, element)));
    for (register, result) in (i.dst..).step_by(2).zip(results) {
        lanes.set(register, result.map(|bits| bits as u32));
        lanes.set(register + 1, result.map(|bits| (bits >> 32) as u32));
    }
}
