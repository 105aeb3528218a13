//! One register of a warp: 32 words, one a lane, and masks of lanes, one bit a lane.

use crate::launch::WARP_LANES;

/// One register of one warp.
pub type Vector = [u32; WARP_LANES];

/// The low and high words of a 64-bit value of one warp.
pub type Pair = (Vector, Vector);

/// All lanes of a warp.
pub const ALL: u32 = u32::MAX;

/// `new` in the lanes of `mask`, `old` in the others.
#[inline(always)]
pub fn blend(mask: u32, new: &Vector, old: &Vector) -> Vector {
    let mut mixed = [0; WARP_LANES];
    for lane in 0..WARP_LANES {
        // All ones or all zeros: without a branch a lane, the compiler blends eight lanes at a
        // time.
        let take = 0_u32.wrapping_sub(u32::from(mask & BITS[lane] != 0));
        mixed[lane] = (new[lane] & take) | (old[lane] & !take);
    }
    mixed
}

/// The bit of each lane.
pub const BITS: Vector = {
    let mut bits = [0; WARP_LANES];
    let mut lane = 0;
    while lane < WARP_LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// The 64-bit value of one lane.
#[inline(always)]
pub fn join(pair: &Pair, lane: usize) -> u64 {
    u64::from(pair.0[lane]) | u64::from(pair.1[lane]) << 32
}

/// Whether the values of the active lanes differ from `first` as `differences` say.
#[inline(always)]
pub fn agree(values: &[Vector], differences: &[Vector], active: u32, first: u32) -> bool {
    let mut any = 0;
    for part in 0..WARP_LANES / 8 {
        // Eight at a time, each with an accumulator of its own: one for all would chain 32 steps.
        let mut strays = [0; 8];
        for (values, differences) in values.iter().zip(differences) {
            for (lane, strays) in strays.iter_mut().enumerate() {
                let at = part * 8 + lane;
                *strays |= values[at].wrapping_sub(differences[at]) ^ first;
            }
        }
        for (lane, strays) in strays.iter().enumerate() {
            any |= strays & 0_u32.wrapping_sub(active >> (part * 8 + lane) & 1);
        }
    }
    any == 0
}

/// The lanes in which a register is not 0.
#[inline(always)]
pub fn nonzero(values: &Vector) -> u32 {
    let mut mask = 0;
    for (lane, &value) in values.iter().enumerate() {
        mask |= u32::from(value != 0) << lane;
    }
    mask
}

/// The least and the greatest value of the active lanes, as signed numbers.
#[inline(always)]
pub fn span(values: &Vector, active: u32) -> (i32, i32) {
    let (mut least, mut most) = ([i32::MAX; 8], [i32::MIN; 8]);
    for part in 0..WARP_LANES / 8 {
        for lane in 0..8 {
            let at = part * 8 + lane;
            // As in `blend`: branches would go lane by lane.
            let take = 0_u32.wrapping_sub(u32::from(active & BITS[at] != 0));
            let or = |other: i32| ((values[at] & take) | (other as u32 & !take)) as i32;
            least[lane] = least[lane].min(or(i32::MAX));
            most[lane] = most[lane].max(or(i32::MIN));
        }
    }
    (
        least.into_iter().fold(i32::MAX, i32::min),
        most.into_iter().fold(i32::MIN, i32::max),
    )
}
