//! Values of 32 lanes in as few bytes as they need.

use crate::launch::WARP_LANES;
use crate::simt::warp::Vector;

/// A 32-bit value a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// The same in all lanes.
    Uniform(u32),
    /// `first + lane * step`, wrapping.
    Steps {
        /// In lane 0.
        first: u32,
        /// From each lane to the next.
        step: u32,
    },
    /// Word by word, from this place in the pool.
    Words(u32),
}

/// An address a lane; those of inactive lanes mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedAddresses {
    /// `first + lane * step`, wrapping.
    Steps {
        /// In lane 0.
        first: u64,
        /// From each lane to the next.
        step: u64,
    },
    /// Two words an address, low first, from this place in the pool.
    Words(u32),
}

/// Where values lie that follow no rule.
#[derive(Debug, Default)]
pub struct Pool {
    words: Vec<u32>,
}

impl Pool {
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u32>()
    }

    /// Puts values away.
    pub fn pack(&mut self, values: &Vector) -> Packed {
        let (first, step) = (values[0], values[1].wrapping_sub(values[0]));
        let follows =
            |lane: usize| values[lane] == first.wrapping_add(step.wrapping_mul(lane as u32));
        match (step, (2..WARP_LANES).all(follows)) {
            // Counters, pointers and conditions are mostly the same in all lanes; thread indices
            // step by one.
            (0, true) => Packed::Uniform(first),
            (_, true) => Packed::Steps { first, step },
            (_, false) => {
                self.words.extend_from_slice(values);
                Packed::Words((self.words.len() - WARP_LANES) as u32)
            }
        }
    }

    /// One lane's value.
    pub fn lane(&self, packed: Packed, lane: usize) -> u32 {
        match packed {
            Packed::Uniform(value) => value,
            Packed::Steps { first, step } => first.wrapping_add(step.wrapping_mul(lane as u32)),
            Packed::Words(at) => self.words[at as usize + lane],
        }
    }

    /// All lanes' values.
    pub fn unpack(&self, packed: Packed) -> Vector {
        std::array::from_fn(|lane| self.lane(packed, lane))
    }

    /// Puts the addresses of the `active` lanes away, of which there is at least one.
    pub fn pack_addresses(
        &mut self,
        addresses: &[u64; WARP_LANES],
        active: u32,
    ) -> PackedAddresses {
        let is_active = |lane: &usize| active >> lane & 1 == 1;
        let mut lanes = (0..WARP_LANES).filter(is_active);
        // From active lanes only: others may hold anything, and would break the rule.
        let (a, b) = (lanes.next().unwrap_or(0), lanes.next());
        let step = b.map_or(0, |b| {
            let distance = addresses[b].wrapping_sub(addresses[a]) as i64;
            // Between lanes that are not neighbours there may be several steps.
            (distance / (b - a) as i64) as u64
        });
        let first = addresses[a].wrapping_sub(step.wrapping_mul(a as u64));
        let follows =
            |lane: usize| addresses[lane] == first.wrapping_add(step.wrapping_mul(lane as u64));
        if (0..WARP_LANES).filter(is_active).all(follows) {
            return PackedAddresses::Steps { first, step };
        }
        let at = self.words.len() as u32;
        let halves = addresses
            .iter()
            .flat_map(|&address| [address as u32, (address >> 32) as u32]);
        self.words.extend(halves);
        PackedAddresses::Words(at)
    }

    /// The address of one lane.
    pub fn address(&self, packed: PackedAddresses, lane: usize) -> u64 {
        match packed {
            PackedAddresses::Steps { first, step } => {
                first.wrapping_add(step.wrapping_mul(lane as u64))
            }
            PackedAddresses::Words(at) => {
                let at = at as usize + 2 * lane;
                u64::from(self.words[at]) | u64::from(self.words[at + 1]) << 32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            values in prop::array::uniform32(any::<u32>()),
            first: u32,
            step in 0_u32..9,
            active in 1_u32..,
        ) {
            let mut pool = Pool::default();
            let rule: Vector = std::array::from_fn(|lane| first.wrapping_add(step * lane as u32));
            for values in [values, rule] {
                let packed = pool.pack(&values);
                prop_assert_eq!(pool.unpack(packed), values);
                let addresses = values.map(u64::from);
                let packed = pool.pack_addresses(&addresses, active);
                for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                    prop_assert_eq!(pool.address(packed, lane), addresses[lane]);
                }
            }
            prop_assert!(pool.bytes() <= 3 * 4 * WARP_LANES);
        }
    }
}
