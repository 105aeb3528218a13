//! Blocks of a grid on the SMs, wave by wave: how many each SM holds, and how many places stay empty.
//!
//! Blocks are taken to last equally long, so that a wave ends as a whole.

use serde::Serialize;

/// A grid on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BlockWaves {
    /// Blocks of the grid; at least one.
    pub blocks: u32,
    /// SMs of the GPU; at least one.
    pub sms: u32,
    /// Blocks that an SM holds at once; at least one.
    pub per_sm: u32,
}

impl BlockWaves {
    /// Blocks that all SMs hold at once.
    pub fn places(&self) -> u64 {
        u64::from(self.sms) * u64::from(self.per_sm)
    }

    /// Waves that the blocks take, the last of which may not be full.
    pub fn waves(&self) -> u64 {
        u64::from(self.blocks).div_ceil(self.places())
    }

    /// Blocks of a wave, from 0.
    pub fn blocks_of(&self, wave: u64) -> u64 {
        let before = wave.saturating_mul(self.places());
        u64::from(self.blocks)
            .saturating_sub(before)
            .min(self.places())
    }

    /// Blocks of a wave on one SM. A block goes to an SM that has the fewest, so that a wave of few blocks spreads.
    pub fn on_sm(&self, wave: u64, sm: u32) -> u32 {
        let (blocks, sms) = (self.blocks_of(wave), u64::from(self.sms));
        let more = u64::from(u64::from(sm) < blocks % sms);
        (blocks / sms + more) as u32
    }

    /// Places that stay empty in a wave.
    pub fn idle(&self, wave: u64) -> u64 {
        self.places() - self.blocks_of(wave)
    }

    /// Share of all places of all waves that no block takes.
    pub fn idle_share(&self) -> f64 {
        let all = self.waves() * self.places();
        1.0 - f64::from(self.blocks) / all as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_block_has_one_place_and_the_rest_is_idle(
            blocks in 1_u32..5000, sms in 1_u32..200, per_sm in 1_u32..33,
        ) {
            let waves = BlockWaves { blocks, sms, per_sm };
            let mut all = 0;
            for wave in 0..waves.waves() {
                let on: Vec<u32> = (0..sms).map(|sm| waves.on_sm(wave, sm)).collect();
                let resident: u64 = on.iter().map(|&blocks| u64::from(blocks)).sum();
                prop_assert!(on.iter().all(|&blocks| blocks <= per_sm));
                prop_assert_eq!(resident, waves.blocks_of(wave));
                prop_assert_eq!(waves.idle(wave), waves.places() - resident);
                // Only the last wave may leave places.
                prop_assert!(waves.idle(wave) == 0 || wave + 1 == waves.waves());
                all += resident;
            }
            prop_assert_eq!(all, u64::from(blocks));
            let idle = waves.idle(waves.waves() - 1) as f64;
            let places = (waves.waves() * waves.places()) as f64;
            prop_assert!((waves.idle_share() - idle / places).abs() < 1e-12);
        }
    }
}
