//! How the values of a batch's access lie in memory, and the ways to move them: consecutive words as
//! one run, eight lanes at a time, or each lane for itself.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::launch::WARP_LANES;
use crate::simt::warp::{ALL, Vector, blend};

/// Lanes of a piece.
const PIECE: usize = 8;

/// Where the lanes of a batch go.
#[derive(Debug)]
pub struct Movement {
    pub path: Path,
    /// Whether all warps go to the same words.
    repeats: bool,
}

/// The ways, in words from the lowest.
#[derive(Debug)]
pub enum Path {
    /// All lanes, one word each: one after the other.
    Contiguous,
    /// The active lanes: all to the same words.
    Uniform,
    /// All lanes, in pieces.
    Strided(Vec<LaneGroup>),
    /// The active lanes: each for itself. Inactive ones stand at 0.
    Scattered(Vec<Vector>),
}

/// Where eight neighbouring lanes go.
#[derive(Clone, Copy, Debug)]
pub struct LaneGroup {
    first: u32,
    /// Words from each to the next.
    step: u32,
}

impl Movement {
    /// The movement for lanes at these offsets in bytes, of which `least` is the lowest; `width` bytes
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
        Movement {
            repeats: lanes.iter().all(|row| *row == lanes[0]),
            path: Path::new(lanes, active, width),
        }
    }
}

impl Path {
    fn new(lanes: Vec<Vector>, active: u32, width: u32) -> Self {
        if lanes.as_flattened().iter().all(|&word| word == 0) {
            return Path::Uniform;
        }
        // Runs and pieces write whole rows, which inactive lanes must keep.
        if active != ALL {
            return Path::Scattered(lanes);
        }
        let mut all = lanes.as_flattened().iter().zip(0..);
        // Wider values stand in several registers, each of which takes every other word.
        if width == 4 && all.all(|(&word, at)| word == at) {
            return Path::Contiguous;
        }
        let pieces = lanes.as_flattened().chunks(PIECE).map(LaneGroup::new);
        let pieces = pieces.collect::<Option<Vec<_>>>();
        pieces.map_or(Path::Scattered(lanes), Path::Strided)
    }
}

impl LaneGroup {
    fn new(words: &[u32]) -> Option<Self> {
        let first = words[0];
        let step = words[1].checked_sub(first)?;
        let mut steps = words.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        steps
            .all(|other| other == step)
            .then_some(LaneGroup { first, step })
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
}

impl Words for [u32] {
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
}

impl Words for [AtomicU32] {
    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        self[at].load(Relaxed)
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> [u32; PIECE] {
        let words = &self[at..at + PIECE];
        std::array::from_fn(|at| words[at].load(Relaxed))
    }

    #[inline(always)]
    fn read(&self, values: &mut [u32]) {
        for (value, word) in values.iter_mut().zip(self) {
            *value = word.load(Relaxed);
        }
    }
}

/// Loads a word a lane into `rows`, a batch's register: for a movement of words, the one at `part`.
#[inline(always)]
pub fn load<W: Words + ?Sized>(
    rows: &mut [Vector],
    movement: &Movement,
    active: u32,
    words: &W,
    part: usize,
) {
    // Where all warps go to the same words, the first one loads and the others copy its row.
    let (rows, others) = match rows {
        [first, others @ ..] if movement.repeats => (std::slice::from_mut(first), others),
        all => (all, Default::default()),
    };
    match &movement.path {
        Path::Contiguous => words.read(rows.as_flattened_mut()),
        Path::Uniform => {
            let value = [words.get(part); WARP_LANES];
            for row in &mut *rows {
                *row = chosen(active, &value, row);
            }
        }
        Path::Strided(pieces) => load_pieces(rows, pieces, words, part),
        Path::Scattered(lanes) => {
            for (row, lanes) in rows.iter_mut().zip(lanes) {
                let mut value = [0; WARP_LANES];
                for (value, &word) in value.iter_mut().zip(lanes) {
                    *value = words.get(word as usize + part);
                }
                *row = chosen(active, &value, row);
            }
        }
    }
    for row in others {
        *row = chosen(active, &rows[0], row);
    }
}

/// Loads eight lanes at a time.
#[inline(always)]
fn load_pieces<W: Words + ?Sized>(
    rows: &mut [Vector],
    pieces: &[LaneGroup],
    words: &W,
    part: usize,
) {
    let (rows, _) = rows.as_flattened_mut().as_chunks_mut();
    for (target, piece) in rows.iter_mut().zip(pieces) {
        let first = piece.first as usize + part;
        *target = match piece.step as usize {
            0 => [words.get(first); PIECE],
            1 => words.eight(first),
            step => std::array::from_fn(|lane| words.get(first + lane * step)),
        };
    }
}

/// Stores a word a lane from `rows`, in order of warps and lanes, by `put`; `write` stores
/// consecutive words from the first on.
#[inline(always)]
pub fn store(
    rows: &[Vector],
    movement: &Movement,
    active: u32,
    write: impl FnOnce(&[u32]),
    mut put: impl FnMut(usize, u32),
) {
    match &movement.path {
        Path::Contiguous => write(rows.as_flattened()),
        Path::Uniform => {
            if let Some(row) = rows.last() {
                // The last lane of the last warp comes last in order, and its value stays.
                put(0, row[31 - active.leading_zeros() as usize]);
            }
        }
        Path::Strided(pieces) => {
            let rows = rows.as_flattened().chunks_exact(PIECE);
            for (source, piece) in rows.zip(pieces) {
                let first = piece.first as usize;
                match piece.step as usize {
                    // Eight lanes to one word: the last of them stays.
                    0 => put(first, source[PIECE - 1]),
                    step => {
                        let values = source.iter().zip((first..).step_by(step));
                        values.for_each(|(&value, at)| put(at, value));
                    }
                }
            }
        }
        Path::Scattered(lanes) => {
            for (row, lanes) in rows.iter().zip(lanes) {
                for (lane, (&value, &word)) in row.iter().zip(lanes).enumerate() {
                    if active >> lane & 1 == 1 {
                        put(word as usize, value);
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
