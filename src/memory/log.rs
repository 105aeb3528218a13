//! What a block asked of global memory, in order: the input of the cache model.
//!
//! One word a warp, line and access, so that a launch's accesses stream through little memory:
//! address of the line, which of its four sectors, load or store, access site. A store that leaves
//! bytes of a sector alone is followed by the bytes it writes, in two words.

use super::{AccessKind, LINE_BYTES, SECTOR_BYTES};
use crate::launch::WARP_LANES;

const STORE: u64 = 1 << 4;
const PARTIAL: u64 = 1 << 5;
const BARRIER: u64 = 1 << 6;
const LINE_MASK: u64 = (1 << SITE_SHIFT) - LINE_BYTES;
const SITE_SHIFT: u32 = 48;
const SECTORS: u64 = LINE_BYTES / SECTOR_BYTES;

/// The accesses of one block to global memory, warp by warp.
#[derive(Debug, Default)]
pub struct AccessLog {
    warps: Vec<Vec<u64>>,
}

/// One warp's access to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineAccess {
    /// Address of the line, a multiple of 128.
    pub line: u64,
    /// Its sectors, a bit each.
    pub sectors: u8,
    /// Load or store.
    pub kind: AccessKind,
    /// The access site.
    pub site: u16,
    /// Bytes that a store writes, a bit each; all of `sectors` otherwise.
    pub bytes: u128,
}

/// An entry of a warp's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It goes to memory.
    Access(LineAccess),
    /// It waits for the block's other warps.
    Barrier,
}

impl AccessLog {
    /// Empties the log and makes it one of `warps` warps.
    pub fn reset(&mut self, warps: usize) {
        self.warps.iter_mut().for_each(Vec::clear);
        self.warps.resize_with(warps, Vec::new);
    }

    /// Words that it holds.
    pub fn words(&self) -> usize {
        self.warps.iter().map(Vec::len).sum()
    }

    /// Warps of the block.
    pub fn warps(&self) -> usize {
        self.warps.len()
    }

    /// An access of a warp to the bytes from `first` on: to each once, or all lanes to the same.
    #[inline]
    pub fn run(&mut self, warp: usize, site: u32, kind: AccessKind, first: u64, bytes: u64) {
        let end = first + bytes;
        let list = &mut self.warps[warp];
        let mut at = first;
        while at < end {
            let line = at & !(LINE_BYTES - 1);
            let until = end.min(line + LINE_BYTES);
            let (from, to) = (at - line, until - line);
            let sectors = (1 << to.div_ceil(SECTOR_BYTES)) - (1 << (from / SECTOR_BYTES));
            let whole = (from | to).is_multiple_of(SECTOR_BYTES);
            let word = entry(line, sectors, site);
            match kind {
                AccessKind::Load => list.push(word),
                AccessKind::Store if whole => list.push(word | STORE),
                AccessKind::Store => push_partial(list, word, byte_range(from, to - from)),
            }
            at = until;
        }
    }

    /// An access of `width` bytes (1, 2, 4, 8 or 16) by the lanes of `active`, each at its address,
    /// a multiple of the width.
    pub fn scattered(
        &mut self,
        warp: usize,
        site: u32,
        kind: AccessKind,
        addresses: &[u64; WARP_LANES],
        active: u32,
        width: u64,
    ) {
        let mut lines = [(0_u64, 0_u128); WARP_LANES];
        let mut count = 0;
        let mut rest = active;
        while rest != 0 {
            let address = addresses[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let line = address & !(LINE_BYTES - 1);
            let bytes = byte_range(address - line, width);
            // Neighbours mostly share the line before, or begin a new one.
            match lines[..count].iter().rposition(|known| known.0 == line) {
                Some(at) => lines[at].1 |= bytes,
                None => {
                    lines[count] = (line, bytes);
                    count += 1;
                }
            }
        }
        let list = &mut self.warps[warp];
        for &(line, bytes) in &lines[..count] {
            let sectors = touched(bytes);
            let word = entry(line, sectors.into(), site);
            match kind {
                AccessKind::Load => list.push(word),
                AccessKind::Store if bytes == bytes_of(sectors) => list.push(word | STORE),
                AccessKind::Store => push_partial(list, word, bytes),
            }
        }
    }

    /// The warp waits for the others of its block.
    pub fn barrier(&mut self, warp: usize) {
        self.warps[warp].push(BARRIER);
    }

    /// The entry at `at` of a warp's list, and where the next one is; none at its end.
    pub fn entry(&self, warp: usize, at: usize) -> Option<(Entry, usize)> {
        let list = &self.warps[warp];
        let word = *list.get(at)?;
        if word & BARRIER != 0 {
            return Some((Entry::Barrier, at + 1));
        }
        let sectors = (word & 0xf) as u8;
        let (bytes, next) = if word & PARTIAL != 0 {
            let [low, high] = [list[at + 1], list[at + 2]].map(u128::from);
            (low | high << 64, at + 3)
        } else {
            (bytes_of(sectors), at + 1)
        };
        let kind = match word & STORE {
            0 => AccessKind::Load,
            _ => AccessKind::Store,
        };
        let access = LineAccess {
            line: word & LINE_MASK,
            sectors,
            kind,
            site: (word >> SITE_SHIFT) as u16,
            bytes,
        };
        Some((Entry::Access(access), next))
    }
}

/// Sites from 65 535 on share the last number.
fn entry(line: u64, sectors: u64, site: u32) -> u64 {
    (line & LINE_MASK) | sectors | u64::from(site.min(0xffff)) << SITE_SHIFT
}

fn push_partial(list: &mut Vec<u64>, word: u64, bytes: u128) {
    list.extend([word | STORE | PARTIAL, bytes as u64, (bytes >> 64) as u64]);
}

/// `count` bytes (at least one) of a line from `first` on.
fn byte_range(first: u64, count: u64) -> u128 {
    (u128::MAX >> (u64::from(u128::BITS) - count)) << first
}

/// The sectors that have any of `bytes`.
fn touched(bytes: u128) -> u8 {
    let sector = |at: u64| u8::from(bytes >> (at * SECTOR_BYTES) & 0xffff_ffff != 0) << at;
    (0..SECTORS).map(sector).sum()
}

/// All bytes of some sectors.
pub fn bytes_of(sectors: u8) -> u128 {
    let sector = |at: u64| u128::from(sectors >> at & 1) * (0xffff_ffff << (at * SECTOR_BYTES));
    (0..SECTORS).map(sector).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn accesses(log: &AccessLog, warp: usize) -> Vec<LineAccess> {
        let mut at = 0;
        let mut all = Vec::new();
        while let Some((entry, next)) = log.entry(warp, at) {
            if let Entry::Access(access) = entry {
                all.push(access);
            }
            at = next;
        }
        all
    }

    fn kinds() -> impl Strategy<Value = AccessKind> {
        prop::sample::select(vec![AccessKind::Load, AccessKind::Store])
    }

    proptest! {
        #[test]
        fn a_log_gives_back_the_bytes_of_each_line(
            slots in prop::array::uniform32(0_u64..200),
            active: u32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            base in 0_u64..100,
            kind in kinds(),
        ) {
            let base = (3 << 40) + base * 16;
            let addresses = slots.map(|slot| base + slot * width);
            let mut log = AccessLog::default();
            log.reset(2);
            log.scattered(1, 7, kind, &addresses, active, width);
            let mut expected = BTreeMap::<u64, u128>::new();
            for lane in (0..WARP_LANES).filter(|lane| active >> lane & 1 == 1) {
                for byte in addresses[lane]..addresses[lane] + width {
                    *expected.entry(byte / 128 * 128).or_default() |= 1 << (byte % 128);
                }
            }
            let found = accesses(&log, 1);
            prop_assert_eq!(found.len(), expected.len());
            for access in found {
                let bytes = expected[&access.line];
                prop_assert_eq!((access.kind, access.site), (kind, 7));
                prop_assert_eq!(access.sectors, touched(bytes));
                if kind == AccessKind::Store {
                    prop_assert_eq!(access.bytes, bytes);
                }
            }
        }

        #[test]
        fn a_run_is_the_same_as_its_lanes(
            first in 0_u64..64,
            lanes in 1_u32..=32,
            width in prop::sample::select(vec![1_u64, 2, 4, 8, 16]),
            kind in kinds(),
        ) {
            let first = (1 << 40) + first * width;
            let addresses = std::array::from_fn(|lane| first + lane as u64 * width);
            let mut log = AccessLog::default();
            log.reset(2);
            log.run(0, 3, kind, first, u64::from(lanes) * width);
            log.scattered(1, 3, kind, &addresses, u32::MAX >> (32 - lanes), width);
            prop_assert_eq!(accesses(&log, 0), accesses(&log, 1));
        }
    }

    #[test]
    fn barriers_stand_between_accesses_and_a_reset_forgets() {
        let mut log = AccessLog::default();
        log.reset(1);
        log.run(0, 0, AccessKind::Load, 1 << 40, 4);
        log.barrier(0);
        assert_eq!(log.entry(0, 1), Some((Entry::Barrier, 2)));
        assert_eq!((log.words(), log.entry(0, 2)), (2, None));
        log.reset(3);
        assert_eq!((log.words(), log.warps()), (0, 3));
    }
}
