//! Elements that one worker has touched access by access and the footprints, which all workers share, do not have yet.
//!
//! A set of a worker's own takes a plain store per element, where a footprint takes an atomic operation, and twice: for
//! the line and for the buffer. Sets go into the footprints 64 elements at a time. A gather of 2^19 elements from memory
//! takes 40 % of the time so.
//!
//! Invariant: after [`Touched::settle`] the footprints hold what they would hold had every element gone into them at
//! once.

use std::ops::Range;

use super::tally::{Footprints, WorkerCounters};
use crate::memory::AccessKind;

/// Words of a piece's bits: a line of the host's cache.
const WORDS: usize = 8;
/// Elements of a piece.
const ELEMENTS: u64 = 64 * WORDS as u64;
/// Most pieces that are open at once: they should stay in the second cache of the host.
const MOST_OPEN: usize = 4096;
/// Where a piece is not open.
const CLOSED: u32 = u32::MAX;

/// The elements of one worker.
pub struct Touched<'a> {
    /// Those that all workers share.
    pub footprints: &'a Footprints,
    /// By line and direction, in each by buffer: for each piece of the buffer, where it is open; empty before the first
    /// touch.
    places: Vec<Vec<u32>>,
    buffers: usize,
    bits: Vec<[u64; WORDS]>,
    open: Vec<Open>,
}

/// A piece that has been touched.
struct Open {
    /// By whom first, for all of its line.
    who: Toucher,
    piece: usize,
}

/// Who touches elements.
#[derive(Clone, Copy)]
pub struct Toucher {
    pub site: usize,
    pub kind: AccessKind,
    pub buffer: usize,
}

impl<'a> Touched<'a> {
    /// Nothing, in a launch with these footprints.
    pub fn new(footprints: &'a Footprints) -> Self {
        let (lines, buffers) = (footprints.lines(), footprints.buffers());
        Touched {
            footprints,
            places: (0..lines * buffers).map(|_| Vec::new()).collect(),
            buffers,
            bits: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Adds so many neighbouring elements for each of `lanes`, a power of two up to 64, from its `first` on, which is a
    /// multiple of it.
    #[inline(always)]
    pub fn add_each(
        &mut self,
        who: Toucher,
        mut lanes: u32,
        first: impl Fn(usize) -> u64,
        each: u64,
        tally: &mut WorkerCounters,
    ) {
        let key = self.key(who);
        let ones = u64::MAX >> (64 - each);
        while lanes != 0 {
            // Borrowed once for all lanes, but where a piece begins.
            let (places, bits) = (&self.places[key][..], &mut self.bits[..]);
            while lanes != 0 {
                let first = first(lanes.trailing_zeros() as usize);
                let (piece, word) = (first / ELEMENTS, first / 64 % WORDS as u64);
                let place = places.get(piece as usize).map_or(CLOSED, |&place| place);
                // What is closed lies behind all that is open.
                let Some(words) = bits.get_mut(place as usize) else {
                    break;
                };
                words[word as usize] |= ones << (first % 64);
                lanes &= lanes - 1;
            }
            if lanes != 0 {
                let first = first(lanes.trailing_zeros() as usize);
                self.begin(who, key, (first / ELEMENTS) as usize, tally);
            }
        }
    }

    /// Where in `places` the pieces of a buffer are that `who` touches.
    #[inline(always)]
    fn key(&self, who: Toucher) -> usize {
        self.footprints.line_of(who.site) * self.buffers + who.buffer
    }

    /// Adds the elements of a range: at once where they are many.
    pub fn add(&mut self, who: Toucher, range: Range<u64>, tally: &mut WorkerCounters) {
        if range.end - range.start < ELEMENTS {
            return self.add_range(who, range, tally);
        }
        let of_line = self.footprints.of_site(who.site, who.buffer);
        let in_line = of_line.insert_range(range.clone());
        tally.sites[who.site].add_distinct(in_line);
        // What is not new to the line is not new to the buffer.
        if in_line > 0 {
            let of_buffer = self.footprints.of_buffer(who.buffer, who.kind);
            tally.distinct[who.buffer][who.kind as usize] += of_buffer.insert_range(range);
        }
    }

    /// Adds the elements of a range.
    #[inline(always)]
    pub fn add_range(&mut self, who: Toucher, range: Range<u64>, tally: &mut WorkerCounters) {
        let mut at = range.start;
        while at < range.end {
            let count = (range.end - at).min(64 - at % 64);
            let bits = u64::MAX >> (64 - count) << (at % 64);
            self.put(who, at / 64, bits, tally);
            at += count;
        }
    }

    #[inline(always)]
    fn put(&mut self, who: Toucher, word: u64, bits: u64, tally: &mut WorkerCounters) {
        let key = self.key(who);
        let piece = word as usize / WORDS;
        let place = match self.places[key].get(piece) {
            Some(&place) if place != CLOSED => place,
            _ => self.begin(who, key, piece, tally),
        };
        self.bits[place as usize][word as usize % WORDS] |= bits;
    }

    #[cold]
    fn begin(&mut self, who: Toucher, key: usize, piece: usize, tally: &mut WorkerCounters) -> u32 {
        if self.open.len() == MOST_OPEN {
            self.settle(tally);
        }
        let places = &mut self.places[key];
        if places.is_empty() {
            let elements = self.footprints.of_buffer(who.buffer, who.kind).elements();
            places.resize(elements.div_ceil(ELEMENTS) as usize, CLOSED);
        }
        let place = self.open.len() as u32;
        places[piece] = place;
        self.bits.push([0; WORDS]);
        self.open.push(Open { who, piece });
        place
    }

    /// Brings the footprints up to date; `tally` counts what is new in them.
    pub fn settle(&mut self, tally: &mut WorkerCounters) {
        let footprints = self.footprints;
        for (Open { who, piece }, words) in self.open.drain(..).zip(&self.bits) {
            let key = footprints.line_of(who.site) * self.buffers + who.buffer;
            self.places[key][piece] = CLOSED;
            let of_line = footprints.of_site(who.site, who.buffer);
            let of_buffer = footprints.of_buffer(who.buffer, who.kind);
            let (mut in_line, mut in_buffer) = (0, 0);
            for (&bits, word) in words.iter().zip((piece * WORDS) as u64..) {
                // What is not new to the line is not new to the buffer.
                let new = of_line.insert_word(word, bits);
                in_line += u64::from(new.count_ones());
                in_buffer += u64::from(of_buffer.insert_word(word, new).count_ones());
            }
            tally.sites[who.site].add_distinct(in_line);
            tally.distinct[who.buffer][who.kind as usize] += in_buffer;
        }
        self.bits.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::compile;
    use crate::launch::{BufferValues, ElementType};
    use crate::simt::global_memory::GlobalMemory;
    use crate::source::SourceFile;

    const ELEMENTS: u64 = 5000;
    /// Two loads and a store, on a line each.
    const TEXT: &str = "__global__ void k(const float* x, float* y) {
        float a = x[0];
        float b = x[1];
        y[0] = a + b;
    }";

    proptest! {
        #[test]
        fn what_is_settled_late_counts_as_if_it_had_gone_in_at_once(
            touches in prop::collection::vec(
                (0_usize..3, prop::collection::vec(0..ELEMENTS, 1..33), 0_u32..7, any::<bool>()),
                1..60,
            ),
        ) {
            let compiled = compile(&SourceFile::new("k.cu", TEXT), &[]);
            let kernel = &compiled.kernels[0];
            let buffer = || BufferValues {
                name: String::new(),
                element: ElementType::F32,
                bytes: vec![0; 4 * ELEMENTS as usize],
            };
            let memory = GlobalMemory::new(vec![buffer(), buffer()]);
            let [late, at_once] = [(), ()].map(|()| Footprints::new(kernel, &memory));
            let [mut tally, mut expected] = [(), ()].map(|()| WorkerCounters::new(kernel, 1, &memory));
            let mut touched = Touched::new(&late);
            for (site, firsts, each, settles) in touches {
                let who = Toucher { site, kind: kernel.sites[site].kind, buffer: site / 2 };
                let each = 1 << each;
                let firsts = firsts.iter().map(|first| first / each * each);
                let firsts = firsts.filter(|first| first + each <= ELEMENTS);
                match settles {
                    true => firsts.clone().for_each(|first| touched.add_range(who, first..first + each, &mut tally)),
                    false => {
                        let firsts: Vec<u64> = firsts.clone().collect();
                        let lanes = (1_u64 << firsts.len()) - 1;
                        touched.add_each(who, lanes as u32, |lane| firsts[lane], each, &mut tally);
                    }
                }
                for first in firsts {
                    let range = first..first + each;
                    let in_line = at_once.of_site(site, who.buffer).insert_range(range.clone());
                    expected.sites[site].add_distinct(in_line);
                    let in_buffer = at_once.of_buffer(who.buffer, who.kind).insert_range(range);
                    expected.distinct[who.buffer][who.kind as usize] += in_buffer;
                }
                if settles {
                    touched.settle(&mut tally);
                }
            }
            touched.settle(&mut tally);
            prop_assert_eq!(&tally.distinct, &expected.distinct);
            for (mine, expected) in tally.sites.iter().zip(&expected.sites) {
                prop_assert_eq!(mine.distinct(), expected.distinct());
            }
        }
    }
}
