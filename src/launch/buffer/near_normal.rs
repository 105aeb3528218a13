//! Standard normal values, many at a time and nearly exact.
//!
//! A logarithm and a cosine of the standard library take most of the time that filling a buffer takes. Polynomials
//! without branches go several at a time; they are off by some 1e-14 of a value, which shows in a rounded float
//! once in a hundred thousand values. Those that it might show in are computed exactly, so that every bit is
//! that of [`Stream::normal`]: recordings and tests rely on it.

use std::f64::consts::{FRAC_PI_2, LN_2, PI, SQRT_2, TAU};

use super::blocks::{BLOCK, BLOCK_BYTES};
use super::random::Stream;

/// How far a value may be off, as a part of it: ten times what was seen.
const PRECISION: f64 = 1e-12;
/// Of values nearer to zero the precision is not promised.
const SMALLEST: f64 = 1e-6;

/// Fills `bytes`, a block or the beginning of one, with elements of `size` bytes: the normal values of `stream` from
/// `first` on, each as `put` writes it, which must not fall where its argument grows.
#[inline(always)]
pub(super) fn fill(
    stream: Stream,
    first: u64,
    size: usize,
    bytes: &mut [u8],
    put: impl Fn(&[f64; BLOCK], &mut [u8]),
) {
    let near = near_normals(stream, first);
    let (mut below, mut above) = ([0.0; BLOCK], [0.0; BLOCK]);
    let mut is_far = true;
    for (at, &near) in near.iter().enumerate() {
        below[at] = near * (1.0 - PRECISION);
        above[at] = near * (1.0 + PRECISION);
        is_far &= near.abs() > SMALLEST;
    }
    let mut other = [0; BLOCK_BYTES];
    let other = &mut other[..bytes.len()];
    put(&above, other);
    put(&below, bytes);
    // What lies between two values that are rounded to the same is rounded to it too.
    if !(is_far && *bytes == *other) {
        put_exact(stream, first, size, bytes, other, &near, put);
    }
}

/// Puts the exact value where the near one may not do. Not inlined: one block of a thousand needs it.
#[cold]
#[inline(never)]
fn put_exact(
    stream: Stream,
    first: u64,
    size: usize,
    bytes: &mut [u8],
    other: &[u8],
    near: &[f64; BLOCK],
    put: impl Fn(&[f64; BLOCK], &mut [u8]),
) {
    let elements = bytes.chunks_exact_mut(size).zip(other.chunks_exact(size));
    for (((element, other), near), i) in elements.zip(near).zip(first..) {
        if element != other || near.abs() <= SMALLEST {
            let mut exact = [0.0; BLOCK];
            exact[0] = stream.normal(i);
            put(&exact, element);
        }
    }
}

/// [`Stream::normal`] of the elements from `first` on, to within [`PRECISION`].
#[inline(always)]
fn near_normals(stream: Stream, first: u64) -> [f64; BLOCK] {
    // Loops of their own, so that the compiler makes vectors of each.
    let (mut radius, mut turn) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (at, radius) in radius.iter_mut().enumerate() {
        *radius = stream.uniform(2 * (first + at as u64));
    }
    for (at, turn) in turn.iter_mut().enumerate() {
        *turn = stream.uniform(2 * (first + at as u64) + 1);
    }
    for (at, radius) in radius.iter_mut().enumerate() {
        *radius = (-2.0 * near_ln(1.0 - *radius)).sqrt() * near_cos(TAU * turn[at]);
    }
    radius
}

/// The logarithm of a positive, normal number.
#[inline(always)]
fn near_ln(x: f64) -> f64 {
    const LEAST: u64 = (SQRT_2 / 2.0).to_bits();
    // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)): the difference of the bits gives the exponent.
    let exponent = x.to_bits().wrapping_sub(LEAST) as i64 >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((exponent as u64) << 52));
    // ln m = 2 artanh z = 2 (z + z^3 / 3 + z^5 / 5 + …), where z^2 is at most 0.03.
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let odd = [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0];
    let series = odd
        .iter()
        .fold(1.0 / 17.0, |sum, odd| sum * square + 1.0 / odd);
    f64::from(exponent as i32) * LN_2 + 2.0 * z + 2.0 * z * square * series
}

/// The cosine of an angle in [0, 2 pi].
#[inline(always)]
fn near_cos(x: f64) -> f64 {
    /// What [`FRAC_PI_2`] and 3 pi / 2 lack as doubles: near a zero of the cosine it is all that is left.
    const HALF_REST: f64 = 6.123_233_995_736_766e-17;
    const THREE_HALVES: f64 = 4.712_388_980_384_69;
    const THREE_HALVES_REST: f64 = 1.836_970_198_721_029_7e-16;
    /// 1 / (2 k + 1)! with alternating signs, from the last to the second.
    const TERMS: [f64; 9] = [
        -1.0 / 121_645_100_408_832_000.0,
        1.0 / 355_687_428_096_000.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    ];
    // cos x = sin(pi/2 - x) = sin(x - 3 pi/2): one of the two is in [-pi/2, pi/2].
    let r = if x > PI {
        (x - THREE_HALVES) - THREE_HALVES_REST
    } else {
        (FRAC_PI_2 - x) + HALF_REST
    };
    let square = r * r;
    let series = TERMS.iter().fold(0.0, |sum, term| sum * square + term);
    r + r * square * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;
    use crate::launch::buffer::blocks::put_doubles;

    #[test]
    fn a_near_value_is_within_its_precision() {
        for seed in 0..20 {
            let stream = Stream::new(seed);
            for first in (0..20_000).step_by(BLOCK) {
                let first = first * (seed * seed + 1);
                for (near, i) in near_normals(stream, first).into_iter().zip(first..) {
                    let exact = stream.normal(i);
                    let off = (near - exact).abs();
                    // A tenth of what is relied on.
                    let is_near = off <= exact.abs() * PRECISION / 10.0;
                    assert!(is_near || exact.abs() < SMALLEST / 2.0, "{near} {exact}");
                }
            }
        }
    }

    #[test]
    fn angles_and_logarithms_at_their_edges_are_near_too() {
        let angles = [0.0, 0.25, 0.5, 0.75, 1.0].map(|turn| TAU * turn);
        for angle in angles {
            for x in [angle.next_down(), angle, angle.next_up()] {
                assert!(
                    (near_cos(x.max(0.0)) - x.max(0.0).cos()).abs() < 1e-13,
                    "{x}"
                );
            }
        }
        for x in [f64::EPSILON / 2.0, 0.5, SQRT_2 / 2.0, 1.0] {
            for x in [x.next_down(), x] {
                let off = (near_ln(x) - x.ln()).abs();
                assert!(off <= 1e-13 * x.ln().abs(), "{x}");
            }
        }
    }

    #[test]
    fn rounded_values_have_the_bits_of_exact_ones() {
        // A rounding as coarse as this takes the exact way half of the time.
        let coarse = |value: f64| (value * 1e12).floor();
        let put_coarse = |values: &[f64; BLOCK], bytes: &mut [u8]| {
            put_doubles(ElementType::F64, &values.map(coarse), bytes);
        };
        let put_fine =
            |values: &[f64; BLOCK], bytes: &mut [u8]| put_doubles(ElementType::F32, values, bytes);
        for seed in [0, 1, 7, u64::MAX] {
            let stream = Stream::new(seed);
            for first in (1 << 40_u64..).step_by(BLOCK - 1).take(160) {
                let (mut eight, mut four) = ([0; 8 * (BLOCK - 1)], [0; 4 * (BLOCK - 1)]);
                fill(stream, first, 8, &mut eight, put_coarse);
                fill(stream, first, 4, &mut four, put_fine);
                let filled = eight.as_chunks().0.iter().zip(four.as_chunks().0);
                for (i, (&eight, &four)) in (first..).zip(filled) {
                    let exact = stream.normal(i);
                    assert_eq!(f64::from_le_bytes(eight), coarse(exact), "{seed} {i}");
                    assert_eq!(f32::from_le_bytes(four), exact as f32, "{seed} {i}");
                }
            }
        }
    }
}
