//! What tensor cores compute of bytes and of doubles, whose sums follow the rules of ordinary arithmetic.

use super::matrix::{COLUMNS, ROWS, set_sums};
use crate::ir::{Instruction, Op, Register};
use crate::launch::WARP_LANES;
use crate::simt::warp::Lanes;

/// Most products of a sum of bytes.
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
    set_sums(lanes, i, |row, column, before| {
        let products = a[row].iter().zip(&b[column]).map(|(a, b)| a * b);
        products.fold(before as i32, i32::wrapping_add) as u32
    });
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
