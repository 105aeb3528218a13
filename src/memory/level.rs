//! L2 and device memory behind it, and what an SM's L1 asks of them.
//!
//! The rules, and what speaks for them (H200 counters in `tests/tutor/fixtures/counters`):
//! - L1 holds what was loaded, by sectors of 32 bytes. A store goes through to L2 and allocates
//!   nothing in L1;
//! - L2 holds loads and stores. A store of a whole sector needs nothing from memory; bytes of a
//!   sector are kept as bytes, and the rest is read when the sector is read or makes room;
//! - L2 reads missing sectors from memory in aligned pairs, 64 bytes: the default of
//!   `cudaLimitMaxL2FetchGranularity`. No counter in the fixtures tells 32 from 64;
//! - what is written goes to memory when it makes room, in sectors. What is left in the end does not.
//!
//! How near it is, by `tests/simulation/levels.rs`, which prints the whole table: bytes read from memory
//! are 0.1 to 2.4 % low (a launch reads 3 to 7 KB of its own, which is most of what launches of a few
//! sectors read) and 8.6 % low for a copy of stride 2, whose partly written sectors an H200 drives
//! out early; sectors read from L2 are exact to 1.1 % low, 9 % high (four sectors) for launches of a
//! few dozen, and 83 % high for a naive matrix product (see `launch_model`).

use super::cache::{Cache, Evicted, LineSet, ReadCache, prefetch};
use super::global::SECTOR_BYTES;
use super::log::{LineAccess, bytes_of};
use crate::launch::{AccessKind, DramCounts, L1Counts, L2Counts};

/// What went between the levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Found in L1.
    pub l1: L1Counts,
    /// Between L1 and L2.
    pub l2: L2Counts,
    /// Between L2 and device memory.
    pub dram: DramCounts,
}

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.l1 += other.l1;
        self.l2 += other.l2;
        self.dram += other.dram;
    }
}

/// The L2 cache of a GPU.
#[derive(Debug)]
pub struct L2 {
    /// With what is known of each line's writes, as the bits of [`Written`].
    cache: Cache<u64>,
    /// By place in the cache, of lines with sectors that were written in part and are not held: the bytes of these that
    /// were. Beside the cache, as most lines have none and leave its memory untouched.
    partial: Vec<u128>,
    launch: u16,
}

/// What is known of a line's writes.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// The launch and access site of the last one.
    launch: u16,
    site: u16,
    /// Sectors of which memory does not have all bytes yet.
    sectors: u8,
    /// Whether the line is among those written in part.
    is_partial: bool,
}

impl Written {
    fn to_bits(self) -> u64 {
        let low = u64::from(self.sectors) | u64::from(self.is_partial) << 8;
        low | u64::from(self.site) << 16 | u64::from(self.launch) << 32
    }

    fn from_bits(bits: u64) -> Self {
        Written {
            launch: (bits >> 32) as u16,
            site: (bits >> 16) as u16,
            sectors: bits as u8,
            is_partial: bits >> 8 & 1 == 1,
        }
    }
}

impl L2 {
    /// An empty cache.
    pub fn new(bytes: u64) -> Self {
        let cache = Cache::new(bytes);
        L2 {
            partial: vec![0; cache.lines()],
            cache,
            launch: 0,
        }
    }

    /// Begins the next launch, from what is in the cache.
    pub fn next_launch(&mut self) {
        self.launch = self.launch.wrapping_add(1);
    }

    /// Where to look for a line.
    #[inline(always)]
    pub fn set_of(&self, line: u64) -> LineSet {
        self.cache.set_of(line)
    }

    /// Asks the host's memory for what [`L2::access`] is going to look at.
    #[inline(always)]
    pub fn fetch(&self, access: &LineAccess, set: LineSet) {
        let at = self.cache.fetch(set);
        if access.kind == AccessKind::Store && access.bytes != bytes_of(access.sectors) {
            prefetch(&self.partial, at);
        }
    }

    /// Carries out what an SM asks of a line, whose set is `set`; `traffic` is by access site.
    #[inline]
    pub fn access(&mut self, access: &LineAccess, set: LineSet, traffic: &mut [Traffic]) {
        match access.kind {
            AccessKind::Load => self.read(access, set, traffic),
            AccessKind::Store => self.write(access, set, traffic),
        }
    }

    /// Reads sectors of a line.
    fn read(&mut self, access: &LineAccess, set: LineSet, traffic: &mut [Traffic]) {
        let sectors = access.sectors;
        let mut found = self.cache.find_or_replace(access.line, set);
        let held = found.sectors();
        let missing = sectors & !held;
        // Each missing sector brings its neighbour in the aligned pair, unless that is there.
        let pairs = (missing | missing << 1 & 0b1010 | missing >> 1 & 0b0101) & !held;
        found.add(pairs);
        let (at, evicted) = (found.at, found.evicted);
        forget_bytes(&mut self.partial[at], evicted);
        let mine = &mut traffic[usize::from(access.site)];
        mine.l2.read_sectors += u64::from(sectors.count_ones());
        mine.l2.read_sectors_hit += u64::from((sectors & held).count_ones());
        mine.dram.read_bytes += bytes(pairs);
        self.make_room(evicted, access, traffic);
    }

    /// Writes bytes of a line.
    fn write(&mut self, access: &LineAccess, set: LineSet, traffic: &mut [Traffic]) {
        let mut found = self.cache.find_or_replace(access.line, set);
        let is_whole = access.bytes == bytes_of(access.sectors);
        // Only sectors that are written wholly are valid without a read.
        let mut whole = if is_whole {
            access.sectors
        } else {
            wholly(access.bytes)
        };
        // A sector that is held takes bytes as they come.
        let part = access.sectors & !whole & !found.sectors();
        let evicted = found.evicted;
        forget_bytes(&mut self.partial[found.at], evicted);
        if part != 0 {
            // What several writes make whole together is valid too.
            let bytes = &mut self.partial[found.at];
            *bytes |= access.bytes & bytes_of(part);
            whole |= wholly(*bytes);
        }
        found.add(whole);
        let before = Written::from_bits(*found.note);
        let written = Written {
            launch: self.launch,
            site: access.site,
            sectors: before.sectors | access.sectors,
            is_partial: before.is_partial || part != 0,
        };
        *found.note = written.to_bits();
        let mine = &mut traffic[usize::from(access.site)];
        mine.l2.write_sectors += u64::from(access.sectors.count_ones());
        self.make_room(evicted, access, traffic);
    }

    /// What makes room for `access` goes to memory.
    #[inline(always)]
    fn make_room(
        &mut self,
        evicted: Option<Evicted<u64>>,
        access: &LineAccess,
        traffic: &mut [Traffic],
    ) {
        // A line that nobody wrote to leaves nothing to memory.
        let Some(evicted) = evicted.filter(|evicted| evicted.note != 0) else {
            return;
        };
        let note = Written::from_bits(evicted.note);
        // What another launch wrote is charged to the line that drove it out.
        let payer = if note.launch == self.launch {
            note.site
        } else {
            access.site
        };
        let dram = &mut traffic[usize::from(payer)].dram;
        dram.write_bytes += bytes(note.sectors);
        // The rest of sectors that were written in part and not read since.
        dram.read_bytes += bytes(note.sectors & !evicted.sectors);
    }
}

/// The bytes of a line that had to go say nothing of the one that has come to its place.
#[inline(always)]
fn forget_bytes(bytes: &mut u128, evicted: Option<Evicted<u64>>) {
    if evicted.is_some_and(|evicted| Written::from_bits(evicted.note).is_partial) {
        *bytes = 0;
    }
}

/// The sectors of which all bytes are among some.
fn wholly(bytes: u128) -> u8 {
    let whole = |sector: u64| (bytes >> (sector * SECTOR_BYTES)) as u32 == u32::MAX;
    (0..4).map(|sector| u8::from(whole(sector)) << sector).sum()
}

fn bytes(sectors: u8) -> u64 {
    u64::from(sectors.count_ones()) * SECTOR_BYTES
}

/// Carries out an access as far as the SM's own cache goes, where `set` is the line's; the sectors that it asks of L2.
#[inline]
pub fn missing_in_l1(
    l1: &mut ReadCache,
    access: &LineAccess,
    set: LineSet,
    traffic: &mut [Traffic],
) -> u8 {
    if access.kind == AccessKind::Store {
        return access.sectors;
    }
    let cached = l1.load(access.line, set, access.sectors);
    let hit = access.sectors & cached;
    let counts = &mut traffic[usize::from(access.site)].l1;
    counts.load_sectors_hit += u64::from(hit.count_ones());
    access.sectors & !cached
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Levels {
        l1: ReadCache,
        l2: L2,
        traffic: Vec<Traffic>,
    }

    impl Levels {
        fn new() -> Self {
            Levels {
                l1: ReadCache::new(4096),
                l2: L2::new(2048),
                traffic: vec![Traffic::default(); 2],
            }
        }

        fn load(&mut self, line: u64, sectors: u8) -> &mut Self {
            self.go(AccessKind::Load, line, sectors, bytes_of(sectors))
        }

        fn store(&mut self, line: u64, sectors: u8, bytes: u128) -> &mut Self {
            self.go(AccessKind::Store, line, sectors, bytes)
        }

        fn go(&mut self, kind: AccessKind, line: u64, sectors: u8, bytes: u128) -> &mut Self {
            let line_access = LineAccess {
                line: (1 << 40) + line * 128,
                sectors,
                kind,
                site: 1,
                bytes,
            };
            let set = self.l1.set_of(line_access.line);
            let sectors = missing_in_l1(&mut self.l1, &line_access, set, &mut self.traffic);
            if sectors != 0 {
                let asked = LineAccess {
                    sectors,
                    ..line_access
                };
                let set = self.l2.set_of(asked.line);
                self.l2.access(&asked, set, &mut self.traffic);
            }
            self
        }

        /// L1 hits; sectors read from L2, found there, written to it; bytes from and to memory.
        fn counts(&self) -> [u64; 6] {
            let Traffic { l1, l2, dram } = self.traffic[1];
            [
                l1.load_sectors_hit,
                l2.read_sectors,
                l2.read_sectors_hit,
                l2.write_sectors,
                dram.read_bytes,
                dram.write_bytes,
            ]
        }
    }

    /// An L2 of one set, by the rules and nothing else: its lines, the one used last behind.
    #[derive(Default)]
    struct Plain {
        lines: Vec<PlainLine>,
        launch: u16,
    }

    #[derive(Clone, Copy, Default)]
    struct PlainLine {
        line: u64,
        held: u8,
        dirty: u128,
        writer: (u16, u16),
    }

    impl Plain {
        fn go(&mut self, access: LineAccess, traffic: &mut [Traffic]) {
            let found = self
                .lines
                .iter()
                .position(|known| known.line == access.line);
            if found.is_none() && self.lines.len() == 16 {
                let gone = self.lines.remove(0);
                let is_ours = gone.writer.0 == self.launch && gone.dirty != 0;
                let payer = if is_ours { gone.writer.1 } else { access.site };
                let touched = |sector: &u8| gone.dirty & bytes_of(1 << sector) != 0;
                for sector in (0..4).filter(touched) {
                    let dram = &mut traffic[usize::from(payer)].dram;
                    dram.write_bytes += 32;
                    dram.read_bytes += if gone.held >> sector & 1 == 0 { 32 } else { 0 };
                }
            }
            let new = PlainLine {
                line: access.line,
                ..PlainLine::default()
            };
            let mut line = found.map_or(new, |at| self.lines.remove(at));
            let mine = &mut traffic[usize::from(access.site)];
            let count = u64::from(access.sectors.count_ones());
            if access.kind == AccessKind::Store {
                mine.l2.write_sectors += count;
                line.dirty |= access.bytes;
                line.writer = (self.launch, access.site);
                let whole = |sector: &u8| !line.dirty & bytes_of(1 << sector) == 0;
                line.held |= (0..4).filter(whole).map(|sector| 1 << sector).sum::<u8>();
            } else {
                mine.l2.read_sectors += count;
                mine.l2.read_sectors_hit += u64::from((access.sectors & line.held).count_ones());
                for pair in [0b0011, 0b1100] {
                    if access.sectors & !line.held & pair != 0 {
                        mine.dram.read_bytes += bytes(pair & !line.held);
                        line.held |= pair;
                    }
                }
            }
            self.lines.push(line);
        }
    }

    proptest! {
        #[test]
        fn what_moves_is_what_the_rules_say(
            accesses in prop::collection::vec(
                (0_u64..24, 0_u16..3, any::<bool>(), prop::bits::u8::between(0, 8), 0_u8..30),
                1..300,
            ),
        ) {
            let (mut l2, mut plain) = (L2::new(2048), Plain::default());
            let [mut found, mut expected] = [(); 2].map(|()| vec![Traffic::default(); 3]);
            for (line, site, is_store, quarters, launch) in accesses {
                if launch == 0 {
                    l2.next_launch();
                    plain.launch += 1;
                }
                // Halves of sectors, so that some are written in part and completed later.
                let half = |at: &u32| quarters >> at & 1 == 1;
                let bytes = (0..8).filter(half).fold(0_u128, |all, at| all | 0xffff << (16 * at));
                let touched = |sector: &u8| bytes & bytes_of(1 << sector) != 0;
                let sectors = (0..4).filter(touched).map(|sector| 1 << sector).sum();
                if sectors == 0 {
                    continue;
                }
                let kind = if is_store { AccessKind::Store } else { AccessKind::Load };
                let line = (1 << 40) + line * 128;
                let access = LineAccess { line, sectors, kind, site, bytes };
                l2.access(&access, l2.set_of(line), &mut found);
                plain.go(access, &mut expected);
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn a_load_fills_l1_by_sectors_and_l2_by_pairs_of_them() {
        let mut levels = Levels::new();
        levels.load(5, 0b0001);
        assert_eq!(levels.counts(), [0, 1, 0, 0, 64, 0]);
        levels.load(5, 0b0011);
        assert_eq!(levels.counts(), [1, 2, 1, 0, 64, 0]);
        levels.load(5, 0b1111);
        assert_eq!(levels.counts(), [3, 4, 1, 0, 128, 0]);
    }

    #[test]
    fn a_store_allocates_in_l2_alone_and_reads_nothing() {
        let mut levels = Levels::new();
        levels.store(5, 0b0011, bytes_of(0b0011));
        assert_eq!(levels.counts(), [0, 0, 0, 2, 0, 0]);
        levels.load(5, 0b0011);
        assert_eq!(levels.counts(), [0, 2, 2, 2, 0, 0]);
    }

    #[test]
    fn part_of_a_sector_is_completed_by_stores_or_read_when_needed() {
        let mut levels = Levels::new();
        levels
            .store(5, 0b0001, 0xffff)
            .store(5, 0b0001, 0xffff_0000);
        levels.load(5, 0b0001);
        assert_eq!(levels.counts(), [0, 1, 1, 2, 0, 0]);
        levels.store(6, 0b0001, 0xff).load(6, 0b0001);
        assert_eq!(levels.counts(), [0, 2, 1, 3, 64, 0]);
    }

    #[test]
    fn what_was_written_goes_to_memory_when_it_makes_room() {
        let mut levels = Levels::new();
        levels.store(0, 0b1001, bytes_of(0b0001) | 0xff << 96);
        for line in 1..16 {
            levels.load(line, 0b0001);
        }
        assert_eq!(levels.counts()[5], 0);
        levels.load(16, 0b0001);
        // Two sectors out, the one written in part read first.
        assert_eq!(levels.counts()[4..], [16 * 64 + 32, 64]);
    }
}
