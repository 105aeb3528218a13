//! Sines and cosines in single precision, for all lanes at once.
//!
//! The argument is brought to an eighth of a turn, for which two polynomials in double precision serve. Constants and order
//! of operations are those of `sinf` and `cosf` in ARM's optimized routines (2018, under the MIT licence), from where other
//! C libraries have them: off by at most 0.56 units in the last place, where CUDA allows itself 2.

use crate::launch::WARP_LANES;
use crate::simt::warp::Vector;

/// `2^24 * 2 / pi`.
const QUARTERS: f64 = 10_680_707.430_881_744;
/// What a product with [`QUARTERS`] is at one quarter of a turn.
const QUARTER: f64 = (1 << 24) as f64;
/// Added to a number, leaves the nearest integer in its lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// From here on the product with a quarter of a turn is not exact enough.
const FAR: f32 = 120.0;
/// Below it a sine is its argument.
const SMALL: f32 = 1.0 / 4096.0;
/// Powers of the sine from the third on, every other.
const SINE: [f64; 3] = [
    -0.166_666_549_437_010_84,
    0.008_332_178_146_138_854,
    -0.000_195_172_989_813_857_25,
];
/// Powers of the cosine from the second on, every other.
const COSINE: [f64; 4] = [
    -0.499_999_997_251_082_24,
    0.041_666_623_324_344_516,
    -0.001_388_676_379_437_604,
    2.439_045_070_356_454_2e-5,
];

/// The sines of all lanes.
#[inline(always)]
pub(super) fn sin(x: &Vector) -> Vector {
    let mut value = turned(x, 0, f32::sin);
    for lane in 0..WARP_LANES {
        // Of -0 the polynomial would make 0.
        if f32::from_bits(x[lane]).abs() < SMALL {
            value[lane] = x[lane];
        }
    }
    value
}

/// The cosines of all lanes: sines a quarter of a turn further.
#[inline(always)]
pub(super) fn cos(x: &Vector) -> Vector {
    turned(x, 1, f32::cos)
}

/// The sines of all lanes so many quarters of a turn further, which is what `far` gives where arguments are large.
#[inline(always)]
fn turned(x: &Vector, quarters: u64, far: fn(f32) -> f32) -> Vector {
    let mut value = [0; WARP_LANES];
    let mut is_far = false;
    for lane in 0..WARP_LANES {
        is_far |= !is_near(x[lane]);
        let x = f64::from(f32::from_bits(x[lane]));
        let turns = (((x * QUARTERS).trunc() + QUARTER / 2.0) / QUARTER).floor();
        let rest = (-turns).mul_add(std::f64::consts::FRAC_PI_2, x);
        let quadrant = (turns + ROUNDER).to_bits().wrapping_add(quarters);
        let of_rest = if quadrant & 1 == 0 {
            sine(rest)
        } else {
            cosine(rest)
        };
        let negative = (quadrant & 2) << 62;
        value[lane] = (f64::from_bits(of_rest.to_bits() ^ negative) as f32).to_bits();
    }
    if is_far {
        for lane in (0..WARP_LANES).filter(|&lane| !is_near(x[lane])) {
            value[lane] = far(f32::from_bits(x[lane])).to_bits();
        }
    }
    value
}

/// Whether a number is near enough to 0. Magnitudes are in order as their bits are, those of what is no number last.
#[inline(always)]
fn is_near(x: u32) -> bool {
    x & 0x7fff_ffff < FAR.to_bits()
}

#[inline(always)]
fn sine(x: f64) -> f64 {
    let [third, fifth, seventh] = SINE;
    let square = x * x;
    let cube = x * square;
    let high = square.mul_add(seventh, fifth);
    let low = cube.mul_add(third, x);
    (cube * square).mul_add(high, low)
}

#[inline(always)]
fn cosine(x: f64) -> f64 {
    let [second, fourth, sixth, eighth] = COSINE;
    let square = x * x;
    let fourth_power = square * square;
    let high = square.mul_add(eighth, sixth);
    let low = fourth_power.mul_add(fourth, square.mul_add(second, 1.0));
    (fourth_power * square).mul_add(high, low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The distance from a result to the exact one, in units in the last place.
    fn error(ours: u32, exact: f64) -> f64 {
        let unit = f64::from(f32::from_bits(f32::abs(exact as f32).to_bits() + 1))
            - f64::from(f32::abs(exact as f32));
        (f64::from(f32::from_bits(ours)) - exact).abs() / unit
    }

    #[test]
    fn extremes_come_out_as_they_should() {
        let of =
            |f: fn(&Vector) -> Vector, x: f32| f32::from_bits(f(&[x.to_bits(); WARP_LANES])[0]);
        for x in [0.0_f32, -0.0, f32::from_bits(1), -1e-30, SMALL] {
            assert_eq!(of(sin, x).to_bits(), x.to_bits(), "sine of {x}");
            assert_eq!(of(cos, x), 1.0, "cosine of {x}");
        }
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(of(sin, x).is_nan() && of(cos, x).is_nan());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_errs_by_little_more_than_half_a_unit(near in -10.0_f32..10.0, any in -1e5_f32..1e5) {
            for x in [near, any] {
                let bits = [x.to_bits(); WARP_LANES];
                let (sine, cosine) = (sin(&bits)[7], cos(&bits)[7]);
                prop_assert!(error(sine, libm::sin(x.into())) <= 0.57, "sine of {}", x);
                prop_assert!(error(cosine, libm::cos(x.into())) <= 0.57, "cosine of {}", x);
            }
        }

        #[test]
        fn each_lane_has_its_own(values: [f32; WARP_LANES]) {
            for f in [sin, cos] {
                let all = f(&values.map(f32::to_bits));
                for (x, value) in values.into_iter().zip(all) {
                    let alone = f(&[x.to_bits(); WARP_LANES])[0];
                    prop_assert!(value == alone || f32::from_bits(value).is_nan());
                }
            }
        }
    }
}
