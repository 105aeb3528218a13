//! Products of tensor cores, eight sums at a time, by the rules of `matrix` and with its bits.
//!
//! Where no factor is denormal (but for halves), very large or very small, all that the rules say can be said of floats:
//! a product of two short significands is exact, so is its scaling by a power of two that makes a unit of the place where
//! terms are cut off, and a conversion to an integer cuts. Other factors are left to `matrix`, whose way takes 30 times
//! as long.

use super::matrix::{
    COLUMNS, DEPTH, PLACES, ROWS, place_of_sum, place_on_the_left, place_on_the_right,
    registers_of_factors, set_sums,
};
use crate::ir::{Instruction, Op, Register};
use crate::launch::{WARP_LANES, odd_f32};
use crate::simt::operations::{f16_to_f32, to_f16};
use crate::simt::warp::{Lanes, Vector};

/// Exponents that factors may have, and those of sums before the products: no product of the powers of two leaves the
/// range of normal floats.
pub const FACTORS: [i32; 2] = [-50, 50];
pub const SUMS: [i32; 2] = [-100, 120];
/// Less than any product of factors, as a power of two.
pub const LEAST_POWER: u32 = power_of_two(-100);

/// The bits of a power of two.
pub const fn power_of_two(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

type Row = [f32; COLUMNS];

/// Values of a matrix, and of each the power of two of its exponent, or 0 of a zero.
struct Matrix<const LINES: usize, const LENGTH: usize> {
    values: [[f32; LENGTH]; LINES],
    powers: [[f32; LENGTH]; LINES],
}

impl<const LINES: usize, const LENGTH: usize> Matrix<LINES, LENGTH> {
    /// From registers, whose lanes stand where `place` says; nothing if an exponent is not within `range`. `least` is the
    /// exponent of denormals.
    #[inline(always)]
    fn new(
        registers: &[Vector],
        to_float: impl Fn(u32) -> f32,
        place: impl Fn(usize, usize) -> (usize, usize),
        [low, high]: [i32; 2],
        least: i32,
    ) -> Option<Self> {
        let mut values = [[0.0; LENGTH]; LINES];
        let mut strays = 0;
        for (element, register) in registers.iter().enumerate() {
            let mut floats = [0.0; WARP_LANES];
            for lane in 0..WARP_LANES {
                let value = to_float(register[lane]);
                let bits = value.to_bits() & 0x7fff_ffff;
                let is_inside = bits >= power_of_two(low) && bits < power_of_two(high + 1);
                strays |= u32::from(bits != 0 && !is_inside);
                floats[lane] = value;
            }
            for (lane, value) in floats.into_iter().enumerate() {
                let (line, at) = place(lane, element);
                values[line][at] = value;
            }
        }
        if strays != 0 {
            return None;
        }
        let mut powers = [[0.0; LENGTH]; LINES];
        for (powers, values) in powers.iter_mut().zip(&values) {
            for (power, value) in powers.iter_mut().zip(values) {
                let bits = (value.to_bits() & 0x7f80_0000).max(power_of_two(least));
                *power = if *value == 0.0 {
                    0.0
                } else {
                    f32::from_bits(bits)
                };
            }
        }
        Some(Matrix { values, powers })
    }
}

/// What a product is made of.
struct Operands {
    a: Matrix<ROWS, DEPTH>,
    b: Matrix<DEPTH, COLUMNS>,
    /// The sums before it.
    sums: Matrix<ROWS, COLUMNS>,
}

impl Operands {
    /// From an instruction's registers; nothing if a value is of an unusual size.
    #[inline(always)]
    fn new(lanes: &Lanes<'_>, i: Instruction) -> Option<Self> {
        let is_half = !matches!(i.op, Op::MmaF32Bf16 | Op::MmaF32Tf32 | Op::MmaF32Tf32K4);
        let least = if is_half { -14 } else { -126 };
        let least_sum = if i.op == Op::MmaF16F16 { -14 } else { -126 };
        let to_float = |bits: u32| match i.op {
            Op::MmaF32Bf16 => f32::from_bits(bits << 16),
            // Ten bits of the fraction are taken.
            Op::MmaF32Tf32 | Op::MmaF32Tf32K4 => f32::from_bits(bits & !0x1fff),
            _ => f16_to_f32(bits as u16),
        };
        let to_sum = |bits: u32| match i.op {
            Op::MmaF16F16 => f16_to_f32(bits as u16),
            _ => f32::from_bits(bits),
        };
        let [of_a, of_b] = registers_of_factors(i.op);
        Some(Operands {
            a: Matrix::new(
                &registers::<8>(lanes, i.a, of_a),
                to_float,
                |lane, element| place_on_the_left(i.op, lane, element),
                FACTORS,
                least,
            )?,
            b: Matrix::new(
                &registers::<4>(lanes, i.b, of_b),
                to_float,
                |lane, element| place_on_the_right(i.op, lane, element),
                FACTORS,
                least,
            )?,
            sums: Matrix::new(
                &registers::<4>(lanes, i.c, 4),
                to_sum,
                place_of_sum,
                SUMS,
                least_sum,
            )?,
        })
    }
}

/// So many registers from the first on, and zeros where an instruction has fewer.
#[inline(always)]
fn registers<const MOST: usize>(
    lanes: &Lanes<'_>,
    first: Register,
    count: usize,
) -> [Vector; MOST] {
    std::array::from_fn(|at| match at < count {
        true => *lanes.get(first + at as Register),
        false => [0; WARP_LANES],
    })
}

/// Adds a product of matrices to sums, as [`super::matrix::multiply`] does; whether it could.
pub fn multiply(lanes: &mut Lanes<'_>, i: Instruction) -> bool {
    let Some(Operands { a, b, sums: before }) = Operands::new(lanes, i) else {
        return false;
    };
    let mut sums = [[0; COLUMNS]; ROWS];
    for (row, sums) in sums.iter_mut().enumerate() {
        let before = [before.values[row], before.powers[row]];
        *sums = row_of_sums([&a.values[row], &a.powers[row]], &b, before, i.op);
    }
    set_sums(lanes, i, |row, column, _| sums[row][column]);
    true
}

/// The sums of one row: their bits.
#[inline(always)]
fn row_of_sums(
    [a, a_powers]: [&[f32; DEPTH]; 2],
    b: &Matrix<DEPTH, COLUMNS>,
    [before, before_powers]: [Row; 2],
    op: Op,
) -> [u32; COLUMNS] {
    // What is cut is finite and below 2^27.
    let cut = |value: f32| value as i32;
    let mut greatest = before_powers.map(|power| power.max(f32::from_bits(LEAST_POWER)));
    for (a_power, b_powers) in a_powers.iter().zip(&b.powers) {
        for (greatest, b_power) in greatest.iter_mut().zip(b_powers) {
            let power = a_power * b_power;
            *greatest = if power > *greatest { power } else { *greatest };
        }
    }
    // 2^PLACES over the greatest, by its exponent.
    let scale = greatest.map(|power| {
        let unit = power_of_two(PLACES) + power_of_two(0);
        f32::from_bits(unit - power.to_bits())
    });
    // 16 products of less than 2^27 units stay below 2^31.
    let mut units = [0_i32; COLUMNS];
    for (a, b) in a.iter().zip(&b.values) {
        for (column, units) in units.iter_mut().enumerate() {
            *units = units.wrapping_add(cut(a * b[column] * scale[column]));
        }
    }
    let mut sums = [0; COLUMNS];
    for column in 0..COLUMNS {
        let before = cut(before[column] * scale[column]);
        let units = f64::from(units[column]) + f64::from(before);
        let value = units * f64::from(greatest[column]) * (1.0 / (1 << PLACES) as f64);
        sums[column] = match op {
            Op::MmaF16F16 => to_f16(odd_f32(value)),
            _ => cut_off(value),
        };
    }
    sums
}

/// The float next to a double, towards zero.
#[inline(always)]
fn cut_off(value: f64) -> u32 {
    let nearest = value as f32;
    let is_past = f64::from(nearest).abs() > value.abs();
    nearest.to_bits() - u32::from(is_past)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simt::operations::tensor_cores::matrix;
    use crate::simt::warp::Geometry;

    const OPERATIONS: [Op; 5] = [
        Op::MmaF32F16,
        Op::MmaF16F16,
        Op::MmaF32Bf16,
        Op::MmaF32Tf32,
        Op::MmaF32Tf32K4,
    ];

    /// Numbers of one size or of many, as floats; some of them zeros of both signs.
    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => any::<i32>().prop_map(|bits| bits as f32 / (1 << 30) as f32),
            2 => (any::<i16>(), -20_i32..16).prop_map(|(bits, exponent)| f32::from(bits) * 2_f32.powi(exponent - 15)),
            1 => prop::sample::select(vec![0.0, -0.0, 1.0, 5.0e-7, -65_504.0, 6.1e-5]),
        ]
    }

    /// The bits of a factor or sum.
    fn bits_of(value: f32, op: Op, is_sum: bool) -> u32 {
        match (op, is_sum) {
            (Op::MmaF16F16, _) | (Op::MmaF32F16, false) => {
                half::f16::from_f32(value).to_bits().into()
            }
            (Op::MmaF32Bf16, false) => half::bf16::from_f32(value).to_bits().into(),
            _ => value.to_bits(),
        }
    }

    fn results(image: &[Vector], multiply: impl Fn(&mut Lanes<'_>) -> bool) -> Option<[Vector; 4]> {
        let geometry = Geometry::new([1, 1, 1], [32, 1, 1], 1);
        let mut lanes = Lanes::new(image, &geometry, &[]);
        lanes.set_active(u32::MAX);
        let is_done = multiply(&mut lanes);
        is_done.then(|| std::array::from_fn(|element| *lanes.get(12 + element as Register)))
    }

    proptest! {
        #[test]
        fn sums_have_the_bits_that_one_at_a_time_gives(
            values in prop::collection::vec(number(), 16 * WARP_LANES),
            op in prop::sample::select(OPERATIONS.to_vec()),
        ) {
            let registers = values.chunks(WARP_LANES).enumerate();
            let image: Vec<Vector> = registers
                .map(|(at, values)| std::array::from_fn(|lane| bits_of(values[lane], op, at >= 12)))
                .collect();
            let (dst, a, b, c, imm) = (12, 0, 8, 12, 0);
            let i = Instruction { op, dst, a, b, c, imm };
            let expected = results(&image, |lanes| {
                matrix::multiply(lanes, i);
                true
            });
            let plain = results(&image, |lanes| multiply(lanes, i));
            prop_assert!(plain.is_some(), "all of these numbers are of a moderate size");
            prop_assert_eq!(plain, expected);
            #[cfg(target_arch = "x86_64")]
            if crate::simt::operations::has_avx2() && op != Op::MmaF16F16 {
                let fast = results(&image, |lanes| crate::simt::operations::tensor_cores::avx2::multiply(lanes, i));
                prop_assert_eq!(fast, expected);
            }
        }
    }

    #[test]
    fn numbers_of_unusual_sizes_are_left_alone() {
        for bits in [f32::NAN, f32::INFINITY, 1e30, 1e-30, 1e-40].map(f32::to_bits) {
            let mut image = vec![[0; WARP_LANES]; 16];
            image[3][7] = bits;
            let (op, dst, a, b, c, imm) = (Op::MmaF32Tf32, 12, 0, 8, 12, 0);
            let i = Instruction {
                op,
                dst,
                a,
                b,
                c,
                imm,
            };
            assert_eq!(results(&image, |lanes| multiply(lanes, i)), None);
        }
    }
}
