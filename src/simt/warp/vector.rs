//! What a look at all lanes of a register tells.

use super::lanes::{BITS, Vector};
use crate::launch::WARP_LANES;

/// Whether the values of the active lanes differ from `first` as `differences` say.
#[inline(always)]
pub fn agree(values: &[Vector], differences: &[Vector], active: u32, first: u32) -> bool {
    let mut any = 0;
    for part in 0..WARP_LANES / 8 {
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
            let (value, is_active) = (values[at] as i32, active & BITS[at] != 0);
            least[lane] = least[lane].min(if is_active { value } else { i32::MAX });
            most[lane] = most[lane].max(if is_active { value } else { i32::MIN });
        }
    }
    (
        least.into_iter().fold(i32::MAX, i32::min),
        most.into_iter().fold(i32::MIN, i32::max),
    )
}
