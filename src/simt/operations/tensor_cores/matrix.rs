//! What tensor cores compute: products of small matrices that lie over the lanes of a warp.
//!
//! The model is that of an H200, bit by bit on all of the half a million sums that were compared with
//! one: the 16 products and the sum before them are exact; each is cut off, towards zero, 25 binary
//! places behind the exponent of the greatest, where a product's exponent is the sum of its factors';
//! they are added without error; the result is cut off towards zero to float, or rounded to the
//! nearest half. Zeros have no sign, and there is one NaN.

use crate::ir::{Instruction, Op, Register};
use crate::launch::{WARP_LANES, f16_nearest};
use crate::simt::warp::{Lanes, Vector};

/// Rows of the first matrix and of the sums.
pub const ROWS: usize = 16;
/// Columns of the second matrix and of the sums.
pub const COLUMNS: usize = 8;
/// Products of a sum.
pub const DEPTH: usize = 16;
/// Binary places that a term keeps behind the exponent of the greatest.
pub const PLACES: i32 = 25;
/// The one NaN that comes out.
const NAN: u32 = 0x7fff_ffff;

/// How numbers are laid out in their low bits.
#[derive(Clone, Copy)]
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};
const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
};
const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
};

/// Ten bits of a float's fraction: those behind them are shifted away first.
const TF32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 10,
};

/// `significand * 2^(exponent - places)`, with as many places as the format (or the product of two)
/// has; or no number, or none that is finite: then `odd` is it.
#[derive(Clone, Copy, Default)]
struct Number {
    significand: i64,
    exponent: i32,
    odd: Option<f64>,
}

impl Format {
    fn read(self, bits: u32) -> Number {
        let mask = (1 << self.exponent_bits) - 1;
        let field = bits >> self.fraction_bits & mask;
        let fraction = i64::from(bits & ((1 << self.fraction_bits) - 1));
        let is_negative = bits >> (self.exponent_bits + self.fraction_bits) & 1 == 1;
        let sign = if is_negative { -1 } else { 1 };
        // Denormals have no hidden bit, and the exponent of the smallest normal number.
        let hidden = if field > 0 {
            1 << self.fraction_bits
        } else {
            0
        };
        let odd = (field == mask).then_some(match fraction {
            0 => sign as f64 * f64::INFINITY,
            _ => f64::NAN,
        });
        Number {
            significand: sign * (fraction | hidden),
            exponent: field.max(1) as i32 - (mask >> 1) as i32,
            odd,
        }
    }
}

impl Number {
    fn times(self, other: Number) -> Number {
        let odd = self.odd.or(other.odd).map(|_| self.rough() * other.rough());
        Number {
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
            odd,
        }
    }

    /// A number of the same sign and kind.
    fn rough(self) -> f64 {
        self.odd.unwrap_or(self.significand as f64)
    }

    /// What is left of it `PLACES` places behind `greatest`, in units of the last of them.
    fn cut(self, places: i32, greatest: i32) -> i64 {
        let shift = self.exponent - places - greatest + PLACES;
        match shift {
            // Left where the term is the greatest; bits that leave to the right are cut off towards
            // zero.
            0.. => self.significand << shift,
            -62.. => self.significand / (1 << -shift),
            _ => 0,
        }
    }
}

/// The formats of an instruction's factors and sums.
fn formats(op: Op) -> (Format, Format) {
    match op {
        Op::MmaF32Bf16 => (BF16, F32),
        Op::MmaF32Tf32 | Op::MmaF32Tf32K4 => (TF32, F32),
        Op::MmaF16F16 => (F16, F16),
        _ => (F16, F32),
    }
}

/// Registers of the factor on the left, and of that on the right.
pub fn registers_of_factors(op: Op) -> [usize; 2] {
    match op {
        Op::MmaF32Tf32 => [4, 2],
        _ => [8, 4],
    }
}

/// Row of an element of the left factor, and its place along the sum.
#[inline(always)]
pub fn place_on_the_left(op: Op, lane: usize, element: usize) -> (usize, usize) {
    match op {
        Op::MmaF32Tf32 => (lane / 4 + 8 * (element % 2), lane % 4 + 4 * (element / 2)),
        _ => {
            let row = lane / 4 + 8 * (element / 2 % 2);
            (row, lane % 4 * 2 + element % 2 + 8 * (element / 4))
        }
    }
}

/// Place along the sum of an element of the right factor, and its column.
#[inline(always)]
pub fn place_on_the_right(op: Op, lane: usize, element: usize) -> (usize, usize) {
    match op {
        Op::MmaF32Tf32 => (lane % 4 + 4 * element, lane / 4),
        _ => (lane % 4 * 2 + element % 2 + 8 * (element / 2), lane / 4),
    }
}

/// Row and column of the sum that a lane has in an element.
#[inline(always)]
pub fn place_of_sum(lane: usize, element: usize) -> (usize, usize) {
    (lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2)
}

/// Sets the four sums of each lane, by what `sum` makes of the row, the column and the bits before.
#[inline(always)]
pub fn set_sums(lanes: &mut Lanes<'_>, i: Instruction, sum: impl Fn(usize, usize, u32) -> u32) {
    let mut results: [Vector; 4] = [[0; WARP_LANES]; 4];
    for (element, result) in results.iter_mut().enumerate() {
        let before = lanes.get(i.c + element as Register);
        for lane in 0..WARP_LANES {
            let (row, column) = place_of_sum(lane, element);
            result[lane] = sum(row, column, before[lane]);
        }
    }
    // Only now: the results may go where the sums came from.
    for (element, result) in results.into_iter().enumerate() {
        lanes.set(i.dst + element as Register, result);
    }
}

/// Adds a product of matrices to sums, all of which lie over the lanes as PTX has it for
/// `mma.m16n8k16` or, of tf32, `mma.m16n8k8`, an element a register: any numbers, one sum at a time.
pub fn multiply(lanes: &mut Lanes<'_>, i: Instruction) {
    let (factors, sums) = formats(i.op);
    let is_tf32 = matches!(i.op, Op::MmaF32Tf32 | Op::MmaF32Tf32K4);
    let dropped = if is_tf32 { 13 } else { 0 };
    let [of_a, of_b] = registers_of_factors(i.op);
    let mut a = [[Number::default(); DEPTH]; ROWS];
    let mut b = [[Number::default(); DEPTH]; COLUMNS];
    for lane in 0..WARP_LANES {
        let value = |first: Register, element: usize| {
            factors.read(lanes.get(first + element as Register)[lane] >> dropped)
        };
        for element in 0..of_a {
            let (row, at) = place_on_the_left(i.op, lane, element);
            a[row][at] = value(i.a, element);
        }
        for element in 0..of_b {
            let (at, column) = place_on_the_right(i.op, lane, element);
            b[column][at] = value(i.b, element);
        }
    }
    set_sums(lanes, i, |row, column, before| {
        sum(&a[row], &b[column], sums.read(before), i.op)
    });
}

/// One sum: the bits of `before` and the products of a row with a column.
fn sum(row: &[Number; DEPTH], column: &[Number; DEPTH], before: Number, op: Op) -> u32 {
    let (factors, sums) = formats(op);
    let mut products = [Number::default(); DEPTH];
    for (product, (a, b)) in products.iter_mut().zip(row.iter().zip(column)) {
        *product = a.times(*b);
    }
    let terms = || products.iter().chain([&before]);
    if terms().any(|term| term.odd.is_some()) {
        // Infinities of both signs make a NaN, as any NaN does; finite terms change nothing.
        let odd = terms().filter_map(|term| term.odd).sum::<f64>();
        return finish(odd, op);
    }
    let there = terms().filter(|term| term.significand != 0);
    let Some(greatest) = there.map(|term| term.exponent).max() else {
        return 0;
    };
    let places = 2 * factors.fraction_bits as i32;
    let cut = products.iter().map(|product| product.cut(places, greatest));
    let units = cut.sum::<i64>() + before.cut(sums.fraction_bits as i32, greatest);
    finish(units as f64 * 2_f64.powi(greatest - PLACES), op)
}

/// The bits of the result; the value has fewer than 53 bits.
fn finish(value: f64, op: Op) -> u32 {
    if op == Op::MmaF16F16 {
        let bits = u32::from(f16_nearest(value).to_bits());
        return match bits {
            0x8000 => 0,
            _ if value.is_nan() => NAN & 0x7fff,
            bits => bits,
        };
    }
    if value.is_nan() {
        return NAN;
    }
    // Rounded to nearest, and a step back where that led away from zero: so it is cut off. From 2^128 on it is
    // infinite.
    let nearest = value as f32;
    let is_past = f64::from(nearest).abs() > value.abs() && value.abs() < 2_f64.powi(128);
    match nearest.to_bits() - u32::from(is_past) {
        0x8000_0000 => 0,
        bits => bits,
    }
}

/// Turns 8 by 8 values over: lane l holds those at 2 * (l % 4) and behind it of row l / 4.
pub fn transpose(lanes: &mut Lanes<'_>, i: Instruction) {
    let pair = lanes.pair(i.a);
    let turned = |element: usize| {
        std::array::from_fn(|lane| {
            let (row, column) = (lane % 4 * 2 + element, lane / 4);
            let from = row * 4 + column / 2;
            match column % 2 {
                0 => pair.0[from],
                _ => pair.1[from],
            }
        })
    };
    let result = (turned(0), turned(1));
    lanes.set_pair(i.dst, result);
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::simt::warp::Geometry;

    #[derive(Deserialize)]
    struct Product {
        id: String,
        a: String,
        b: String,
        c: String,
        d: String,
    }

    #[derive(Deserialize)]
    struct Products {
        products: Vec<Product>,
    }

    /// A matrix of 16 by 16 from its bits.
    fn matrix(text: &str) -> Vec<[u32; 16]> {
        let digits = text.len() / 256;
        let value = |at: usize| u32::from_str_radix(&text[at * digits..(at + 1) * digits], 16);
        let row = |row: usize| std::array::from_fn(|at| value(16 * row + at).expect("has bits"));
        (0..16).map(row).collect()
    }

    /// The left or right half of `d`, with each element as the lane that holds it has it.
    fn half(product: &Product, half: usize) -> [Vector; 4] {
        let [a, b, c] = [&product.a, &product.b, &product.c].map(|text| matrix(text));
        let lane = |at: fn(usize, usize) -> (usize, usize), of: &[[u32; 16]], element, right| {
            std::array::from_fn(|lane| {
                let (row, column) = at(lane, element);
                of[row][column + right]
            })
        };
        let tall = |l: usize, e: usize| (l / 4 + 8 * (e / 2 % 2), l % 4 * 2 + e % 2 + 8 * (e / 4));
        let wide = |l: usize, e: usize| (l % 4 * 2 + e % 2 + 8 * (e / 2), l / 4);
        let sums = |l: usize, e: usize| (l / 4 + 8 * (e / 2), l % 4 * 2 + e % 2);
        let mut image: Vec<Vector> = (0..8).map(|e| lane(tall, &a, e, 0)).collect();
        image.extend((0..4).map(|e| lane(wide, &b, e, 8 * half)));
        image.extend((0..4).map(|e| lane(sums, &c, e, 8 * half)));
        let geometry = Geometry::new([1, 1, 1], [32, 1, 1], 1);
        let mut lanes = Lanes::new(&image, &geometry, &[]);
        lanes.set_active(u32::MAX);
        let op = match &product.id {
            id if id.starts_with("bf16_f32") => Op::MmaF32Bf16,
            id if id.starts_with("f16_f32") => Op::MmaF32F16,
            _ => Op::MmaF16F16,
        };
        // In place, as sums mostly are.
        let (dst, a, b, c, imm) = (12, 0, 8, 12, 0);
        let i = Instruction {
            op,
            dst,
            a,
            b,
            c,
            imm,
        };
        multiply(&mut lanes, i);
        std::array::from_fn(|element| *lanes.get(12 + element as Register))
    }

    #[test]
    fn products_have_the_bits_that_the_hardware_gives() {
        let text = include_str!("../../../../tests/tutor/fixtures/tensor_cores/products.json");
        let file: Products = serde_json::from_str(text).expect("is JSON");
        assert_eq!(file.products.len(), 12, "the fixture is there");
        for product in &file.products {
            let d = matrix(&product.d);
            for right in 0..2 {
                for (element, found) in half(product, right).iter().enumerate() {
                    for (lane, found) in found.iter().enumerate() {
                        let row = lane / 4 + 8 * (element / 2);
                        let column = lane % 4 * 2 + element % 2 + 8 * right;
                        let expected = d[row][column];
                        let id = &product.id;
                        assert_eq!(*found, expected, "{id}: row {row}, column {column}");
                    }
                }
            }
        }
    }

    #[test]
    fn turned_twice_is_as_it_was() {
        let geometry = Geometry::new([1, 1, 1], [32, 1, 1], 1);
        let register = |element| std::array::from_fn(|lane| 2 * lane as u32 + element);
        let mut lanes = Lanes::new(&[register(0), register(1)], &geometry, &[]);
        lanes.set_active(u32::MAX);
        let op = Op::Transpose;
        let (dst, a, b, c, imm) = (0, 0, 0, 0, 0);
        let i = Instruction {
            op,
            dst,
            a,
            b,
            c,
            imm,
        };
        transpose(&mut lanes, i);
        // Row 1, column 0 has come from row 0, column 1.
        assert_eq!(lanes.get(0)[4], 1);
        transpose(&mut lanes, i);
        assert_eq!(lanes.pair(0), (register(0), register(1)));
    }
}
