//! How the values of a gang's access lie in memory, and the ways to move them: consecutive words as
//! one run, eight lanes at a time, or each lane for itself.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::lanes::{ALL, Vector, blend};
use super::operations::Copies;
use crate::launch::WARP_LANES;

/// Lanes of a piece.
const PIECE: usize = 8;

/// Where the lanes of a gang go, in words from the lowest.
#[derive(Debug)]
pub enum Route {
    /// All lanes, one word each: one after the other.
    Run,
    /// The active lanes: all to the same words.
    Uniform,
    /// All lanes, one word each, in pieces.
    Pieces(Vec<Piece>),
    /// The active lanes: each for itself. Inactive ones stand at 0.
    Lanes(Vec<Vector>),
}

/// Where eight neighbouring lanes go.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    first: u32,
    /// Whether each goes further than the one before; all go to the first otherwise.
    advances: bool,
}

impl Route {
    /// The route for lanes at these offsets in bytes, of which `least` is the lowest; `width` bytes
    /// (a multiple of 4) each.
    pub fn new(offsets: &[[i64; WARP_LANES]], active: u32, least: i64, width: u32) -> Self {
        let word = |(lane, offset): (usize, &i64)| match active >> lane & 1 {
            0 => 0,
            _ => ((offset - least) / 4) as u32,
        };
        let lanes = offsets.iter().map(|offsets| {
            let mut words = offsets.iter().enumerate().map(word);
            std::array::from_fn(|_| words.next().unwrap_or(0))
        });
        let lanes: Vec<Vector> = lanes.collect();
        if lanes.as_flattened().iter().all(|&word| word == 0) {
            return Route::Uniform;
        }
        if active != ALL || width != 4 {
            return Route::Lanes(lanes);
        }
        let mut all = lanes.as_flattened().iter().zip(0..);
        if all.all(|(&word, at)| word == at) {
            return Route::Run;
        }
        let pieces = lanes.as_flattened().chunks(PIECE).map(Piece::new);
        let pieces = pieces.collect::<Option<Vec<_>>>();
        pieces.map_or(Route::Lanes(lanes), Route::Pieces)
    }
}

impl Piece {
    fn new(words: &[u32]) -> Option<Self> {
        let first = words[0];
        let is_uniform = words.iter().all(|&word| word == first);
        let advances = words.iter().zip(first..).all(|(&word, at)| word == at);
        (is_uniform || advances).then_some(Piece { first, advances })
    }
}

/// Words of a memory.
pub trait Words {
    /// One of them.
    fn get(&self, at: usize) -> u32;
    /// Eight from `at` on.
    fn eight(&self, at: usize) -> [u32; PIECE];
    /// So many, from the first on.
    fn read(&self, values: &mut [u32]);
    /// Changes one.
    fn put(&mut self, at: usize, value: u32);
    /// Changes so many, from the first on.
    fn write(&mut self, values: &[u32]);
}

impl Words for &mut [u32] {
    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        self[at]
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> [u32; PIECE] {
        let words = &self[at..at + PIECE];
        std::array::from_fn(|at| words[at])
    }

    #[inline(always)]
    fn read(&self, values: &mut [u32]) {
        values.copy_from_slice(&self[..values.len()]);
    }

    #[inline(always)]
    fn put(&mut self, at: usize, value: u32) {
        self[at] = value;
    }

    #[inline(always)]
    fn write(&mut self, values: &[u32]) {
        self[..values.len()].copy_from_slice(values);
    }
}

/// Words of a buffer.
pub struct Shared<'a> {
    /// The words.
    pub words: &'a [AtomicU32],
    /// How to copy runs of them.
    pub copies: Copies,
}

impl Words for Shared<'_> {
    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        self.words[at].load(Relaxed)
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> [u32; PIECE] {
        let words = &self.words[at..at + PIECE];
        std::array::from_fn(|at| words[at].load(Relaxed))
    }

    #[inline(always)]
    fn read(&self, values: &mut [u32]) {
        (self.copies.read)(self.words, values);
    }

    #[inline(always)]
    fn put(&mut self, at: usize, value: u32) {
        self.words[at].store(value, Relaxed);
    }

    #[inline(always)]
    fn write(&mut self, values: &[u32]) {
        (self.copies.write)(self.words, values);
    }
}

/// Loads a word a lane into `rows`, a gang's register: for a route of words, the one at `part`.
#[inline(always)]
pub fn load(rows: &mut [Vector], route: &Route, active: u32, words: &impl Words, part: usize) {
    match route {
        Route::Run => words.read(rows.as_flattened_mut()),
        Route::Uniform => {
            let value = [words.get(part); WARP_LANES];
            for row in rows {
                *row = chosen(active, &value, row);
            }
        }
        Route::Pieces(pieces) => {
            let (rows, _) = rows.as_flattened_mut().as_chunks_mut();
            for (target, piece) in rows.iter_mut().zip(pieces) {
                let first = piece.first as usize;
                *target = if piece.advances {
                    words.eight(first)
                } else {
                    [words.get(first); PIECE]
                };
            }
        }
        Route::Lanes(lanes) => {
            for (row, lanes) in rows.iter_mut().zip(lanes) {
                let value = lanes.map(|word| words.get(word as usize + part));
                *row = chosen(active, &value, row);
            }
        }
    }
}

/// Stores a word a lane from `rows`, in order of warps and lanes.
#[inline(always)]
pub fn store(rows: &[Vector], route: &Route, active: u32, words: &mut impl Words, part: usize) {
    match route {
        Route::Run => words.write(rows.as_flattened()),
        Route::Uniform => {
            if let Some(row) = rows.last() {
                words.put(part, row[31 - active.leading_zeros() as usize]);
            }
        }
        Route::Pieces(pieces) => {
            let rows = rows.as_flattened().chunks_exact(PIECE);
            for (source, piece) in rows.zip(pieces) {
                let first = piece.first as usize;
                if piece.advances {
                    for (&value, at) in source.iter().zip(first..) {
                        words.put(at, value);
                    }
                } else {
                    words.put(first, source[PIECE - 1]);
                }
            }
        }
        Route::Lanes(lanes) => {
            for (row, lanes) in rows.iter().zip(lanes) {
                for (lane, (&value, &word)) in row.iter().zip(lanes).enumerate() {
                    if active >> lane & 1 == 1 {
                        words.put(word as usize + part, value);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn chosen(active: u32, new: &Vector, old: &Vector) -> Vector {
    match active {
        ALL => *new,
        _ => blend(active, new, old),
    }
}
