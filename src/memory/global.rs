//! Requests to global memory: sectors and lines.

use crate::launch::{GlobalCounts, WARP_LANES, set_bits};

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
    /// its address, a multiple of the width.
    pub fn of(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> Self {
        let mut touched = *addresses;
        let mut lanes = WARP_LANES;
        // Active lanes are moved to the front; with all of them active nothing need be moved.
        if active != u32::MAX {
            lanes = 0;
            for (lane, &address) in addresses.iter().enumerate() {
                // Without a branch: what an inactive lane leaves is overwritten by the next.
                touched[lanes] = address;
                lanes += (active >> lane & 1) as usize;
            }
        }
        let touched = &mut touched[..lanes];
        // Addresses mostly rise with the lanes already, which costs little to see.
        let mut sorted = true;
        for at in 1..lanes {
            sorted &= touched[at - 1] <= touched[at];
        }
        let Touched {
            accesses,
            sectors,
            lines,
        } = if sorted {
            Touched::of_sorted(touched)
        } else {
            let mut found = Touched::default();
            let mut table = PlaceTable::default();
            touched
                .iter()
                .for_each(|&address| found.add(&mut table, address));
            found
        };
        GlobalRequest {
            sectors,
            lines,
            bytes: lanes as u64 * width,
            used_bytes: accesses * width,
        }
    }

    /// What differs in places, for [`Self::of_steps`]: the place, its sector, its line.
    pub const STEPS: [u32; 3] = [1, SECTOR_BYTES as u32, LINE_BYTES as u32];

    /// The same by the places of `lanes` lanes in one memory whose first byte begins a line, in order: by which of them are
    /// others than the one before, in other sectors, and in other lines. Lanes that sit the access out stand where others
    /// do.
    #[inline(always)]
    pub fn of_steps(steps: [u32; 3], lanes: u64, width: u64) -> Self {
        let [places, sectors, lines] = steps.map(|steps| u64::from(steps.count_ones()));
        GlobalRequest {
            sectors,
            lines,
            bytes: lanes * width,
            used_bytes: places * width,
        }
    }

    /// The cost of an atomic operation, of which the sectors count as [`Self::atomic_sectors`] says.
    pub fn of_atomic(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> Self {
        GlobalRequest {
            sectors: Self::atomic_sectors(addresses, active, width),
            ..Self::of(addresses, active, width)
        }
    }

    /// Sectors of an atomic operation by the lanes in `active`: lanes at one address take turns, and each turn moves the
    /// sectors that it touches. So a sector counts as often as the lanes at its busiest address,
    /// as an H200's counters have it.
    pub fn atomic_sectors(addresses: &[u64; WARP_LANES], active: u32, width: u64) -> u64 {
        let first = addresses[(active.trailing_zeros() as usize).min(WARP_LANES - 1)];
        let mut differences = 0;
        for (lane, address) in addresses.iter().enumerate() {
            // All ones for an active lane, which saves a branch.
            differences |= (address ^ first) & 0_u64.wrapping_sub(u64::from(active >> lane & 1));
        }
        if differences == 0 {
            return u64::from(active.count_ones());
        }
        let mut table = PlaceTable::default();
        // By slot: the most lanes at one address of its sector.
        let mut busiest = [0_u8; PlaceTable::SLOTS];
        let mut sectors = 0;
        for lane in set_bits(active) {
            let (slot, _) = table.find(addresses[lane] / SECTOR_BYTES);
            // A byte of the slot's bits counts for each place of two bytes, the narrowest that atomics change.
            let place = (addresses[lane] % SECTOR_BYTES) >> width.max(2).trailing_zeros();
            let counts = &mut table.bits[slot];
            *counts += 1 << (8 * place);
            let turns = (*counts >> (8 * place)) as u8;
            sectors += u64::from(turns > busiest[slot]);
            busiest[slot] = busiest[slot].max(turns);
        }
        sectors
    }

    /// What differs in places, for [`Self::atomic_sectors_of_steps`]: the place, its sector.
    pub const ATOMIC_STEPS: [u32; 2] = [1, SECTOR_BYTES as u32];

    /// The same by the places of the lanes, at least one, in one memory whose first byte begins a sector, in order: by
    /// which of them are others than the one before, and in other sectors.
    #[inline(always)]
    pub fn atomic_sectors_of_steps([places, sectors]: [u32; 2], lanes: u32) -> u64 {
        let all = u32::MAX >> (WARP_LANES as u32 - lanes);
        let mut rest = places & all;
        if rest == all {
            return u64::from((sectors & all).count_ones());
        }
        let (mut sum, mut busiest) = (0, 0);
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let turns = rest.trailing_zeros().min(lanes) - first;
            let is_new = sectors >> first & 1 == 1;
            sum += if is_new { busiest } else { 0 };
            busiest = if is_new { turns } else { turns.max(busiest) };
        }
        u64::from(sum + busiest)
    }

    /// The cost of an asynchronous copy of 16 bytes a lane by the lanes in `active`, past L1. Its sectors are counted where
    /// they arrive: 32 bytes of shared memory, which neighbouring lanes fill together.
    #[inline]
    pub fn past_l1(self, active: u32) -> Self {
        const FIRST_OF_TWO: u32 = 0x5555_5555;
        GlobalRequest {
            sectors: ((active | active >> 1) & FIRST_OF_TWO).count_ones().into(),
            ..self
        }
    }

    /// What is counted of it, where its lanes touch so many elements of a buffer.
    #[inline]
    pub fn counts(self, elements: u64) -> GlobalCounts {
        GlobalCounts {
            requests: 1,
            elements,
            // Known of a whole launch only.
            distinct_elements: 0,
            bytes: self.bytes,
            used_bytes: self.used_bytes,
            // Tags of L1 are looked up a line of 128 bytes at a time, data moves a sector of 32: both are counted.
            sectors: self.sectors,
            lines: self.lines,
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

/// Distinct places that the lanes of an access touch. Accesses of one width, aligned to it, are the same or do not
/// overlap.
#[derive(Default)]
struct Touched {
    accesses: u64,
    sectors: u64,
    lines: u64,
}

impl Touched {
    /// By addresses that rise.
    fn of_sorted(addresses: &[u64]) -> Self {
        let any = u64::from(!addresses.is_empty());
        let (mut accesses, mut sectors, mut lines) = (any, any, any);
        for at in 1..addresses.len() {
            // Sectors and lines are powers of two: two addresses lie in different ones where a high
            // bit differs.
            let difference = addresses[at - 1] ^ addresses[at];
            accesses += u64::from(difference != 0);
            sectors += u64::from(difference >= SECTOR_BYTES);
            lines += u64::from(difference >= LINE_BYTES);
        }
        Touched {
            accesses,
            sectors,
            lines,
        }
    }

    /// And by one more, with those so far in a table: half of the time of sorting them.
    fn add(&mut self, table: &mut PlaceTable, address: u64) {
        let (slot, is_new) = table.find(address / LINE_BYTES);
        let at = address % LINE_BYTES;
        // The first byte stands for an access, as accesses do not overlap.
        let place = 1_u128 << at;
        let sector = u128::from(u32::MAX) << (at / SECTOR_BYTES * SECTOR_BYTES);
        let line = &mut table.bits[slot];
        self.lines += u64::from(is_new);
        self.sectors += u64::from(*line & sector == 0);
        self.accesses += u64::from(*line & place == 0);
        *line |= place;
    }
}

/// The lines or sectors that the lanes of a warp go to, by a hash of their numbers.
struct PlaceTable {
    /// Their numbers, plus one; 0 where there is none.
    numbers: [u64; Self::SLOTS],
    /// What is kept of each.
    bits: [u128; Self::SLOTS],
}

impl Default for PlaceTable {
    fn default() -> Self {
        PlaceTable {
            numbers: [0; Self::SLOTS],
            bits: [0; Self::SLOTS],
        }
    }
}

impl PlaceTable {
    /// Twice as many as lanes, so that few of them meet.
    const SLOTS: usize = 2 * WARP_LANES;

    /// The slot of a line or sector, and whether it is new.
    #[inline(always)]
    fn find(&mut self, number: u64) -> (usize, bool) {
        // The high bits of multiples of the golden ratio spread neighbours evenly (Fibonacci hashing).
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (hash >> (u64::BITS - Self::SLOTS.ilog2())) as usize;
        // No more than half of the slots are ever taken, so the search ends.
        while self.numbers[slot] != number + 1 && self.numbers[slot] != 0 {
            slot = (slot + 1) % Self::SLOTS;
        }
        let is_new = self.numbers[slot] == 0;
        self.numbers[slot] = number + 1;
        (slot, is_new)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

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

    /// Which of the places differ from the one before in a bit worth `least` or more, and the first.
    fn steps(places: &[u32], least: u32) -> u32 {
        let pairs = places.windows(2).enumerate();
        pairs.fold(1, |steps, (at, pair)| {
            steps | u32::from(pair[0] ^ pair[1] >= least) << (at + 1)
        })
    }

    proptest! {
        #[test]
        fn a_sector_of_an_atomic_counts_as_its_busiest_address(
            slots in prop::array::uniform32(0_u64..40),
            active in 1_u32..,
            width in prop::sample::select(vec![2_u64, 4, 8, 16]),
        ) {
            let addresses = slots.map(|slot| slot * slot * width);
            let mut lanes = BTreeMap::<u64, u64>::new();
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                *lanes.entry(addresses[lane]).or_default() += 1;
            }
            let mut busiest = BTreeMap::<u64, u64>::new();
            for (address, lanes) in lanes {
                let most = busiest.entry(address / 32).or_default();
                *most = lanes.max(*most);
            }
            let sectors = GlobalRequest::atomic_sectors(&addresses, active, width);
            let expected = busiest.into_values().sum::<u64>();
            prop_assert_eq!(sectors, expected);
            let lanes = (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1);
            let mut places: Vec<u32> = lanes.map(|lane| addresses[lane] as u32).collect();
            places.sort_unstable();
            let steps = GlobalRequest::ATOMIC_STEPS.map(|least| steps(&places, least));
            let of_steps = GlobalRequest::atomic_sectors_of_steps(steps, active.count_ones());
            prop_assert_eq!(of_steps, expected);
        }

        #[test]
        fn any_pattern_costs_what_a_naive_count_says(
            slots in prop::array::uniform32(0_u64..200),
            active: u32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            base in 0_u64..100,
        ) {
            let addresses = slots.map(|slot| (base + slot) * width);
            let expected = naive(&addresses, active, width);
            prop_assert_eq!(GlobalRequest::of(&addresses, active, width), expected);
            if active != 0 {
                let first = addresses[active.trailing_zeros() as usize];
                let mut places: [u32; WARP_LANES] = std::array::from_fn(|lane| match active >> lane & 1 {
                    0 => first as u32,
                    _ => addresses[lane] as u32,
                });
                places.sort_unstable();
                let lanes = u64::from(active.count_ones());
                let steps = GlobalRequest::STEPS.map(|least| steps(&places, least));
                prop_assert_eq!(GlobalRequest::of_steps(steps, lanes, width), expected);
            }
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
            GlobalRequest::atomic_sectors(&addresses, u32::MAX, 4)
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
