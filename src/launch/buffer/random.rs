//! Random numbers as pure functions of a seed and an index, so that a buffer can be made in any
//! order and on any machine with the same result.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random numbers of one seed.
#[derive(Clone, Copy)]
pub(crate) struct Stream {
    start: u64,
}

impl Stream {
    /// That of `seed`.
    pub fn new(seed: u64) -> Self {
        Stream {
            start: mix(seed.wrapping_add(STEP)),
        }
    }

    /// 64 random bits: SplitMix64 (Steele, Lea and Flood, 2014) of the seed's stream at `i`.
    #[inline(always)]
    pub fn bits(self, i: u64) -> u64 {
        let steps = STEP.wrapping_mul(i.wrapping_add(1));
        mix(self.start.wrapping_add(steps))
    }

    /// Uniform in [0, 1).
    #[inline(always)]
    pub fn uniform(self, i: u64) -> f64 {
        (self.bits(i) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller's transform of elements `2 i` and `2 i + 1`.
    pub fn normal(self, i: u64) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(2 * i)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform(2 * i + 1)).cos()
    }
}

#[inline(always)]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
