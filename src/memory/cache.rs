//! A sectored cache: which sectors of which lines it holds, and which line makes room.
//!
//! Sixteen ways, the line that was not used for longest goes first. NVIDIA publishes neither
//! ways nor policy; a large associativity with spread sets comes close to any. A run of lines falls
//! on all sets equally, and so, nearly, does every stride but multiples of a whole way.

use super::global::LINE_BYTES;

/// Lines of a set.
const WAYS: usize = 16;

/// The tags of a cache. What else is known of a line, its owner keeps by [`Slot`].
#[derive(Debug)]
pub struct Cache {
    /// Address of the line, and in its low bits the sectors held; 0 where there is no line.
    tags: Vec<u64>,
    /// When each line was used last.
    used: Vec<u64>,
    clock: u64,
    sets: Sets,
}

/// The sets of a cache, `odd << shift` of them.
#[derive(Clone, Copy, Debug)]
struct Sets {
    odd: u64,
    shift: u32,
}

/// Index of a line's place in a cache.
pub type Slot = usize;

/// Where a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place.
    pub slot: Slot,
    /// The sectors of it that were held.
    pub sectors: u8,
    /// The line that had to go: its address and sectors.
    pub evicted: Option<(u64, u8)>,
}

impl Cache {
    /// An empty cache of about `bytes` bytes, at least one set.
    pub fn new(bytes: u64) -> Self {
        let sets = Sets::new(bytes);
        Cache {
            tags: vec![0; sets.slots()],
            used: vec![0; sets.slots()],
            clock: 0,
            sets,
        }
    }

    /// Lines that it can hold.
    pub fn slots(&self) -> usize {
        self.tags.len()
    }

    /// Looks for a line and makes room for it if it is not there; in both cases it is now the one
    /// used last.
    pub fn find_or_replace(&mut self, line: u64) -> Found {
        let first = self.sets.of(line) * WAYS;
        let tags = &mut self.tags[first..first + WAYS];
        self.clock += 1;
        let is_line = |tag: &u64| tag & !(LINE_BYTES - 1) == line;
        if let Some(way) = tags.iter().position(is_line) {
            self.used[first + way] = self.clock;
            return Found {
                slot: first + way,
                sectors: sectors(tags[way]),
                evicted: None,
            };
        }
        let used = &mut self.used[first..first + WAYS];
        let (mut way, mut oldest) = (0, u64::MAX);
        for (at, &time) in used.iter().enumerate() {
            if time < oldest {
                (way, oldest) = (at, time);
            }
        }
        used[way] = self.clock;
        // Tags are addresses of lines, whose low seven bits are free: four of them hold the
        // sectors.
        let old = std::mem::replace(&mut tags[way], line);
        Found {
            slot: first + way,
            sectors: 0,
            evicted: (old != 0).then(|| (old & !(LINE_BYTES - 1), sectors(old))),
        }
    }

    /// Adds sectors to what is held of the line in a slot.
    pub fn add(&mut self, slot: Slot, sectors: u8) {
        self.tags[slot] |= u64::from(sectors);
    }
}

impl Sets {
    fn new(bytes: u64) -> Self {
        let sets = (bytes / LINE_BYTES / WAYS as u64).max(1);
        let shift = sets.trailing_zeros();
        Sets {
            odd: sets >> shift,
            shift,
        }
    }

    fn slots(self) -> usize {
        (self.odd << self.shift) as usize * WAYS
    }

    /// The low bits of a line's number choose among neighbouring sets, turned by a hash of the high
    /// ones, which also choose the neighbourhood.
    #[inline]
    fn of(self, line: u64) -> usize {
        let number = line / LINE_BYTES;
        let (low, high) = (number & ((1 << self.shift) - 1), number >> self.shift);
        // The golden ratio's multiples spread neighbours evenly (Fibonacci hashing).
        let hash = high.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let low = low ^ (hash & ((1 << self.shift) - 1));
        (((high % self.odd) << self.shift) | low) as usize
    }
}

/// A cache of which nothing but the sectors is kept, so that the lines of a set can stand in order
/// of use, the last one first: it is found at once.
#[derive(Debug)]
pub struct ReadCache {
    tags: Vec<u64>,
    sets: Sets,
}

impl ReadCache {
    /// An empty cache of about `bytes` bytes, at least one set.
    pub fn new(bytes: u64) -> Self {
        let sets = Sets::new(bytes);
        ReadCache {
            tags: vec![0; sets.slots()],
            sets,
        }
    }

    /// Loads sectors of a line; which of the line were held before.
    #[inline]
    pub fn load(&mut self, line: u64, wanted: u8) -> u8 {
        let first = self.sets.of(line) * WAYS;
        let tags = &mut self.tags[first..first + WAYS];
        let is_line = |tag: &u64| tag & !(LINE_BYTES - 1) == line;
        if !is_line(&tags[0]) {
            let found = tags.iter().position(is_line);
            let (way, tag) = found.map_or((WAYS - 1, line), |way| (way, tags[way]));
            // Moving the ways keeps them in order of use, so that no times need be kept.
            tags.copy_within(..way, 1);
            tags[0] = tag;
        }
        let sectors_before = sectors(tags[0]);
        tags[0] |= u64::from(wanted);
        sectors_before
    }
}

fn sectors(tag: u64) -> u8 {
    (tag & 0xf) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn misses(cache: &mut Cache, lines: impl Iterator<Item = u64>) -> u64 {
        let found = lines.map(|line| cache.find_or_replace((1 << 40) + line * LINE_BYTES));
        let mut misses = 0;
        for found in found.collect::<Vec<_>>() {
            misses += u64::from(found.sectors == 0);
            cache.add(found.slot, 0xf);
        }
        misses
    }

    #[test]
    fn a_run_of_lines_as_large_as_the_cache_fits() {
        for bytes in [2048, 248 << 10, 256 << 10, 60 << 20] {
            let mut cache = Cache::new(bytes);
            let lines = bytes / LINE_BYTES;
            assert_eq!(misses(&mut cache, 0..lines), lines);
            assert_eq!(misses(&mut cache, 0..lines), 0, "{bytes} bytes");
        }
    }

    #[test]
    fn columns_of_any_matrix_use_nearly_all_of_it() {
        let mut cache = Cache::new(60 << 20);
        for stride in [1_u64, 2, 8, 32, 256, 2048, 4096, 12_345] {
            let column = || (0..1 << 17).map(|row| (1 << 30) + row * stride);
            misses(&mut cache, column());
            let lost = misses(&mut cache, column());
            assert!(
                lost < 1 << 12,
                "{lost} of {} lines, stride {stride}",
                1 << 17
            );
        }
    }

    proptest! {
        #[test]
        fn a_read_cache_holds_what_a_cache_does(
            loads in prop::collection::vec((0_u64..80, 1_u8..16), 1..300),
        ) {
            let (mut cache, mut read) = (Cache::new(4096), ReadCache::new(4096));
            for (line, wanted) in loads {
                let line = (1 << 40) + line * LINE_BYTES;
                let found = cache.find_or_replace(line);
                cache.add(found.slot, wanted);
                prop_assert_eq!(read.load(line, wanted), found.sectors);
            }
        }
    }

    #[test]
    fn the_line_used_longest_ago_goes() {
        let mut cache = Cache::new(2048);
        assert_eq!(cache.slots(), 16);
        misses(&mut cache, 0..16);
        misses(&mut cache, 0..1);
        let found = cache.find_or_replace((1 << 40) + 99 * LINE_BYTES);
        assert_eq!(found.evicted, Some(((1 << 40) + LINE_BYTES, 0xf)));
        assert_eq!(misses(&mut cache, 0..1), 0);
    }
}
