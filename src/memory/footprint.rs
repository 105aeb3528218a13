//! Which elements of a buffer were touched.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set of elements of one buffer, filled by many threads at once. Each insertion says how many of
/// its elements were new, so that the sum over all threads is the size of the set at any time.
///
/// Takes no memory before the first insertion, one bit an element afterwards.
#[derive(Debug)]
pub struct Footprint {
    elements: u64,
    words: OnceLock<Box<[AtomicU64]>>,
}

impl Footprint {
    /// The empty set of a buffer of `elements` elements.
    pub fn new(elements: u64) -> Self {
        Footprint {
            elements,
            words: OnceLock::new(),
        }
    }

    /// Whether all elements of `range`, which must lie in the buffer, are in.
    #[inline]
    pub fn holds_range(&self, range: Range<u64>) -> bool {
        let words = self.words();
        let mut at = range.start;
        while at < range.end {
            let bit = at % 64;
            let count = (range.end - at).min(64 - bit);
            let bits = (u64::MAX >> (64 - count)) << bit;
            if words[(at / 64) as usize].load(Relaxed) & bits != bits {
                return false;
            }
            at += count;
        }
        true
    }

    /// Adds the elements of `range`, which must lie in the buffer; how many of them were new.
    pub fn insert_range(&self, range: Range<u64>) -> u64 {
        let words = self.words();
        let mut new = 0;
        let mut at = range.start;
        while at < range.end {
            let bit = at % 64;
            let count = (range.end - at).min(64 - bit);
            new += set(
                &words[(at / 64) as usize],
                (u64::MAX >> (64 - count)) << bit,
            );
            at += count;
        }
        new
    }

    /// Adds runs of `each` elements that begin at `firsts` and must lie in the buffer; how many
    /// elements were new. `each` is a power of two up to 64, and every first a multiple of it.
    /// Fastest when neighbours follow each other.
    pub fn insert_runs(&self, firsts: &[u64], each: u64) -> u64 {
        let words = self.words();
        let run = u64::MAX >> (64 - each);
        let (mut new, mut word, mut bits) = (0, 0, 0);
        for first in firsts {
            let at = (first / 64) as usize;
            if at != word && bits != 0 {
                new += set(&words[word], bits);
                bits = 0;
            }
            word = at;
            bits |= run << (first % 64);
        }
        if bits != 0 {
            new += set(&words[word], bits);
        }
        new
    }

    fn words(&self) -> &[AtomicU64] {
        self.words.get_or_init(|| {
            let words = 0..self.elements.div_ceil(64);
            words.map(|_| AtomicU64::new(0)).collect()
        })
    }
}

/// Sets bits of a word; how many were not set before. Looks before it writes: most elements are
/// touched more than once, and writes are dear between threads.
fn set(word: &AtomicU64, bits: u64) -> u64 {
    if word.load(Relaxed) & bits == bits {
        return 0;
    }
    u64::from((bits & !word.fetch_or(bits, Relaxed)).count_ones())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn new_elements_are_those_a_set_did_not_have(
            ranges in prop::collection::vec((0_u64..300, 0_u64..200), 1..20),
            lists in prop::collection::vec(prop::collection::vec(0_u64..500, 0..40), 1..20),
            each in prop::sample::select(vec![1_u64, 2, 4, 16]),
        ) {
            let footprint = Footprint::new(512);
            let mut set = HashSet::new();
            for ((start, length), list) in ranges.into_iter().zip(lists) {
                let range = start..start + length;
                let new = range.clone().filter(|&element| set.insert(element)).count();
                prop_assert_eq!(footprint.insert_range(range), new as u64);
                let firsts: Vec<u64> = list.iter().map(|first| first / each * each).collect();
                let elements = firsts.iter().flat_map(|&first| first..first + each);
                let new = elements.filter(|&element| set.insert(element)).count();
                prop_assert_eq!(footprint.insert_runs(&firsts, each), new as u64);
            }
        }
    }

    #[test]
    fn threads_together_count_each_element_once() {
        let footprint = Footprint::new(10_000);
        let fill = |first: u64| {
            let footprint = &footprint;
            move || {
                (first..10_000)
                    .map(|at| footprint.insert_runs(&[at], 1))
                    .sum::<u64>()
            }
        };
        let total = std::thread::scope(|scope| {
            let threads = [0, 10, 20].map(|first| scope.spawn(fill(first)));
            threads
                .map(|thread| thread.join().expect("counts"))
                .iter()
                .sum::<u64>()
        });
        assert_eq!(total, 10_000);
    }
}
