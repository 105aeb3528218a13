//! What buffers hold as a whole: a fingerprint that tells contents apart, and copies to go back to.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::global_memory::GlobalMemory;
use crate::launch::ElementType;

/// Words that one thread takes in at once.
const WORDS_A_PIECE: usize = 1 << 18;
/// What words are mixed with: digits of π, one row for each half of the fingerprint.
const SALTS: [[u64; 2]; 2] = [
    [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
    [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89],
];

impl GlobalMemory {
    /// Number of buffers, with those that were taken away.
    pub fn buffer_count(&self) -> usize {
        self.len()
    }

    /// The type of a buffer's elements; nothing if there is none, or none any more.
    pub fn element(&self, index: usize) -> Option<ElementType> {
        let buffer = self.get(index).filter(|buffer| !buffer.is_freed)?;
        Some(buffer.element)
    }

    /// Bytes of the words that a buffer keeps, with the room behind it.
    pub fn stored_bytes(&self, index: usize) -> u64 {
        self.words(index).len() as u64 * 4
    }

    /// 128 bits that are, but by a chance of 1 in 2^64, the same only for buffers of the same size that hold the same.
    pub fn fingerprint(&self, index: usize) -> u128 {
        let own_bytes = self.get(index).map_or(0, |buffer| buffer.own_bytes);
        let pieces = self.words(index).par_chunks(WORDS_A_PIECE);
        let pieces: Vec<u128> = pieces.map(piece_fingerprint).collect();
        let both = |all: u128, next: u128| {
            let [a, b] = [next as u64, (next >> 64) as u64];
            pair(mixed([all as u64, (all >> 64) as u64], a, b))
        };
        pieces.into_iter().fold(u128::from(own_bytes), both)
    }

    /// A copy of a buffer's words, with the room behind it.
    pub fn copied_words(&self, index: usize) -> Vec<u32> {
        let words = self.words(index).par_iter().with_min_len(WORDS_A_PIECE);
        words.map(|word| word.load(Relaxed)).collect()
    }

    /// Writes such a copy back.
    pub fn restore_words(&self, index: usize, words: &[u32]) {
        let into = self.words(index).par_iter().with_min_len(WORDS_A_PIECE);
        into.zip(words)
            .for_each(|(into, &word)| into.store(word, Relaxed));
    }

    fn words(&self, index: usize) -> &[AtomicU32] {
        self.get(index).map_or(&[], |buffer| buffer.all_words())
    }
}

fn piece_fingerprint(words: &[AtomicU32]) -> u128 {
    let long = |pair: &[AtomicU32]| {
        let word = |at: usize| pair.get(at).map_or(0, |word| word.load(Relaxed));
        u64::from(word(0)) | u64::from(word(1)) << 32
    };
    // Four rows, none of which waits for another.
    let mut rows = [[words.len() as u64, 0]; 4];
    let mut sixteens = words.chunks_exact(16);
    for sixteen in sixteens.by_ref() {
        for (row, four) in rows.iter_mut().zip(sixteen.chunks_exact(4)) {
            *row = mixed(*row, long(&four[..2]), long(&four[2..]));
        }
    }
    for four in sixteens.remainder().chunks(4) {
        let (a, b) = four.split_at(four.len().min(2));
        rows[0] = mixed(rows[0], long(a), long(b));
    }
    let [first, others @ ..] = rows;
    pair(
        others
            .iter()
            .fold(first, |all, row| mixed(all, row[0], row[1])),
    )
}

/// Both halves with two more numbers taken in, in ways of their own.
#[inline(always)]
fn mixed([a, b]: [u64; 2], low: u64, high: u64) -> [u64; 2] {
    let [of_a, of_b] = SALTS;
    let folded = |x: u64, y: u64| {
        let product = u128::from(x) * u128::from(y);
        product as u64 ^ (product >> 64) as u64
    };
    // Turned, so that a factor of 0 does not make the next one forget what was before.
    [
        folded(low ^ of_a[0] ^ a, high ^ of_a[1]) ^ a.rotate_left(23),
        folded(high ^ of_b[0] ^ b, low ^ of_b[1]) ^ b.rotate_left(41),
    ]
}

fn pair([a, b]: [u64; 2]) -> u128 {
    u128::from(a) | u128::from(b) << 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_and_every_place_changes_the_fingerprint_and_a_copy_goes_back() {
        let mut memory = GlobalMemory::new(Vec::new());
        let index = memory.allocate(None, "x", 4 * 1037);
        let mut seen = vec![memory.fingerprint(index)];
        let zeros = memory.copied_words(index);
        for word in (0..1037).step_by(61) {
            for bit in [0, 13, 31] {
                let address = GlobalMemory::address(index) + 4 * word;
                assert!(memory.write(address, &(1_u32 << bit).to_le_bytes()));
                let now = memory.fingerprint(index);
                assert!(!seen.contains(&now), "word {word}, bit {bit}");
                seen.push(now);
                memory.restore_words(index, &zeros);
                assert_eq!(memory.fingerprint(index), seen[0]);
            }
        }
        // As many zeros, of which fewer are the buffer's own.
        memory.end_at(index, 4 * 1036);
        assert_ne!(memory.fingerprint(index), seen[0]);
    }
}
