//! Which elements of a buffer were touched.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Words of a chunk's bits.
const CHUNK_WORDS: usize = 16;
/// Elements of a chunk.
const CHUNK: u64 = 64 * CHUNK_WORDS as u64;

/// A set of elements of one buffer, filled by many threads at once. Each insertion says how many of
/// its elements were new, so that the sum over all threads is the size of the set in the end.
///
/// Kept in chunks: those touched as a whole at once take no bits, and are asked for as a whole.
#[derive(Debug)]
pub struct Footprint {
    elements: u64,
    chunks: OnceLock<Box<[Chunk]>>,
}

/// Some neighbouring elements.
#[derive(Debug, Default)]
struct Chunk {
    /// `EMPTY`, `FULL`, or `PARTIAL` plus the number of elements that `words` holds.
    state: AtomicU32,
    /// A bit an element, while the state is partial.
    words: OnceLock<Box<[AtomicU64; CHUNK_WORDS]>>,
}

const EMPTY: u32 = 0;
const PARTIAL: u32 = 1 << 16;
const FULL: u32 = 1 << 17;

impl Footprint {
    /// The empty set of a buffer of `elements` elements.
    pub fn new(elements: u64) -> Self {
        Footprint {
            elements,
            chunks: OnceLock::new(),
        }
    }

    /// Bytes that such a set takes at most: where each chunk is touched in part.
    pub fn most_bytes(elements: u64) -> u64 {
        let of_chunk = size_of::<Chunk>() + size_of::<[AtomicU64; CHUNK_WORDS]>();
        elements.div_ceil(CHUNK).saturating_mul(of_chunk as u64)
    }

    /// Elements of the buffer.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Adds 64 elements, those whose bits are set, from element `64 * word` on; the bits of those that were new.
    pub fn insert_word(&self, word: u64, bits: u64) -> u64 {
        // Most words of a piece stay empty, and an empty footprint takes no memory.
        if bits == 0 {
            return 0;
        }
        let (chunk, word) = (word / CHUNK_WORDS as u64, word % CHUNK_WORDS as u64);
        self.chunks()[chunk as usize].insert_bits(word as usize, bits)
    }

    /// Adds the elements of `range`, which must lie in the buffer; how many of them were new.
    pub fn insert_range(&self, range: Range<u64>) -> u64 {
        let chunks = self.chunks();
        let mut new = 0;
        let mut at = range.start;
        while at < range.end {
            let chunk = &chunks[(at / CHUNK) as usize];
            let whole = at / CHUNK * CHUNK..((at / CHUNK + 1) * CHUNK).min(self.elements);
            let end = range.end.min(whole.end);
            new += if at == whole.start && end == whole.end {
                chunk.insert_whole(end - at)
            } else {
                chunk.insert(at % CHUNK..at % CHUNK + (end - at))
            };
            at = end;
        }
        new
    }

    /// The first element from `element` on that was touched.
    pub fn first_from(&self, element: u64) -> Option<u64> {
        let chunks = self.chunks.get()?;
        let first = element / CHUNK;
        let rest = chunks.iter().zip(0..).skip(first as usize);
        rest.into_iter().find_map(|(chunk, at)| {
            let from = if at == first { element % CHUNK } else { 0 };
            let found = chunk.first_from(from)?;
            Some(at * CHUNK + found)
        })
    }

    /// One past the last element that was touched; 0 if none was.
    pub fn end(&self) -> u64 {
        let chunks = self.chunks.get().map_or(&[][..], |chunks| chunks);
        let ends = (0..).zip(chunks).map(|(at, chunk)| match chunk.end() {
            0 => 0,
            // The last chunk may be short.
            end => (at * CHUNK + end).min(self.elements),
        });
        ends.max().unwrap_or(0)
    }

    fn chunks(&self) -> &[Chunk] {
        // Most footprints of most lines stay empty: they take no memory before the first insertion.
        self.chunks.get_or_init(|| {
            let chunks = 0..self.elements.div_ceil(CHUNK);
            chunks.map(|_| Chunk::default()).collect()
        })
    }
}

impl Chunk {
    /// The first of its elements from `element` on that was touched.
    fn first_from(&self, element: u64) -> Option<u64> {
        match self.state.load(Relaxed) {
            EMPTY => return None,
            FULL => return Some(element),
            _ => {}
        }
        let words = self.words.get()?.iter().zip(0..);
        let mut found = words.map(|(word, at)| (word.load(Relaxed), at * 64));
        found.find_map(|(word, begin): (u64, u64)| {
            let before = element.saturating_sub(begin);
            // Bits below `element` are shifted out, and the others back.
            let rest = word.checked_shr(before as u32).unwrap_or(0) << before.min(63);
            (before < 64 && rest != 0).then(|| begin + u64::from(rest.trailing_zeros()))
        })
    }

    /// One past the last of its elements that was touched; of one that is full, one past its last place.
    fn end(&self) -> u64 {
        match self.state.load(Relaxed) {
            EMPTY => return 0,
            FULL => return CHUNK,
            _ => {}
        }
        let words = self.words.get().into_iter().flat_map(|words| words.iter());
        let ends = words.zip(0..).map(|(word, at): (&AtomicU64, u64)| {
            match 64 - u64::from(word.load(Relaxed).leading_zeros()) {
                0 => 0,
                bits => 64 * at + bits,
            }
        });
        ends.max().unwrap_or(0)
    }

    /// Adds all of its elements, `length` of them.
    fn insert_whole(&self, length: u64) -> u64 {
        match self.state.compare_exchange(EMPTY, FULL, Relaxed, Relaxed) {
            Ok(_) => length,
            Err(state) if is_full(state) => 0,
            Err(_) => self.insert(0..length),
        }
    }

    /// Adds some of its elements.
    fn insert(&self, range: Range<u64>) -> u64 {
        let mut new = 0;
        let mut at = range.start;
        while at < range.end && !is_full(self.state.load(Relaxed)) {
            let count = (range.end - at).min(64 - at % 64);
            let bits = self.insert_bits((at / 64) as usize, mask(at % 64, count));
            new += u64::from(bits.count_ones());
            at += count;
        }
        new
    }

    /// Adds the elements of some bits of a word; the bits of those that were new. Looks before it writes: most elements are touched
    /// more than once, and writes are dear between threads.
    fn insert_bits(&self, word: usize, bits: u64) -> u64 {
        let mut state = self.state.load(Relaxed);
        if state == EMPTY {
            let begun = self
                .state
                .compare_exchange(EMPTY, PARTIAL, Relaxed, Relaxed);
            state = begun.unwrap_or_else(|other| other);
        }
        // A chunk that is not empty any more becomes full only by its bits.
        if is_full(state) {
            return 0;
        }
        let word = &self.words.get_or_init(Box::default)[word];
        if word.load(Relaxed) & bits == bits {
            return 0;
        }
        // `fetch_or` says which bits were new to this thread alone, so that each element is counted
        // by one.
        let new = bits & !word.fetch_or(bits, Relaxed);
        self.state.fetch_add(new.count_ones(), Relaxed);
        new
    }
}

fn is_full(state: u32) -> bool {
    // A short last chunk that is filled bit by bit is never seen to be full, which costs nothing but time.
    state == FULL || state == PARTIAL + CHUNK as u32
}

/// `count` bits (at least one) of a word from `first` on.
fn mask(first: u64, count: u64) -> u64 {
    (u64::MAX >> (64 - count)) << first
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// Two chunks and a part of one.
    const ELEMENTS: u64 = 2 * CHUNK + 300;

    proptest! {
        #[test]
        fn new_elements_are_those_a_set_did_not_have(
            ranges in prop::collection::vec((0..ELEMENTS, 0..ELEMENTS), 1..20),
        ) {
            let footprint = Footprint::new(ELEMENTS);
            let mut set = HashSet::new();
            for (start, length) in ranges {
                let range = start..(start + length).min(ELEMENTS);
                let new = range.clone().filter(|&element| set.insert(element)).count();
                prop_assert_eq!(footprint.insert_range(range), new as u64);
                let of_word = |bit: &u64| set.insert(64 * (start / 64) + bit);
                let bits = (0..64).filter(|bit| length >> (bit % 11) & 1 == 1);
                let bits = bits.filter(|bit| 64 * (start / 64) + bit < ELEMENTS);
                let all = bits.clone().fold(0, |all, bit| all | 1 << bit);
                let new = bits.filter(of_word).fold(0_u64, |all, bit| all | 1 << bit);
                prop_assert_eq!(footprint.insert_word(start / 64, all), new);
            }
        }
    }

    #[test]
    fn the_first_element_from_a_place_on_is_found() {
        let footprint = Footprint::new(ELEMENTS);
        assert_eq!(footprint.first_from(0), None);
        footprint.insert_range(70..72);
        footprint.insert_range(CHUNK..2 * CHUNK);
        let found = [0, 70, 71, 72, CHUNK + 5, 2 * CHUNK];
        let found = found.map(|from| footprint.first_from(from));
        let expected = [70, 70, 71, CHUNK, CHUNK + 5].map(Some);
        assert_eq!(found[..5], expected);
        assert_eq!(found[5], None);
    }

    #[test]
    fn it_ends_behind_the_last_element_that_was_touched() {
        let footprint = Footprint::new(ELEMENTS);
        assert_eq!(footprint.end(), 0);
        for (range, end) in [
            (3..4, 4),
            (70..72, 72),
            (0..CHUNK, CHUNK),
            (CHUNK + 2..CHUNK + 3, CHUNK + 3),
            (2 * CHUNK..ELEMENTS, ELEMENTS),
        ] {
            footprint.insert_range(range);
            assert_eq!(footprint.end(), end);
        }
    }

    #[test]
    fn threads_together_count_each_element_once() {
        let footprint = Footprint::new(50_000);
        let fill = |each: u64| {
            let footprint = &footprint;
            move || {
                let firsts = (0..50_000).step_by(each as usize);
                let ranges = firsts.map(|first| first..(first + each).min(50_000));
                ranges
                    .map(|range| footprint.insert_range(range))
                    .sum::<u64>()
            }
        };
        let total = std::thread::scope(|scope| {
            let threads = [1, 300, CHUNK, 3 * CHUNK].map(|each| scope.spawn(fill(each)));
            threads
                .map(|thread| thread.join().expect("counts"))
                .iter()
                .sum::<u64>()
        });
        assert_eq!(total, 50_000);
    }
}
