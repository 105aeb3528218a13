//! Random numbers as pure functions of a seed and an index, so that a buffer can be made in any
//! order and on any machine with the same result.

/// 64 random bits: SplitMix64 (Steele, Lea and Flood, 2014) of the seed's stream at `i`.
pub(crate) fn bits(seed: u64, i: u64) -> u64 {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    mix(mix(seed.wrapping_add(step)).wrapping_add(step.wrapping_mul(i.wrapping_add(1))))
}

/// Uniform in [0, 1).
pub(crate) fn uniform(seed: u64, i: u64) -> f64 {
    (bits(seed, i) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Standard normal, by Box and Muller's transform of elements `2 i` and `2 i + 1`.
pub(crate) fn normal(seed: u64, i: u64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(seed, 2 * i)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(seed, 2 * i + 1)).cos()
}
