//! Exponentials in single precision, the same on every machine and for all lanes at once.
//!
//! `e^x` or `2^x` is `2^(k / 32 + r)`, the first part from a table, the second from a polynomial in double
//! precision. Table, polynomial and order of operations are those of `expf` and `exp2f` in ARM's optimized
//! routines (Szabolcs Nagy, 2017, under the MIT licence), from where other C libraries have it: off
//! by at most 0.502 units in the last place, where CUDA allows itself 2.

use crate::launch::WARP_LANES;
use crate::simt::warp::Vector;

/// Parts of a power of two in the table.
const PARTS: u64 = 32;
/// Bits of the mantissa below the exponent, less those that number a part.
const SHIFT: u32 = 52 - PARTS.trailing_zeros();
/// `PARTS / ln 2`.
const SCALE: f64 = 46.166_241_308_446_83;
/// Added to a number, leaves the nearest integer in its lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// `2^(r / PARTS)` for `r` from -1/2 to 1/2, but for the 1, from the highest power down.
const POLYNOMIAL: [f64; 3] = [
    1.693_835_925_092_021_2e-6,
    0.000_234_598_097_895_090_04,
    0.021_660_849_396_613_134,
];

/// `e^x` of all lanes.
#[inline(always)]
pub(super) fn exp(x: &Vector) -> Vector {
    power(x, SCALE, (-110.0, 100.0))
}

/// `2^x` of all lanes.
#[inline(always)]
pub(super) fn exp2(x: &Vector) -> Vector {
    power(x, PARTS as f64, (-160.0, 140.0))
}

/// `2^(x * scale / PARTS)` of all lanes; what lies beyond `bounds` gives 0 and infinity as they do.
#[inline(always)]
fn power(x: &Vector, scale: f64, bounds: (f64, f64)) -> Vector {
    let (mut rest, mut power) = ([0.0; WARP_LANES], [0; WARP_LANES]);
    for lane in 0..WARP_LANES {
        // `clamp` lets NaN through, which then stays NaN to the end.
        let x = f64::from(f32::from_bits(x[lane])).clamp(bounds.0, bounds.1);
        // Its low bits are the integer nearest to `x * scale`; less the rounder it is that integer
        // as a number.
        let rounded = x.mul_add(scale, ROUNDER);
        rest[lane] = x.mul_add(scale, ROUNDER - rounded);
        power[lane] = rounded.to_bits();
    }
    for power in &mut power {
        *power = TABLE[(*power % PARTS) as usize].wrapping_add(*power << SHIFT);
    }
    let [third, second, first] = POLYNOMIAL;
    let mut value = [0; WARP_LANES];
    for lane in 0..WARP_LANES {
        let r = rest[lane];
        let high = third.mul_add(r, second);
        let low = first.mul_add(r, 1.0);
        let whole = high.mul_add(r * r, low) * f64::from_bits(power[lane]);
        value[lane] = (whole as f32).to_bits();
    }
    value
}

/// `2^(i / PARTS)`, less what shifting `i` to the exponent adds.
const TABLE: [u64; PARTS as usize] = [
    0x3ff0_0000_0000_0000,
    0x3fef_d9b0_d315_8574,
    0x3fef_b558_6cf9_890f,
    0x3fef_9301_d012_5b51,
    0x3fef_72b8_3c7d_517b,
    0x3fef_5487_3168_b9aa,
    0x3fef_387a_6e75_6238,
    0x3fef_1e9d_f51f_dee1,
    0x3fef_06fe_0a31_b715,
    0x3fee_f1a7_373a_a9cb,
    0x3fee_dea6_4c12_3422,
    0x3fee_ce08_6061_892d,
    0x3fee_bfda_d536_2a27,
    0x3fee_b42b_569d_4f82,
    0x3fee_ab07_dd48_5429,
    0x3fee_a47e_b03a_5585,
    0x3fee_a09e_667f_3bcd,
    0x3fee_9f75_e8ec_5f74,
    0x3fee_a114_73eb_0187,
    0x3fee_a589_994c_ce13,
    0x3fee_ace5_422a_a0db,
    0x3fee_b737_b0cd_c5e5,
    0x3fee_c491_82a3_f090,
    0x3fee_d503_b23e_255d,
    0x3fee_e89f_995a_d3ad,
    0x3fee_ff76_f2fb_5e47,
    0x3fef_199b_dd85_529c,
    0x3fef_3720_dcef_9069,
    0x3fef_5818_dcfb_a487,
    0x3fef_7c97_337b_9b5f,
    0x3fef_a4af_a2a4_90da,
    0x3fef_d076_5b6e_4540,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(x: f32) -> f32 {
        f32::from_bits(exp(&[x.to_bits(); WARP_LANES])[0])
    }

    #[test]
    fn extremes_come_out_as_they_should() {
        let cases = [
            (0.0, 1.0),
            (-0.0, 1.0),
            (1.0, std::f32::consts::E),
            (88.722_83, 3.402_798_5e38),
            (88.722_84, f32::INFINITY),
            (f32::MAX, f32::INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (-103.972_07, f32::from_bits(1)),
            (-103.972_09, 0.0),
            (f32::MIN, 0.0),
            (f32::NEG_INFINITY, 0.0),
        ];
        for (x, expected) in cases {
            assert_eq!(of(x), expected, "e^{x}");
        }
        assert!(of(f32::NAN).is_nan());
    }

    fn of_two(x: f32) -> f32 {
        f32::from_bits(exp2(&[x.to_bits(); WARP_LANES])[0])
    }

    #[test]
    fn powers_of_two_are_exact_and_extremes_come_out_as_they_should() {
        for k in -126..128 {
            assert_eq!(of_two(k as f32), f32::from_bits(((k + 127) as u32) << 23));
        }
        let cases = [
            (127.999_99, 3.402_805_6e38),
            (f32::MAX, f32::INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (-149.0, f32::from_bits(1)),
            (-150.0, 0.0),
            (f32::NEG_INFINITY, 0.0),
        ];
        for (x, expected) in cases {
            assert_eq!(of_two(x), expected, "2^{x}");
        }
        assert!(of_two(f32::NAN).is_nan());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_errs_by_little_more_than_half_a_unit(x in -87.0_f32..88.7) {
            let exact = libm::exp(x.into());
            let ours = of(x);
            let unit = f64::from(f32::from_bits(ours.to_bits() + 1)) - f64::from(ours);
            prop_assert!((f64::from(ours) - exact).abs() <= 0.503 * unit, "e^{} is {}", x, ours);
        }

        #[test]
        fn powers_of_two_err_as_little(x in -125.0_f32..127.9) {
            let exact = libm::exp2(x.into());
            let ours = of_two(x);
            let unit = f64::from(f32::from_bits(ours.to_bits() + 1)) - f64::from(ours);
            prop_assert!((f64::from(ours) - exact).abs() <= 0.503 * unit, "2^{} is {}", x, ours);
        }

        #[test]
        fn each_lane_has_its_own(values: [f32; WARP_LANES]) {
            let all = exp(&values.map(f32::to_bits));
            for (x, value) in values.into_iter().zip(all) {
                let alone = of(x);
                prop_assert!(value == alone.to_bits() || alone.is_nan());
            }
        }
    }
}
