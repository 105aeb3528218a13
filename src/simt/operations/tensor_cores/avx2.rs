//! Products of tensor cores by the rules of `matrix`, as `fragments` has them, for processors with AVX2: sums stay in the
//! order in which lanes hold them.
//!
//! Eight lanes are two lines of four sums, those of every other column. Of a factor on the left four lanes are neighbours
//! of a line, which four permutations spread; of a factor on the right they are neighbours of a column, which are turned
//! over once. In which order the products of a sum are taken does not matter, as none is rounded.

use std::arch::x86_64::*;

use super::fragments::{FACTORS, LEAST_POWER, SUMS, power_of_two};
use super::matrix::PLACES;
use crate::ir::{Instruction, Op, Register};
use crate::launch::WARP_LANES;
use crate::simt::operations::avx2::is_supported;
use crate::simt::operations::f16_to_f32;
use crate::simt::warp::{Lanes, Vector};

/// Numbers of a register, eight lanes at a time.
type Numbers = [__m256; WARP_LANES / 8];

/// A register of floats: its numbers, and of each the power of two of its exponent, or 0 of a zero.
#[derive(Clone, Copy)]
struct Floats {
    values: Numbers,
    powers: Numbers,
}

/// What values may be.
#[derive(Clone, Copy)]
struct Sizes {
    exponents: [i32; 2],
    /// The exponent of denormals.
    least: i32,
}

/// What a product is made of: registers of the left factor for the upper and the lower lines, one of the right factor for
/// each such pair, and the sums before.
struct Operands<const PAIRS: usize> {
    left: [[Floats; 2]; PAIRS],
    right: [Floats; PAIRS],
    sums: [Floats; 4],
}

/// Adds a product to sums, on a processor that is supported; whether the numbers are of usual sizes.
#[allow(unsafe_code)]
pub fn multiply(lanes: &mut Lanes<'_>, i: Instruction) -> bool {
    assert!(is_supported());
    // SAFETY: the processor has what the function is compiled for, as was just asked.
    unsafe { multiply_any(lanes, i) }
}

/// By how the registers of the factors lie (PTX ISA, matrix fragments).
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn multiply_any(lanes: &mut Lanes<'_>, i: Instruction) -> bool {
    match i.op {
        Op::MmaF32Tf32 => multiply_by(lanes, i, [[0, 1], [2, 3]], [0, 1]),
        _ => multiply_by(lanes, i, [[0, 2], [1, 3], [4, 6], [5, 7]], [0, 1, 2, 3]),
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn multiply_by<const PAIRS: usize>(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    left: [[Register; 2]; PAIRS],
    right: [Register; PAIRS],
) -> bool {
    let mut strays = _mm256_setzero_si256();
    let operands = operands(lanes, i, left, right, &mut strays);
    let sums = sums_of(&operands, &mut strays);
    let is_usual = _mm256_testz_si256(strays, strays) == 1;
    if is_usual {
        for (at, numbers) in sums.into_iter().enumerate() {
            lanes.set(i.dst + at as Register, vector(numbers));
        }
    }
    is_usual
}

/// What a product is made of; `strays` gets bits where a number is of no usual size.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn operands<const PAIRS: usize>(
    lanes: &Lanes<'_>,
    i: Instruction,
    left: [[Register; 2]; PAIRS],
    right: [Register; PAIRS],
    strays: &mut __m256i,
) -> Operands<PAIRS> {
    let sizes = |exponents, is_half| Sizes {
        exponents,
        least: if is_half { -14 } else { -126 },
    };
    let of_factors = sizes(FACTORS, i.op == Op::MmaF32F16);
    let none = Floats {
        values: [_mm256_setzero_ps(); 4],
        powers: [_mm256_setzero_ps(); 4],
    };
    let mut operands = Operands {
        left: [[none; 2]; PAIRS],
        right: [none; PAIRS],
        sums: [none; 4],
    };
    // Loops, not `map`, which would copy what it is given, by calls that the compiler does not know to be for AVX2.
    for (at, pair) in left.iter().enumerate() {
        for (half, register) in pair.iter().enumerate() {
            let bits = as_floats(i.op, lanes.get(i.a + register));
            read_floats(&bits, of_factors, &mut operands.left[at][half], strays);
        }
        let bits = as_floats(i.op, lanes.get(i.b + right[at]));
        read_floats(&bits, of_factors, &mut operands.right[at], strays);
    }
    for (at, into) in operands.sums.iter_mut().enumerate() {
        let bits = lanes.get(i.c + at as Register);
        read_floats(bits, sizes(SUMS, false), into, strays);
    }
    operands
}

/// The bits of a factor's elements as floats.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn as_floats(op: Op, register: &Vector) -> Vector {
    match op {
        Op::MmaF32Bf16 => register.map(|bits| bits << 16),
        // Ten bits of the fraction are taken.
        Op::MmaF32Tf32 | Op::MmaF32Tf32K4 => register.map(|bits| bits & !0x1fff),
        _ => register.map(|bits| f16_to_f32(bits as u16).to_bits()),
    }
}

/// Reads the numbers of a register; `strays` gets bits where one is of no usual size.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn read_floats(bits: &Vector, sizes: Sizes, into: &mut Floats, strays: &mut __m256i) {
    let zero = _mm256_setzero_si256();
    let word = |bits: u32| _mm256_set1_epi32(bits as i32);
    let [low, high] = sizes.exponents;
    for (at, bits) in words(bits).into_iter().enumerate() {
        let size = _mm256_and_si256(bits, word(0x7fff_ffff));
        let is_zero = _mm256_cmpeq_epi32(size, zero);
        let is_low = _mm256_cmpgt_epi32(word(power_of_two(low)), size);
        let is_high = _mm256_cmpgt_epi32(size, word(power_of_two(high + 1) - 1));
        let is_stray = _mm256_or_si256(_mm256_andnot_si256(is_zero, is_low), is_high);
        *strays = _mm256_or_si256(*strays, is_stray);
        let exponent = _mm256_and_si256(bits, word(0x7f80_0000));
        let power = _mm256_max_epi32(exponent, word(power_of_two(sizes.least)));
        into.values[at] = _mm256_castsi256_ps(bits);
        into.powers[at] = _mm256_castsi256_ps(_mm256_andnot_si256(is_zero, power));
    }
}

/// Each of a line's four numbers, four times; of two lines.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn spread(lines: __m256) -> [__m256; 4] {
    [
        _mm256_permute_ps::<0x00>(lines),
        _mm256_permute_ps::<0x55>(lines),
        _mm256_permute_ps::<0xaa>(lines),
        _mm256_permute_ps::<0xff>(lines),
    ]
}

/// By place along the sum, what two lines of sums are multiplied by: those of even columns, and those of odd ones.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn turned(columns: Numbers) -> [[__m256; 2]; 4] {
    let [a, b, c, d] = columns;
    let low = [_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)];
    let high = [_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)];
    let lines = [
        _mm256_shuffle_ps::<0x44>(low[0], low[1]),
        _mm256_shuffle_ps::<0xee>(low[0], low[1]),
        _mm256_shuffle_ps::<0x44>(high[0], high[1]),
        _mm256_shuffle_ps::<0xee>(high[0], high[1]),
    ];
    lines.map(|line| {
        [
            _mm256_permute2f128_ps::<0x00>(line, line),
            _mm256_permute2f128_ps::<0x11>(line, line),
        ]
    })
}

/// All sums of a product.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn sums_of<const PAIRS: usize>(of: &Operands<PAIRS>, strays: &mut __m256i) -> [Numbers; 4] {
    let mut right = [[[[_mm256_setzero_ps(); 2]; 4]; 2]; PAIRS];
    for (turned_over, right) in right.iter_mut().zip(&of.right) {
        *turned_over = [turned(right.values), turned(right.powers)];
    }
    let mut sums = [[_mm256_setzero_ps(); 4]; 4];
    let (pairs, _) = sums.as_chunks_mut::<2>();
    for (half, [even, odd]) in pairs.iter_mut().enumerate() {
        for (group, (even, odd)) in even.iter_mut().zip(odd).enumerate() {
            [*even, *odd] = two_sums(of, &right, half, group, strays);
        }
    }
    sums
}

/// Those of two lines, in even columns and in odd ones; `right` is the right factor, turned over, with its powers.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn two_sums<const PAIRS: usize>(
    of: &Operands<PAIRS>,
    right: &[[[[__m256; 2]; 4]; 2]; PAIRS],
    half: usize,
    group: usize,
    strays: &mut __m256i,
) -> [__m256; 2] {
    let least = _mm256_set1_ps(f32::from_bits(LEAST_POWER));
    let mut greatest = [least; 2];
    for (left, [_, powers]) in of.left.iter().zip(right) {
        for (power, by) in spread(left[half].powers[group]).into_iter().zip(powers) {
            for side in 0..2 {
                greatest[side] = _mm256_max_ps(greatest[side], _mm256_mul_ps(power, by[side]));
            }
        }
    }
    let mut before = [least; 2];
    let mut scales = [least; 2];
    for side in 0..2 {
        let sums = &of.sums[2 * half + side];
        greatest[side] = _mm256_max_ps(greatest[side], sums.powers[group]);
        scales[side] = scale(greatest[side]);
        before[side] = _mm256_mul_ps(sums.values[group], scales[side]);
    }
    let mut units = [_mm256_setzero_si256(); 2];
    for (left, [values, _]) in of.left.iter().zip(right) {
        for (value, by) in spread(left[half].values[group]).into_iter().zip(values) {
            for side in 0..2 {
                let product = _mm256_mul_ps(_mm256_mul_ps(value, by[side]), scales[side]);
                units[side] = _mm256_add_epi32(units[side], _mm256_cvttps_epi32(product));
            }
        }
    }
    let mut sums = [least; 2];
    for side in 0..2 {
        let units = [units[side], _mm256_cvttps_epi32(before[side])];
        sums[side] = sum(units, greatest[side], strays);
    }
    sums
}

/// 2^`PLACES` over a power of two, by its exponent.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn scale(greatest: __m256) -> __m256 {
    let unit = power_of_two(PLACES) + power_of_two(0);
    let unit = _mm256_set1_epi32(unit as i32);
    _mm256_castsi256_ps(_mm256_sub_epi32(unit, _mm256_castps_si256(greatest)))
}

/// The sum of whole numbers of units, cut off towards zero where a float ends.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn sum([products, before]: [__m256i; 2], greatest: __m256, strays: &mut __m256i) -> __m256 {
    let units = _mm256_add_epi32(products, before);
    // Where both have the sign that the sum has not, it has left 32 bits. The nearest float of a number near to that might
    // do so too.
    let both = [products, before].map(|term| _mm256_xor_si256(term, units));
    let overflows = _mm256_srai_epi32::<31>(_mm256_and_si256(both[0], both[1]));
    let size = _mm256_abs_epi32(units);
    let is_large = _mm256_cmpgt_epi32(size, _mm256_set1_epi32(i32::MAX - 64));
    *strays = _mm256_or_si256(*strays, _mm256_or_si256(overflows, is_large));
    let nearest = _mm256_cvtepi32_ps(units);
    let is_past = _mm256_cmpgt_epi32(_mm256_abs_epi32(_mm256_cvttps_epi32(nearest)), size);
    // What holds is -1: a step back where rounding led away from zero.
    let cut = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(nearest), is_past));
    let unit = _mm256_set1_ps(1.0 / (1 << PLACES) as f32);
    _mm256_mul_ps(cut, _mm256_mul_ps(greatest, unit))
}

/// A register, eight lanes at a time.
#[allow(unsafe_code)]
fn words(register: &Vector) -> [__m256i; 4] {
    // SAFETY: both are 32 words, and any bits are values of either.
    unsafe { std::mem::transmute(*register) }
}

/// The bits of numbers, lane by lane.
#[allow(unsafe_code)]
fn vector(numbers: Numbers) -> Vector {
    // SAFETY: both are 32 words, and any bits are values of either.
    unsafe { std::mem::transmute(numbers) }
}
