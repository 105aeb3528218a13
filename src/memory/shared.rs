//! Requests to shared memory: banks and wavefronts.

use crate::launch::{AccessKind, SharedCounts, WARP_LANES, set_bits};

/// Banks of shared memory; word `i` of four bytes lies in bank `i mod 32`.
pub const BANKS: usize = 32;
/// Bits of a word's number that do not choose its bank.
const ROW_BITS: u32 = u32::BITS - BANKS.ilog2();

/// What one warp's load from or store to shared memory costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedRequest {
    /// Passes through the banks.
    pub wavefronts: u64,
    /// Fewest passes that an access of that width by those lanes can take.
    pub fewest: u64,
}

impl SharedRequest {
    /// The cost of an access of `width` bytes (1, 2, 4, 8 or 16) by the lanes in `active`, each at
    /// its offset in shared memory, in bytes. Lanes that load from or store to the same word share
    /// its pass.
    pub fn of(offsets: &[u32; WARP_LANES], active: u32, width: u32, kind: AccessKind) -> Self {
        let agree = |lane: usize, other: usize| offsets[lane] == offsets[other];
        // See `joins`: an H200 serves loads of neighbours that agree in half as many phases.
        let lanes = phase_lanes(width, width > 4 && joins(kind, active, agree));
        let mut request = SharedRequest::default();
        for phase in phases(active, lanes) {
            request.wavefronts += passes(offsets, phase, width);
            request.fewest += 1;
        }
        request
    }

    /// What differs in what [`Self::bank_order`] gives, for [`Self::of_steps`]: the word, its bank.
    pub const STEPS: [u32; 2] = [1, 1 << ROW_BITS];

    /// The same for lanes of up to 4 bytes each, at least one, by what [`Self::bank_order`] gives of their offsets, in
    /// order: by which of them are other words than the one before, and in other banks. Lanes that sit the access out
    /// stand where others do.
    #[inline(always)]
    pub fn of_steps([words, banks]: [u32; 2]) -> Self {
        // Another row of the same bank waits for one more pass, the same word for none.
        let mut waiting = words & !banks;
        let mut most = 1;
        if words == u32::MAX {
            // As often as the longest run of them can be made shorter.
            while waiting != 0 {
                waiting &= waiting << 1;
                most += 1;
            }
        } else if waiting != 0 {
            let mut rest = banks;
            while rest != 0 {
                let first = rest & rest.wrapping_neg();
                rest &= rest - 1;
                // From it to the next, or to the last word.
                let bank = (rest & rest.wrapping_neg()).wrapping_sub(first);
                most = most.max((words & bank).count_ones().into());
            }
        }
        SharedRequest {
            wavefronts: most,
            fewest: 1,
        }
    }

    /// A number of the word at an offset: words of one bank come one behind the other.
    #[inline(always)]
    pub fn bank_order(offset: u32) -> u32 {
        // The bank is in the lowest bits of a word's number, and now in the highest.
        (offset / 4).rotate_left(ROW_BITS)
    }

    /// The cost for the lanes of `active` at consecutive places, in order of the lanes.
    pub fn of_run(active: u32, width: u32, kind: AccessKind) -> Self {
        Self::free(active, width, kind, |_, _| false)
    }

    /// The cost for the lanes of `active` all at one place.
    pub fn of_uniform(active: u32, width: u32, kind: AccessKind) -> Self {
        Self::free(active, width, kind, |_, _| true)
    }

    /// The cost of a pattern that has no conflicts.
    fn free(
        active: u32,
        width: u32,
        kind: AccessKind,
        agree: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let fewest = phases(active, phase_lanes(width, joins(kind, active, agree))).count() as u64;
        SharedRequest {
            wavefronts: fewest,
            fewest,
        }
    }

    /// What is counted of it.
    pub fn counts(self) -> SharedCounts {
        SharedCounts {
            requests: 1,
            wavefronts: self.wavefronts,
            bank_conflicts: self.bank_conflicts(),
        }
    }

    /// Wavefronts beyond the fewest possible.
    pub fn bank_conflicts(self) -> u64 {
        self.wavefronts - self.fewest
    }
}

/// One pass through the banks: which word each bank serves, and the lanes that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wavefront {
    /// Which group of lanes it serves, from 0: all of the warp up to 4 bytes a lane, else a part of it.
    pub phase: usize,
    /// By bank: the number of the word that it serves, and the lanes that take it (bit `i` is lane `i`).
    pub served: [Option<(u32, u32)>; BANKS],
}

/// The passes through the banks that an access takes, in order: as many as [`SharedRequest::of`] counts.
pub fn wavefronts(
    offsets: &[u32; WARP_LANES],
    active: u32,
    width: u32,
    kind: AccessKind,
) -> Vec<Wavefront> {
    let agree = |lane: usize, other: usize| offsets[lane] == offsets[other];
    let lanes = phase_lanes(width, joins(kind, active, agree));
    let mut wavefronts = Vec::new();
    for (phase, lanes) in phases(active, lanes).enumerate() {
        let mut waiting = wanted(offsets, lanes, width);
        while !waiting.is_empty() {
            let mut served: [Option<(u32, u32)>; BANKS] = [None; BANKS];
            waiting.retain(|&(word, lanes)| {
                let bank = &mut served[word as usize % BANKS];
                let is_free = bank.is_none();
                if is_free {
                    *bank = Some((word, lanes));
                }
                !is_free
            });
            wavefronts.push(Wavefront { phase, served });
        }
    }
    wavefronts
}

/// The words that the lanes of one phase touch, in order of the lanes, each with all lanes that do.
fn wanted(offsets: &[u32; WARP_LANES], phase: u32, width: u32) -> Vec<(u32, u32)> {
    let mut words: Vec<(u32, u32)> = Vec::new();
    for lane in (0..WARP_LANES).filter(|lane| phase >> lane & 1 == 1) {
        let first = offsets[lane] / 4;
        for word in first..first + (width / 4).max(1) {
            match words.iter_mut().find(|(known, _)| *known == word) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => words.push((word, 1 << lane)),
            }
        }
    }
    words
}

/// Lanes whose accesses go through the banks together: the whole warp up to 4 bytes a lane, half
/// of it for 8 and a quarter for 16, so that a phase moves at most 128 bytes; twice as many where
/// neighbours join. The rule was found to hold for every load and store of
/// `tests/tutor/fixtures/counters/access_patterns.json`, measured on an H200.
fn phase_lanes(width: u32, joined: bool) -> usize {
    let parts = (width as usize / 4).max(1);
    if joined && parts > 1 {
        2 * WARP_LANES / parts
    } else {
        WARP_LANES / parts
    }
}

/// Whether a load of 8 or 16 bytes needs half as many phases: when each active lane agrees on its
/// address with the lane next to it (index xor 1), or each with the one after that (index xor 2),
/// as far as those are active. Stores never join.
fn joins(kind: AccessKind, active: u32, agree: impl Fn(usize, usize) -> bool) -> bool {
    let all_agree = |distance: u32, lower: u32| {
        // The lower lanes of pairs of which both are active.
        let both = active & active >> distance & lower;
        (0..WARP_LANES)
            .filter(|lane| both >> lane & 1 == 1)
            .all(|lane| agree(lane, lane + distance as usize))
    };
    kind == AccessKind::Load && (all_agree(1, 0x5555_5555) || all_agree(2, 0x3333_3333))
}

/// The active lanes of each phase that has any.
fn phases(active: u32, lanes: usize) -> impl Iterator<Item = u32> {
    // A phase is a group of neighbouring lanes: 0 to 15 and 16 to 31 for 8 bytes a lane.
    let of_phase = move |first| active & (u32::MAX >> (WARP_LANES - lanes)) << first;
    (0..WARP_LANES)
        .step_by(lanes)
        .map(of_phase)
        .filter(|&phase| phase != 0)
}

/// The most different words that the lanes of one phase touch in any bank.
fn passes(offsets: &[u32; WARP_LANES], phase: u32, width: u32) -> u64 {
    let row = |offset: u32| offset / (4 * BANKS as u32);
    let (mut first, mut last) = (u32::MAX, 0);
    for lane in set_bits(phase) {
        first = first.min(row(offsets[lane]));
        last = last.max(row(offsets[lane]));
    }
    // Rows are bits of a word below: more than it has go the long way.
    if last - first >= u64::BITS {
        return passes_far_apart(offsets, phase, width);
    }
    // By bank: the rows whose words it serves, a bit each, and how many they are.
    let (mut rows, mut counts) = ([0_u64; BANKS], [0_u8; BANKS]);
    let mut most = 0;
    for lane in set_bits(phase) {
        let bit = 1 << (row(offsets[lane]) - first);
        // An access, aligned to its width, stays in its row.
        for word in offsets[lane] / 4..offsets[lane] / 4 + (width / 4).max(1) {
            let bank = word as usize % BANKS;
            counts[bank] += u8::from(rows[bank] & bit == 0);
            rows[bank] |= bit;
            most = most.max(counts[bank]);
        }
    }
    most.into()
}

/// The same for words wherever they lie, pass by pass.
fn passes_far_apart(offsets: &[u32; WARP_LANES], phase: u32, width: u32) -> u64 {
    let words_each = (width / 4).max(1);
    // Lanes that join may touch twice as many, each word by two of them.
    let mut words = [0; 2 * WARP_LANES];
    let mut count = 0;
    for lane in set_bits(phase) {
        for word in 0..words_each {
            words[count] = offsets[lane] / 4 + word;
            count += 1;
        }
    }
    let mut passes = 0;
    while count > 0 {
        count = pass(&mut words[..count]);
        passes += 1;
    }
    passes
}

/// Serves one word of each bank; moves the words that must wait to the front and counts them.
fn pass(words: &mut [u32]) -> usize {
    let mut busy = 0_u32;
    let mut served = [0; BANKS];
    let mut waiting = 0;
    for at in 0..words.len() {
        let word = words[at];
        let bank = word as usize % BANKS;
        let is_free = busy >> bank & 1 == 0;
        served[bank] = if is_free { word } else { served[bank] };
        busy |= 1 << bank;
        // Written always and kept by chance of the next line: no branch that depends on the
        // addresses.
        words[waiting] = word;
        waiting += usize::from(served[bank] != word);
    }
    waiting
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn naive(
        offsets: &[u32; WARP_LANES],
        active: u32,
        width: u32,
        kind: AccessKind,
    ) -> SharedRequest {
        let is_active = |lane: usize| active >> lane & 1 == 1;
        let joins = |distance: usize| {
            (0..WARP_LANES).all(|lane| {
                let other = lane ^ distance;
                !is_active(lane) || !is_active(other) || offsets[lane] == offsets[other]
            })
        };
        let phases = match width {
            16 => 4,
            8 => 2,
            _ => 1,
        };
        let joined = kind == AccessKind::Load && (joins(1) || joins(2));
        let phases = if joined && phases > 1 {
            phases / 2
        } else {
            phases
        };
        let mut request = SharedRequest::default();
        for phase in 0..phases {
            let lanes = (0..WARP_LANES)
                .filter(|&lane| is_active(lane) && lane * phases / WARP_LANES == phase);
            let words: BTreeSet<u32> = lanes
                .flat_map(|lane| offsets[lane]..offsets[lane] + width)
                .map(|byte| byte / 4)
                .collect();
            let most = (0..32)
                .map(|bank| words.iter().filter(|&word| word % 32 == bank).count())
                .max();
            request.wavefronts += most.unwrap_or(0) as u64;
            request.fewest += u64::from(!words.is_empty());
        }
        request
    }

    const KINDS: [AccessKind; 2] = [AccessKind::Load, AccessKind::Store];

    proptest! {
        #[test]
        fn any_pattern_costs_what_a_naive_count_says(
            slots in prop::array::uniform32(0_u32..300),
            shared_by in 0..WARP_LANES,
            spread in prop::sample::select(vec![1_u32, 2, 9]),
            active: u32,
            width in prop::sample::select(vec![1_u32, 2, 4, 8, 16]),
            kind in prop::sample::select(KINDS.to_vec()),
        ) {
            let offsets = std::array::from_fn(|lane| slots[lane & !shared_by] * spread * width);
            let expected = naive(&offsets, active, width, kind);
            prop_assert_eq!(SharedRequest::of(&offsets, active, width, kind), expected);
            if active != 0 && width <= 4 {
                let first = offsets[active.trailing_zeros() as usize];
                let mut words: [u32; WARP_LANES] = std::array::from_fn(|lane| {
                    let takes_part = active >> lane & 1 == 1;
                    SharedRequest::bank_order(if takes_part { offsets[lane] } else { first })
                });
                words.sort_unstable();
                let steps = SharedRequest::STEPS.map(|least| {
                    let pairs = words.windows(2).enumerate();
                    pairs.fold(1, |steps, (at, pair)| {
                        steps | u32::from(pair[0] ^ pair[1] >= least) << (at + 1)
                    })
                });
                prop_assert_eq!(SharedRequest::of_steps(steps), expected);
            }
        }

        #[test]
        fn wavefronts_are_as_many_as_are_counted_and_serve_every_lane(
            slots in prop::array::uniform32(0_u32..300),
            shared_by in 0..WARP_LANES,
            active: u32,
            width in prop::sample::select(vec![1_u32, 2, 4, 8, 16]),
            kind in prop::sample::select(KINDS.to_vec()),
        ) {
            let offsets = std::array::from_fn(|lane| slots[lane & !shared_by] * width);
            let drawn = wavefronts(&offsets, active, width, kind);
            let counted = SharedRequest::of(&offsets, active, width, kind);
            prop_assert_eq!(drawn.len() as u64, counted.wavefronts);
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                let first = offsets[lane] / 4;
                for word in first..first + (width / 4).max(1) {
                    let serves = |wave: &&Wavefront| {
                        let served = wave.served[word as usize % BANKS];
                        served.is_some_and(|(at, lanes)| at == word && lanes >> lane & 1 == 1)
                    };
                    prop_assert_eq!(drawn.iter().filter(serves).count(), 1);
                }
            }
        }

        #[test]
        fn a_run_has_no_conflicts(
            first in 0_u32..64,
            active in 1_u32..,
            width in prop::sample::select(vec![1_u32, 2, 4, 8, 16]),
            kind in prop::sample::select(KINDS.to_vec()),
        ) {
            let before = |lane: usize| (active & !(u32::MAX << lane)).count_ones();
            let run = std::array::from_fn(|lane| (first + before(lane)) * width);
            let cost = SharedRequest::of_run(active, width, kind);
            prop_assert_eq!(cost, naive(&run, active, width, kind));
            let cost = SharedRequest::of_uniform(active, width, kind);
            prop_assert_eq!(cost, naive(&[first * width; WARP_LANES], active, width, kind));
        }
    }

    #[test]
    fn strides_conflict_as_their_common_divisor_with_the_banks() {
        let cost = |stride: u32| {
            let offsets = std::array::from_fn(|lane| lane as u32 * stride * 4);
            let request = SharedRequest::of(&offsets, u32::MAX, 4, AccessKind::Load);
            (request.wavefronts, request.bank_conflicts())
        };
        assert_eq!(cost(1), (1, 0));
        assert_eq!(cost(2), (2, 1));
        assert_eq!(cost(32), (32, 31));
        assert_eq!(cost(33), (1, 0));
        assert_eq!(cost(0), (1, 0));
    }

    /// Wavefronts a request, read from an H200's counters (`l1tex__data_pipe_lsu_wavefronts` of
    /// shared loads): a column of a 32 by 32 tile of floats, and every second double.
    #[test]
    fn wavefronts_are_those_of_an_h200() {
        let wavefronts = |stride: u32, width| {
            let offsets = std::array::from_fn(|lane| lane as u32 * stride);
            SharedRequest::of(&offsets, u32::MAX, width, AccessKind::Load).wavefronts
        };
        assert_eq!(wavefronts(128, 4), 1_048_576 / 32_768);
        assert_eq!(wavefronts(16, 8), 4096 / 1024);
    }
}
