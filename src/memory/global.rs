//! Requests to global memory: sectors and lines.

use crate::launch::WARP_LANES;

/// Bytes that move between L1 and SM at once.
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of a line of L1 and L2: four sectors.
pub const LINE_BYTES: u64 = 128;

/// What one warp's load from or store to global memory costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlobalRequest {
    /// Different sectors touched.
    pub sectors: u64,
    /// Different lines touched.
    pub lines: u64,
    /// Bytes that the lanes asked for, each lane's counted.
    pub bytes: u64,
    /// Different bytes among them.
    pub used_bytes: u64,
}

impl GlobalRequest {
    /// The cost of an access of `width` bytes (1, 2, 4, 8 or 16) by the lanes in `active`, each at
    /// its address.
    pub fn of(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> Self {
        let mut touched = *addresses;
        let mut lanes = WARP_LANES;
        // Active lanes are moved to the front; with all of them active nothing need be moved.
        if active != u32::MAX {
            lanes = 0;
            for (lane, &address) in addresses.iter().enumerate() {
                touched[lanes] = address;
                lanes += (active >> lane & 1) as usize;
            }
        }
        let touched = &mut touched[..lanes];
        // Addresses mostly rise with the lanes already, which costs less to see than to sort.
        let mut sorted = true;
        for at in 1..lanes {
            sorted &= touched[at - 1] <= touched[at];
        }
        if !sorted {
            touched.sort_unstable();
        }
        // Accesses of one width, aligned to it, are the same or do not overlap.
        let (mut distinct, mut sectors, mut lines) = (0, 0, 0);
        for at in 1..lanes {
            // Sectors and lines are powers of two: two addresses lie in different ones where a high
            // bit differs.
            let difference = touched[at - 1] ^ touched[at];
            distinct += u64::from(difference != 0);
            sectors += u64::from(difference >= SECTOR_BYTES);
            lines += u64::from(difference >= LINE_BYTES);
        }
        let any = u64::from(lanes > 0);
        GlobalRequest {
            sectors: sectors + any,
            lines: lines + any,
            bytes: lanes as u64 * width,
            used_bytes: (distinct + any) * width,
        }
    }

    /// The cost of an atomic operation: lanes at one address take turns, and each turn moves the
    /// sectors that it touches. So a sector counts as often as the lanes at its busiest address,
    /// as an H200's counters have it.
    pub fn of_atomic(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> Self {
        let lanes = (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1);
        let mut sorted = [u64::MAX; WARP_LANES];
        for (slot, lane) in sorted.iter_mut().zip(lanes) {
            *slot = addresses[lane];
        }
        sorted.sort_unstable();
        let sorted = &sorted[..active.count_ones() as usize];
        let of_sector = sorted.chunk_by(|a, b| a / SECTOR_BYTES == b / SECTOR_BYTES);
        let busiest = |sector: &[u64]| sector.chunk_by(|a, b| a == b).map(<[u64]>::len).max();
        GlobalRequest {
            sectors: of_sector.filter_map(busiest).sum::<usize>() as u64,
            ..Self::of(addresses, active, width)
        }
    }

    /// The cost when `lanes` lanes (at least one) touch `lanes * width` bytes from `first` on, each
    /// its own.
    pub fn contiguous(first: u64, lanes: u64, width: u64) -> Self {
        let bytes = lanes * width;
        let last = first + bytes - 1;
        GlobalRequest {
            sectors: last / SECTOR_BYTES - first / SECTOR_BYTES + 1,
            lines: last / LINE_BYTES - first / LINE_BYTES + 1,
            bytes,
            used_bytes: bytes,
        }
    }

    /// The cost when `lanes` lanes (at least one) touch the same `width` bytes.
    pub fn uniform(lanes: u64, width: u64) -> Self {
        GlobalRequest {
            sectors: 1,
            lines: 1,
            bytes: lanes * width,
            used_bytes: width,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn naive(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> GlobalRequest {
        let lanes = (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1);
        let bytes: Vec<u64> = lanes
            .flat_map(|lane| addresses[lane]..addresses[lane] + width)
            .collect();
        let distinct = |unit| {
            let units: BTreeSet<u64> = bytes.iter().map(|byte| byte / unit).collect();
            units.len() as u64
        };
        GlobalRequest {
            sectors: distinct(32),
            lines: distinct(128),
            bytes: bytes.len() as u64,
            used_bytes: distinct(1),
        }
    }

    proptest! {
        #[test]
        fn any_pattern_costs_what_a_naive_count_says(
            slots in prop::array::uniform32(0_u64..200),
            active: u32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            base in 0_u64..100,
        ) {
            let addresses = slots.map(|slot| (base + slot) * width);
            prop_assert_eq!(
                GlobalRequest::of(&addresses, active, width),
                naive(&addresses, active, width)
            );
        }

        #[test]
        fn the_closed_forms_agree_with_the_general_one(
            first in 0_u64..64,
            lanes in 1_u32..=32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
        ) {
            let active = u32::MAX >> (32 - lanes);
            let base = first * width;
            let run = std::array::from_fn(|lane| base + lane as u64 * width);
            prop_assert_eq!(
                GlobalRequest::contiguous(base, lanes.into(), width),
                naive(&run, active, width)
            );
            prop_assert_eq!(
                GlobalRequest::uniform(lanes.into(), width),
                naive(&[base; WARP_LANES], active, width)
            );
        }
    }

    #[test]
    fn atomics_at_one_address_take_turns() {
        let sectors = |distinct: u64| {
            let addresses = std::array::from_fn(|lane| lane as u64 % distinct * 4);
            GlobalRequest::of_atomic(&addresses, u32::MAX, 4).sectors
        };
        assert_eq!([32, 4, 1].map(sectors), [4, 8, 32]);
    }

    #[test]
    fn a_warp_of_floats_takes_four_sectors_and_a_column_thirty_two() {
        let cost = |stride| {
            let addresses = std::array::from_fn(|lane| lane as u64 * stride);
            let request = GlobalRequest::of(&addresses, u32::MAX, 4);
            (request.sectors, request.lines)
        };
        assert_eq!(cost(4), (4, 1));
        assert_eq!(cost(8), (8, 2));
        assert_eq!(cost(128), (32, 32));
        assert_eq!(cost(0), (1, 1));
    }
}
