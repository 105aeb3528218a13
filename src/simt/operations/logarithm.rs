//! Natural logarithms in single precision, for all lanes at once.
//!
//! `ln x` is `k ln 2 + ln c + ln (1 + r)`, where `c` is near the mantissa of `x` and stands in a table; the last part is a
//! polynomial in double precision. Table, polynomial and order of operations are those of `logf` in ARM's optimized routines
//! (Szabolcs Nagy, 2017, under the MIT licence), from where other C libraries have it: off by at most 0.818 units in
//! the last place, where CUDA allows itself 1.

use crate::launch::WARP_LANES;
use crate::simt::warp::Vector;

/// Bits of a mantissa that choose a row of the table.
const TABLE_BITS: u32 = 4;
/// Bits of the least mantissa that is taken as it is: lesser ones are taken twice, with the exponent before.
const LEAST: u32 = 0x3f33_0000;
/// The least normal number, and infinity.
const NORMAL: [u32; 2] = [0x0080_0000, 0x7f80_0000];
/// Powers of `ln (1 + r)` from the highest down to the second.
const POLYNOMIAL: [f64; 3] = [
    -0.250_893_422_142_371_54,
    0.333_456_765_744_066,
    -0.499_999_748_580_210_3,
];

/// The logarithms of all lanes.
#[inline(always)]
pub(super) fn ln(x: &Vector) -> Vector {
    let is_normal = |bits: u32| bits.wrapping_sub(NORMAL[0]) < NORMAL[1] - NORMAL[0];
    let mut value = [0; WARP_LANES];
    let mut are_normal = true;
    for lane in 0..WARP_LANES {
        are_normal &= is_normal(x[lane]);
        let above = x[lane].wrapping_sub(LEAST);
        let row = (above >> (23 - TABLE_BITS)) as usize % TABLE.len();
        let exponent = above as i32 >> 23;
        let mantissa = f32::from_bits(x[lane].wrapping_sub((exponent << 23) as u32));
        let (inverse, of_row) = TABLE[row];
        let rest = f64::from(mantissa).mul_add(inverse, -1.0);
        let whole = f64::from(exponent).mul_add(std::f64::consts::LN_2, of_row);
        let square = rest * rest;
        let [fourth, third, second] = POLYNOMIAL;
        let high = fourth.mul_add(square, third.mul_add(rest, second));
        value[lane] = (high.mul_add(square, whole + rest) as f32).to_bits();
    }
    if !are_normal {
        for lane in (0..WARP_LANES).filter(|&lane| !is_normal(x[lane])) {
            value[lane] = f32::from_bits(x[lane]).ln().to_bits();
        }
    }
    value
}

/// `1 / c` and `ln c`.
const TABLE: [(f64, f64); 1 << TABLE_BITS] = [
    (1.398_907_162_146_528, -0.335_691_333_328_822_84),
    (1.340_314_189_663_799_8, -0.292_904_056_377_407_4),
    (1.286_432_210_124_115, -0.251_872_658_093_736_9),
    (1.236_715_021_426_989_5, -0.212_458_688_071_172_55),
    (1.190_697_716_671_175_2, -0.174_539_451_837_456_34),
    (1.147_982_102_055_642_9, -0.138_005_707_231_975_8),
    (1.108_225_144_827_215_8, -0.102_759_766_985_451_39),
    (1.071_129_741_305_738_1, -0.068_713_924_470_205_25),
    (1.036_437_278_977_283, -0.035_789_138_739_822_8),
    (1.0, 0.0),
    (0.949_285_979_573_905_7, 0.052_045_177_429_294_96),
    (0.895_104_942_860_900_4, 0.110_814_312_987_879_42),
    (0.847_682_162_035_110_3, 0.165_249_522_369_514_3),
    (0.805_031_485_169_200_1, 0.216_873_890_316_999_77),
    (0.766_467_100_884_310_8, 0.265_963_502_812_139_7),
    (0.731_428_603_316_328, 0.312_755_666_407_355_7),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(x: f32) -> f32 {
        f32::from_bits(ln(&[x.to_bits(); WARP_LANES])[5])
    }

    #[test]
    fn extremes_come_out_as_they_should() {
        let cases = [
            (1.0, 0.0),
            (0.0, f32::NEG_INFINITY),
            (-0.0, f32::NEG_INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (f32::from_bits(1), -103.278_93),
            (f32::MIN_POSITIVE, -87.336_55),
            (f32::MAX, 88.722_84),
        ];
        for (x, expected) in cases {
            assert_eq!(of(x), expected, "logarithm of {x}");
        }
        for x in [-1.0, f32::NAN, f32::NEG_INFINITY] {
            assert!(of(x).is_nan());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_errs_by_less_than_a_unit(any in 1_u32..0x7f80_0000, near in 0.9_f32..1.1) {
            for x in [f32::from_bits(any), near] {
                let exact = libm::log(x.into());
                let ours = of(x);
                let unit = f64::from(f32::from_bits(ours.abs().to_bits() + 1)) - f64::from(ours.abs());
                prop_assert!((f64::from(ours) - exact).abs() <= 0.83 * unit, "logarithm of {}", x);
            }
        }

        #[test]
        fn each_lane_has_its_own(values: [f32; WARP_LANES]) {
            let all = ln(&values.map(f32::to_bits));
            for (x, value) in values.into_iter().zip(all) {
                let alone = of(x);
                prop_assert!(value == alone.to_bits() || alone.is_nan());
            }
        }
    }
}
