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
//! How near it is, by `tests/tutor/simulator/levels.rs`, which prints the whole table: bytes read from memory
//! are 0.1 to 2.4 % low (a launch reads 3 to 7 KB of its own, which is most of what launches of a few
//! sectors read) and 8.6 % low for a copy of stride 2, whose partly written sectors an H200 drives
//! out early; sectors read from L2 are exact to 1.1 % low, 9 % high (four sectors) for launches of a
//! few dozen, and 83 % high for a naive matrix product (see `launch_model`).

use super::cache::{Cache, ReadCache, Slot};
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
    cache: Cache,
    /// Bytes of each line that memory does not have yet.
    dirty: Vec<u128>,
    /// Who wrote each line last: number of the launch, access site.
    writers: Vec<(u16, u16)>,
    launch: u16,
}

impl L2 {
    /// An empty cache.
    pub fn new(bytes: u64) -> Self {
        let cache = Cache::new(bytes);
        L2 {
            dirty: vec![0; cache.slots()],
            writers: vec![(0, 0); cache.slots()],
            cache,
            launch: 0,
        }
    }

    /// Begins the next launch, from what is in the cache.
    pub fn next_launch(&mut self) {
        self.launch = self.launch.wrapping_add(1);
    }

    /// Reads sectors of a line; `traffic` is by access site.
    fn read(&mut self, access: LineAccess, sectors: u8, traffic: &mut [Traffic]) {
        let (slot, cached) = self.find(access, traffic);
        let mine = &mut traffic[usize::from(access.site)];
        let missing = sectors & !cached;
        mine.l2.read_sectors += u64::from(sectors.count_ones());
        mine.l2.read_sectors_hit += u64::from((sectors & cached).count_ones());
        // Each missing sector brings its neighbour in the aligned pair, unless that is there.
        let pairs = (missing | missing << 1 & 0b1010 | missing >> 1 & 0b0101) & !cached;
        mine.dram.read_bytes += bytes(pairs);
        self.cache.add(slot, pairs);
    }

    /// Writes bytes of a line.
    fn write(&mut self, access: LineAccess, traffic: &mut [Traffic]) {
        let (slot, _) = self.find(access, traffic);
        let mine = &mut traffic[usize::from(access.site)];
        mine.l2.write_sectors += u64::from(access.sectors.count_ones());
        self.dirty[slot] |= access.bytes;
        self.writers[slot] = (self.launch, access.site);
        let dirty = self.dirty[slot];
        // Only sectors that are written wholly are valid without a read.
        let whole = |sector: &u8| !dirty & bytes_of(1 << sector) == 0;
        let written = (0..4).filter(whole).map(|sector| 1 << sector).sum();
        self.cache.add(slot, written);
    }

    /// The line's place and what is held of it. What makes room for it goes to memory.
    fn find(&mut self, access: LineAccess, traffic: &mut [Traffic]) -> (Slot, u8) {
        let found = self.cache.find_or_replace(access.line);
        if let Some((_, cached)) = found.evicted {
            let dirty = std::mem::take(&mut self.dirty[found.slot]);
            if dirty != 0 {
                let (launch, site) = self.writers[found.slot];
                // What another launch wrote is charged to the line that drove it out.
                let payer = if launch == self.launch {
                    site
                } else {
                    access.site
                };
                write_back(dirty, cached, &mut traffic[usize::from(payer)].dram);
            }
        }
        (found.slot, found.sectors)
    }
}

fn write_back(dirty: u128, cached: u8, dram: &mut DramCounts) {
    let touched = |sector: &u8| dirty & bytes_of(1 << sector) != 0;
    let sectors: u8 = (0..4).filter(touched).map(|sector| 1 << sector).sum();
    dram.write_bytes += bytes(sectors);
    dram.read_bytes += bytes(sectors & !cached);
}

fn bytes(sectors: u8) -> u64 {
    u64::from(sectors.count_ones()) * SECTOR_BYTES
}

/// Carries out an access of the SM whose L1 is `l1`.
pub fn access(l1: &mut ReadCache, l2: &mut L2, access: LineAccess, traffic: &mut [Traffic]) {
    match access.kind {
        AccessKind::Store => l2.write(access, traffic),
        AccessKind::Load => {
            let cached = l1.load(access.line, access.sectors);
            let hit = access.sectors & cached;
            let missing = access.sectors & !cached;
            let counts = &mut traffic[usize::from(access.site)].l1;
            counts.load_sectors_hit += u64::from(hit.count_ones());
            if missing != 0 {
                l2.read(access, missing, traffic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
            access(&mut self.l1, &mut self.l2, line_access, &mut self.traffic);
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
