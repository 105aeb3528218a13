//! A sectored cache: which sectors of which lines it holds, and which line makes room.
//!
//! Sixteen ways, the line that was not used for longest goes first. NVIDIA publishes neither
//! ways nor policy; a large associativity with spread sets comes close to any. A run of lines falls
//! on all sets equally, and so, nearly, does every stride but multiples of a whole way.

use super::global::LINE_BYTES;

/// Lines of a set.
const WAYS: usize = 16;

/// A cache whose lines carry something besides. The lines of a set stand in order of use, the last one first.
#[derive(Debug)]
pub struct Cache<N> {
    /// By set: addresses of the lines, and in their low bits the sectors held; 0 where there is no line. A large cache is
    /// made of zeros that the system has at hand until they are touched.
    tags: Vec<[u64; WAYS]>,
    /// By set: what they carry.
    notes: Vec<[N; WAYS]>,
    sets: Sets,
}

/// A line that had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evicted<N> {
    pub line: u64,
    /// The sectors of it that were held.
    pub sectors: u8,
    /// What it carried.
    pub note: N,
}

/// A line in a cache.
#[derive(Debug)]
pub struct Found<'a, N> {
    tag: &'a mut u64,
    /// What it carries.
    pub note: &'a mut N,
    /// The line that had to go, if it is new.
    pub evicted: Option<Evicted<N>>,
}

impl<N: Copy + Default> Cache<N> {
    /// An empty cache of about `bytes` bytes, at least one set.
    pub fn new(bytes: u64) -> Self {
        let sets = Sets::new(bytes);
        Cache {
            tags: vec![[0; WAYS]; sets.count()],
            notes: vec![[N::default(); WAYS]; sets.count()],
            sets,
        }
    }

    /// Looks for a line and makes room for it if it is not there; in both cases it is now the one
    /// used last.
    #[inline]
    pub fn find_or_replace(&mut self, line: u64) -> Found<'_, N> {
        let set = self.sets.of(line);
        let (tags, notes) = (&mut self.tags[set], &mut self.notes[set]);
        let mut evicted = None;
        // Mostly it is the line that was used last, and stands in front.
        if !is_line(tags[0], line) {
            let way = way_of(tags, line);
            if way == WAYS {
                let (tag, note) = (tags[WAYS - 1], notes[WAYS - 1]);
                evicted = (tag != 0).then(|| Evicted {
                    line: tag & !(LINE_BYTES - 1),
                    sectors: sectors(tag),
                    note,
                });
                (tags[WAYS - 1], notes[WAYS - 1]) = (line, N::default());
            }
            to_front(tags, way.min(WAYS - 1));
            to_front(notes, way.min(WAYS - 1));
        }
        Found {
            tag: &mut tags[0],
            note: &mut notes[0],
            evicted,
        }
    }
}

impl<N> Found<'_, N> {
    /// The sectors of it that are held.
    pub fn sectors(&self) -> u8 {
        sectors(*self.tag)
    }

    /// Adds sectors to them.
    pub fn add(&mut self, sectors: u8) {
        *self.tag |= u64::from(sectors);
    }
}

/// A cache of which nothing but the sectors is kept.
pub type ReadCache = Cache<()>;

impl ReadCache {
    /// Loads sectors of a line; which of the line were held before.
    #[inline]
    pub fn load(&mut self, line: u64, wanted: u8) -> u8 {
        let mut found = self.find_or_replace(line);
        let before = found.sectors();
        found.add(wanted);
        before
    }
}

/// Makes a way the first. Moving the ways keeps them in order of use, so that no times need be kept.
#[inline(always)]
fn to_front<T: Copy>(ways: &mut [T; WAYS], way: usize) {
    let value = ways[way];
    ways.copy_within(..way, 1);
    ways[0] = value;
}

/// Whether a tag is that of a line.
#[inline(always)]
fn is_line(tag: u64, line: u64) -> bool {
    // Tags are addresses of lines, whose low seven bits are free: four of them hold the sectors.
    tag ^ line < LINE_BYTES
}

/// The way of a set that holds a line; `WAYS` if none does.
#[inline(always)]
fn way_of(tags: &[u64; WAYS], line: u64) -> usize {
    // All of them, without a branch that nobody could predict.
    let mut found = WAYS;
    for way in (0..WAYS).rev() {
        found = if is_line(tags[way], line) { way } else { found };
    }
    found
}

/// The sets of a cache, `odd << shift` of them.
#[derive(Clone, Copy, Debug)]
struct Sets {
    odd: u64,
    shift: u32,
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

    fn count(self) -> usize {
        (self.odd << self.shift) as usize
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

fn sectors(tag: u64) -> u8 {
    (tag & 0xf) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn misses(cache: &mut ReadCache, lines: impl Iterator<Item = u64>) -> u64 {
        let loads = lines.map(|line| cache.load((1 << 40) + line * LINE_BYTES, 0xf));
        loads.filter(|&held| held == 0).count() as u64
    }

    #[test]
    fn a_run_of_lines_as_large_as_the_cache_fits() {
        for bytes in [2048, 248 << 10, 256 << 10, 60 << 20] {
            let mut cache = ReadCache::new(bytes);
            let lines = bytes / LINE_BYTES;
            assert_eq!(misses(&mut cache, 0..lines), lines);
            assert_eq!(misses(&mut cache, 0..lines), 0, "{bytes} bytes");
        }
    }

    #[test]
    fn columns_of_any_matrix_use_nearly_all_of_it() {
        let mut cache = ReadCache::new(60 << 20);
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
        fn a_set_holds_the_lines_used_last(
            uses in prop::collection::vec((0_u64..30, 1_u8..16), 1..300),
        ) {
            // One set: its lines are the last sixteen that were used, with their sectors and notes.
            let mut cache: Cache<u32> = Cache::new(2048);
            let mut lines: Vec<(u64, u8, u32)> = Vec::new();
            for (line, wanted) in uses {
                let line = (1 << 40) + line * LINE_BYTES;
                let mut found = cache.find_or_replace(line);
                let known = lines.iter().position(|known| known.0 == line);
                let (_, sectors, note) = known.map_or((line, 0, 0), |at| lines.remove(at));
                prop_assert_eq!((found.sectors(), *found.note), (sectors, note));
                let evicted = (lines.len() == WAYS).then(|| lines.pop()).flatten();
                let evicted = evicted.map(|(line, sectors, note)| Evicted { line, sectors, note });
                prop_assert_eq!(found.evicted, evicted);
                found.add(wanted);
                *found.note += 1;
                lines.insert(0, (line, sectors | wanted, note + 1));
            }
        }
    }

    #[test]
    fn the_line_used_longest_ago_goes() {
        let mut cache = ReadCache::new(2048);
        misses(&mut cache, 0..16);
        misses(&mut cache, 0..1);
        let found = cache.find_or_replace((1 << 40) + 99 * LINE_BYTES);
        let gone = found.evicted.map(|evicted| (evicted.line, evicted.sectors));
        assert_eq!(gone, Some(((1 << 40) + LINE_BYTES, 0xf)));
        assert_eq!(misses(&mut cache, 0..1), 0);
    }
}
