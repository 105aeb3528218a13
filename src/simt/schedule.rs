//! Another legal order of blocks and warps, from a seed.
//!
//! CUDA promises no order among blocks, nor among the warps of a block between two barriers. The
//! machine's own order is blocks by index and each warp until its next barrier; a [`Schedule`]
//! permutes blocks, shuffles the warps between two barriers, and interrupts warps
//! before some of their accesses to memory, so that others come in between. One seed gives one
//! order, on any machine.

use std::sync::Arc;

use crate::ir::{Kernel, Op, Operand};

/// An access is where a warp is interrupted once in so many times.
const ACCESSES_A_TURN: u64 = 4;

/// Who runs when.
pub struct Schedule {
    random: Random,
    /// By instruction: whether a warp may be interrupted before it.
    breaks: Arc<Vec<bool>>,
}

impl Schedule {
    /// The order of warps that `seed` gives in block `block` of a kernel with these [`breaks`].
    pub fn new(breaks: &Arc<Vec<bool>>, seed: u64, block: u64) -> Self {
        Schedule {
            random: Random::new(seed, block),
            breaks: Arc::clone(breaks),
        }
    }

    /// Shuffles the warps that can run.
    pub fn order(&mut self, warps: &mut [usize]) {
        for last in (1..warps.len()).rev() {
            warps.swap(last, self.random.below(last as u64 + 1) as usize);
        }
    }

    /// Whether the warp is interrupted before the instruction at `pc`.
    pub fn interrupts(&mut self, pc: usize) -> bool {
        self.breaks[pc] && self.random.below(ACCESSES_A_TURN) == 0
    }
}

/// By instruction: whether a warp may be interrupted before it.
pub fn breaks(kernel: &Kernel) -> Arc<Vec<bool>> {
    let accesses = |op: Op| op.operands().contains(&Operand::Site);
    Arc::new(kernel.code.iter().map(|i| accesses(i.op)).collect())
}

/// The block that runs as number `turn` of `blocks` in the order of `seed`.
pub fn block_at_turn(seed: u64, turn: u64, blocks: u64) -> u64 {
    // A stream of its own, that no block has.
    let mut random = Random::new(seed, u64::MAX);
    let start = random.below(blocks);
    // Any step without a common divisor visits every block once.
    let mut step = 1 + random.below(blocks);
    // Ends at the latest at the next multiple of `blocks` plus one.
    while common_divisor(step, blocks) != 1 {
        step += 1;
    }
    let at = u128::from(start) + u128::from(turn) * u128::from(step);
    (at % u128::from(blocks)) as u64
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed);
        let mixed = random.next() ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93);
        Random(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        // The high half of a product spreads evenly without a division (Lemire, 2019).
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_block_has_one_turn_and_seeds_differ() {
        for blocks in [1, 2, 7, 64, 1000] {
            for seed in 0..5 {
                let order = (0..blocks).map(|turn| block_at_turn(seed, turn, blocks));
                let seen: BTreeSet<u64> = order.collect();
                assert_eq!(seen, (0..blocks).collect(), "seed {seed}");
            }
        }
        let first = |seed| block_at_turn(seed, 0, 1000);
        assert_ne!(first(1), first(2));
    }
}
