//! A sectored cache: which sectors of which lines it holds, and which line makes room.
//!
//! Sixteen ways, the line that was not used for longest goes first. NVIDIA publishes neither
//! ways nor policy; a large associativity with spread sets comes close to any. A run of lines falls
//! on all sets equally, and so, nearly, does every stride but multiples of a whole way.

use super::global::LINE_BYTES;

/// Lines of a set.
const WAYS: usize = 16;

/// A cache whose lines carry something besides. Lines stay in the way that they came to; a large cache is made of
/// zeros, which the system has at hand until they are touched.
#[derive(Debug)]
pub struct Cache<N> {
    /// By way and set: addresses of the lines, and in their low bits the sectors held; 0 where there is no line. In
    /// neighbouring sets, neighbouring lines mostly come to the same way, so that eight of them share a line of the
    /// host's cache.
    tags: Vec<u64>,
    /// By way and set: what the lines carry.
    notes: Vec<N>,
    /// By set: what a search needs before it looks at the tags.
    directory: Vec<Directory>,
    sets: Sets,
}

/// Where in a cache a line may be.
#[derive(Clone, Copy, Debug)]
pub struct LineSet {
    number: usize,
    /// A byte in which the lines of a set mostly differ.
    mark: u8,
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
    /// Where it is among all lines, as long as it is there.
    pub at: usize,
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
            tags: vec![0; WAYS * sets.count()],
            notes: vec![N::default(); WAYS * sets.count()],
            directory: vec![Directory::default(); sets.count()],
            sets,
        }
    }

    /// Where to look for a line. Caches are larger than those of the host: [`Cache::fetch`] of several lines, and then
    /// [`Cache::find_or_replace`], wait for its memory once, where several searches would wait one after the other.
    #[inline(always)]
    pub fn set_of(&self, line: u64) -> LineSet {
        let set = self.sets.of(line);
        prefetch(&self.directory, set.number);
        set
    }

    /// Lines that it has room for.
    pub fn lines(&self) -> usize {
        self.tags.len()
    }

    /// Asks the host's memory for what [`Cache::find_or_replace`] is going to look at; where the line very likely will be
    /// among all lines.
    #[inline(always)]
    pub fn fetch(&self, set: LineSet) -> usize {
        let directory = &self.directory[set.number];
        let way = directory.find(set.mark, |_| true);
        let at = way.unwrap_or_else(|| directory.oldest()) * self.directory.len() + set.number;
        prefetch(&self.tags, at);
        prefetch(&self.notes, at);
        at
    }

    /// Looks for a line in its set and makes room for it if it is not there; in both cases it is now the one
    /// used last.
    #[inline]
    pub fn find_or_replace(&mut self, line: u64, set: LineSet) -> Found<'_, N> {
        let LineSet { number: set, mark } = set;
        let sets = self.directory.len();
        let directory = &mut self.directory[set];
        let mut evicted = None;
        let way = match directory.find(mark, |way| is_line(self.tags[way * sets + set], line)) {
            Some(way) => way,
            None => {
                let oldest = directory.oldest();
                let at = oldest * sets + set;
                let tag = std::mem::replace(&mut self.tags[at], line);
                let note = std::mem::take(&mut self.notes[at]);
                evicted = (tag != 0).then(|| Evicted {
                    line: tag & !(LINE_BYTES - 1),
                    sectors: sectors(tag),
                    note,
                });
                directory.mark(oldest, mark);
                oldest
            }
        };
        directory.use_now(way);
        let at = way * sets + set;
        Found {
            tag: &mut self.tags[at],
            at,
            note: &mut self.notes[at],
            evicted,
        }
    }
}

/// Asks the host's memory for an element that is going to be needed, without waiting for it.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<T>() > 0 && at < elements.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = &raw const elements[at];
        // SAFETY: every processor of this architecture has the instruction, and it changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    if let Some(element) = elements.get(at) {
        // No read of it is needed: what makes its address is done early at least.
        std::hint::black_box(&raw const *element);
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
    /// Loads sectors of a line, whose set is `set`; which of the line were held before.
    #[inline]
    pub fn load(&mut self, line: u64, set: LineSet, wanted: u8) -> u8 {
        let mut found = self.find_or_replace(line, set);
        let before = found.sectors();
        found.add(wanted);
        before
    }
}

/// In which order the ways of a set were used, and a byte of each line's hash by which it is looked for: the tags of a
/// set stand in 16 lines of the host's cache, of which a search so reads none or one.
#[derive(Clone, Copy, Debug, Default)]
struct Directory {
    /// The ways from the one used last on, four bits each, exclusive or [`FIRST_ORDER`]: zero is a set's beginning.
    order: u64,
    /// By way, eight in each: the byte of its line.
    marks: [u64; WAYS / 8],
}

/// Way 15 is taken first, as if way 0 had been used last.
const FIRST_ORDER: u64 = 0xfedc_ba98_7654_3210;
const NIBBLE_ONES: u64 = 0x1111_1111_1111_1111;
const BYTE_ONES: u64 = 0x0101_0101_0101_0101;

impl Directory {
    /// The way not used for longest.
    #[inline(always)]
    fn oldest(&self) -> usize {
        ((self.order ^ FIRST_ORDER) >> 60) as usize
    }

    /// The way with a mark that `is_it`.
    #[inline(always)]
    fn find(&self, mark: u8, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        for (half, marks) in self.marks.iter().enumerate() {
            let other = marks ^ u64::from(mark).wrapping_mul(BYTE_ONES);
            // The high bit of each byte that is zero. A byte of 1 above such a one may get it too: whether it is the
            // line is asked of its tag anyway.
            let mut candidates = other.wrapping_sub(BYTE_ONES) & !other & BYTE_ONES << 7;
            while candidates != 0 {
                let way = half * 8 + candidates.trailing_zeros() as usize / 8;
                if is_it(way) {
                    return Some(way);
                }
                candidates &= candidates - 1;
            }
        }
        None
    }

    /// Notes the mark of the line that a way has now.
    #[inline(always)]
    fn mark(&mut self, way: usize, mark: u8) {
        let (marks, shift) = (&mut self.marks[way / 8], way % 8 * 8);
        *marks = *marks & !(0xff << shift) | u64::from(mark) << shift;
    }

    /// Makes a way the one used last.
    #[inline(always)]
    fn use_now(&mut self, way: usize) {
        let order = self.order ^ FIRST_ORDER;
        // Its four bits are the lowest that are zero here; borrows reach only bits above them.
        let other = order ^ (way as u64).wrapping_mul(NIBBLE_ONES);
        let zeros = other.wrapping_sub(NIBBLE_ONES) & !other & NIBBLE_ONES << 3;
        let at = zeros.trailing_zeros() & !3;
        // Those used after it move up by one, those used before it stay.
        let after = (1 << at) - 1;
        let through = after << 4 | 0xf;
        self.order = (order & !through | (order & after) << 4 | way as u64) ^ FIRST_ORDER;
    }
}

/// Whether a tag is that of a line.
#[inline(always)]
fn is_line(tag: u64, line: u64) -> bool {
    // Tags are addresses of lines, whose low seven bits are free: four of them hold the sectors.
    tag ^ line < LINE_BYTES
}

/// The sets of a cache, `odd << shift` of them.
#[derive(Clone, Copy, Debug)]
struct Sets {
    odd: u64,
    shift: u32,
    /// 2^64 / `odd`, rounded up (and 0 for 1): a division takes ten times as long as two multiplications.
    reciprocal: u64,
}

impl Sets {
    fn new(bytes: u64) -> Self {
        let sets = (bytes / LINE_BYTES / WAYS as u64).max(1);
        let shift = sets.trailing_zeros();
        let odd = sets >> shift;
        Sets {
            odd,
            shift,
            reciprocal: (u64::MAX / odd).wrapping_add(1),
        }
    }

    fn count(self) -> usize {
        (self.odd << self.shift) as usize
    }

    /// The low bits of a line's number choose among neighbouring sets, turned by a hash of the high ones, which also
    /// choose the neighbourhood.
    #[inline(always)]
    fn of(self, line: u64) -> LineSet {
        let number = line / LINE_BYTES;
        let (low, high) = (number & ((1 << self.shift) - 1), number >> self.shift);
        // The golden ratio's multiples spread neighbours evenly (Fibonacci hashing).
        let product = high.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let low = low ^ (product >> 32 & ((1 << self.shift) - 1));
        let set = (self.neighbourhood(high) << self.shift) | low;
        LineSet {
            number: set as usize,
            mark: (product >> 56) as u8,
        }
    }

    /// `high` modulo `odd`: exact while their bits together are 64 at most (Lemire, Kaser, Kurz, *Faster remainder by
    /// direct computation*, 2019). Lines have 41 bits, since a log keeps 48 of an address.
    #[inline(always)]
    fn neighbourhood(self, high: u64) -> u64 {
        let fraction = self.reciprocal.wrapping_mul(high);
        ((u128::from(fraction) * u128::from(self.odd)) >> 64) as u64
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
        let lines = lines.map(|line| (1 << 40) + line * LINE_BYTES);
        let loads = lines.map(|line| cache.load(line, cache.set_of(line), 0xf));
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
        fn neighbourhoods_are_remainders(sets in 1_u64..1 << 20, high in 0_u64..1 << 41) {
            let sets = Sets::new(sets * LINE_BYTES * WAYS as u64);
            prop_assert_eq!(sets.neighbourhood(high), high % sets.odd);
        }

        #[test]
        fn a_set_holds_the_lines_used_last(
            uses in prop::collection::vec((0_u64..30, 1_u8..16), 1..300),
        ) {
            // One set: its lines are the last sixteen that were used, with their sectors and notes.
            let mut cache: Cache<u32> = Cache::new(2048);
            let mut lines: Vec<(u64, u8, u32)> = Vec::new();
            for (line, wanted) in uses {
                let line = (1 << 40) + line * LINE_BYTES;
                let mut found = cache.find_or_replace(line, cache.set_of(line));
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
        let line = (1 << 40) + 99 * LINE_BYTES;
        let found = cache.find_or_replace(line, cache.set_of(line));
        let gone = found.evicted.map(|evicted| (evicted.line, evicted.sectors));
        assert_eq!(gone, Some(((1 << 40) + LINE_BYTES, 0xf)));
        assert_eq!(misses(&mut cache, 0..1), 0);
    }
}
