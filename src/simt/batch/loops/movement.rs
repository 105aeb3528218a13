//! How the values of a batch's access lie in memory, and the ways to move them: consecutive words as
//! one run, eight lanes at a time, or each lane for itself.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ir::{AccessSite, ValueKind};
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
    /// All lanes, so many bytes of a word each: one after the other.
    Narrow(u32),
    /// All lanes of each warp, several words each: one after the other, from here on.
    Packed { firsts: Vec<u32>, words: usize },
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
    /// each, and one after the other if that is not a multiple of 4.
    pub fn new(offsets: &[[i64; WARP_LANES]], active: u32, least: i64, width: u32) -> Self {
        let word = |(lane, offset): (usize, &i64)| match active >> lane & 1 {
            0 => 0,
            // From the lowest on, so that all are positive.
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

impl Movement {
    /// Bytes that each lane moves, where these are fewer than a word.
    pub fn narrow_bytes(&self) -> Option<u32> {
        match self.path {
            Path::Narrow(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether lanes move several words each, one lane's behind the other's.
    pub fn is_packed(&self) -> bool {
        self.packed().is_some()
    }

    /// Where each warp's words begin, and how many each lane moves, where they are packed.
    #[inline(always)]
    fn packed(&self) -> Option<(&[u32], usize)> {
        match &self.path {
            Path::Packed { firsts, words } => Some((firsts, *words)),
            _ => None,
        }
    }
}

impl Path {
    fn new(lanes: Vec<Vector>, active: u32, width: u32) -> Self {
        if width < 4 {
            return Path::Narrow(width);
        }
        // Inactive lanes stand at 0 as well, and do not matter.
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
        let words = width as usize / 4;
        let is_packed =
            |row: &Vector| (0..WARP_LANES).all(|lane| row[lane] == row[0] + (lane * words) as u32);
        if words > 1 && lanes.iter().all(is_packed) {
            let firsts = lanes.iter().map(|row| row[0]).collect();
            return Path::Packed { firsts, words };
        }
        let pieces = lanes.as_flattened().chunks(PIECE).map(LaneGroup::new);
        let pieces = pieces.collect::<Option<Vec<_>>>();
        pieces.map_or(Path::Scattered(lanes), Path::Strided)
    }
}

impl LaneGroup {
    fn new(words: &[u32]) -> Option<Self> {
        let first = words[0];
        // Lanes that go downwards have no step: they go each for itself.
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
    /// Eight from `at` on, each `step` behind the one before.
    fn every(&self, at: usize, step: usize) -> [u32; PIECE];
    /// So many from `at` on.
    fn read(&self, at: usize, values: &mut [u32]);
}

impl Words for [u32] {
    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        self[at]
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> [u32; PIECE] {
        // A slice of known length: one test of the index for eight words.
        let words = &self[at..at + PIECE];
        std::array::from_fn(|at| words[at])
    }

    #[inline(always)]
    fn every(&self, at: usize, step: usize) -> [u32; PIECE] {
        every(self, at, step, |&word| word)
    }

    #[inline(always)]
    fn read(&self, at: usize, values: &mut [u32]) {
        values.copy_from_slice(&self[at..at + values.len()]);
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
    fn every(&self, at: usize, step: usize) -> [u32; PIECE] {
        every(self, at, step, |word| word.load(Relaxed))
    }

    #[inline(always)]
    fn read(&self, at: usize, values: &mut [u32]) {
        for (value, word) in values.iter_mut().zip(&self[at..]) {
            *value = word.load(Relaxed);
        }
    }
}

#[inline(always)]
fn every<W>(words: &[W], at: usize, step: usize, get: impl Fn(&W) -> u32) -> [u32; PIECE] {
    match step {
        // Lanes of 8 or 16 bytes whose masks take them apart.
        2 => every_of::<W, 2>(&words[at..at + 7 * 2 + 1], get),
        4 => every_of::<W, 4>(&words[at..at + 7 * 4 + 1], get),
        _ => {
            // A loop, as in `words_at`.
            let mut values = [0; PIECE];
            for (lane, value) in values.iter_mut().enumerate() {
                *value = get(&words[at + lane * step]);
            }
            values
        }
    }
}

/// Of a slice of known length: one test of the index for eight words.
#[inline(always)]
fn every_of<W, const STEP: usize>(words: &[W], get: impl Fn(&W) -> u32) -> [u32; PIECE] {
    let mut values = [0; PIECE];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = get(&words[lane * STEP]);
    }
    values
}

/// Loads a word a lane into `rows`, a batch's register: for a movement of words, the one at `part`.
#[inline(always)]
pub fn load<W: Words + ?Sized>(
    rows: &mut [Vector],
    movement: &Movement,
    active: u32,
    memory: &W,
    part: usize,
) {
    // Where all warps go to the same words, the first one loads and the others copy its row.
    let loading = if movement.repeats { 1 } else { rows.len() };
    let (rows, others) = rows.split_at_mut(loading.min(rows.len()));
    match &movement.path {
        Path::Contiguous => memory.read(0, rows.as_flattened_mut()),
        Path::Uniform => {
            let value = [memory.get(part); WARP_LANES];
            for row in &mut *rows {
                *row = chosen(active, &value, row);
            }
        }
        // Moved by `load_narrow` and `store_narrow`.
        Path::Narrow(_) => {}
        Path::Packed { firsts, words } => {
            for (row, &first) in rows.iter_mut().zip(firsts) {
                // The words of a lane are neighbours; lanes follow each other `words` apart.
                let word = |lane| memory.get(first as usize + part + lane * words);
                *row = std::array::from_fn(word);
            }
        }
        Path::Strided(pieces) => load_pieces(rows, pieces, memory, part),
        Path::Scattered(lanes) => {
            for (row, lanes) in rows.iter_mut().zip(lanes) {
                *row = chosen(active, &words_at(memory, lanes, part), row);
            }
        }
    }
    for row in others {
        *row = chosen(active, &rows[0], row);
    }
}

/// The words that lanes go to, moved by `part`.
#[inline(always)]
fn words_at<W: Words + ?Sized>(memory: &W, lanes: &Vector, part: usize) -> Vector {
    // A loop, not `map`, which would be a call that the compiler does not know to be for AVX2.
    let mut values = [0; WARP_LANES];
    for (value, &word) in values.iter_mut().zip(lanes) {
        *value = memory.get(word as usize + part);
    }
    values
}

/// Most words of a warp's access: four of each lane.
const MOST_PACKED: usize = 4 * WARP_LANES;

/// Loads all words of a packed movement at once. `registers` are those that an access writes, in each of them `warps`
/// rows, of which the first `count` are written. Neighbours in memory are read together and then sorted into registers,
/// fours by `sort_fours`, which takes a quarter of the time of [`load`].
#[inline(always)]
pub fn load_packed<W: Words + ?Sized>(
    registers: &mut [Vector],
    warps: usize,
    count: usize,
    movement: &Movement,
    words: &W,
    sort_fours: impl Fn(&mut [Vector], usize, &[[u32; 4]]),
) {
    let Some((firsts, each)) = movement.packed() else {
        return;
    };
    let mut memory = [0; MOST_PACKED];
    for (warp, &first) in firsts.iter().enumerate().take(count) {
        let memory = &mut memory[..each * WARP_LANES];
        words.read(first as usize, memory);
        let registers = &mut registers[warp..];
        // Accesses of 8 and of 16 bytes are all that have several words.
        match each {
            2 => sort_into(registers, warps, memory.as_chunks::<2>().0),
            _ => sort_fours(registers, warps, memory.as_chunks::<4>().0),
        }
    }
}

/// Sorts what each lane has loaded into registers, one every `warps` rows.
#[inline(always)]
pub fn sort_into<const EACH: usize>(
    registers: &mut [Vector],
    warps: usize,
    memory: &[[u32; EACH]],
) {
    let rows = registers.iter_mut().step_by(warps);
    for (part, row) in rows.take(EACH).enumerate() {
        for (value, words) in row.iter_mut().zip(memory) {
            *value = words[part];
        }
    }
}

/// Stores all words of a packed movement at once, fours taken by `sort_fours` out of registers; `write` stores consecutive
/// words from a place on.
#[inline(always)]
pub fn store_packed(
    registers: &[Vector],
    warps: usize,
    count: usize,
    movement: &Movement,
    sort_fours: impl Fn(&[Vector], usize, &mut [[u32; 4]]),
    mut write: impl FnMut(usize, &[u32]),
) {
    let Some((firsts, each)) = movement.packed() else {
        return;
    };
    let mut memory = [0; MOST_PACKED];
    for (warp, &first) in firsts.iter().enumerate().take(count) {
        let memory = &mut memory[..each * WARP_LANES];
        let registers = &registers[warp..];
        match each {
            2 => sort_out_of(registers, warps, memory.as_chunks_mut::<2>().0),
            _ => sort_fours(registers, warps, memory.as_chunks_mut::<4>().0),
        }
        write(first as usize, memory);
    }
}

/// Takes what each lane stores out of registers, one every `warps` rows.
#[inline(always)]
pub fn sort_out_of<const EACH: usize>(
    registers: &[Vector],
    warps: usize,
    memory: &mut [[u32; EACH]],
) {
    let rows = registers.iter().step_by(warps);
    for (part, row) in rows.take(EACH).enumerate() {
        for (&value, words) in row.iter().zip(&mut *memory) {
            words[part] = value;
        }
    }
}

/// Words of a warp's access of bytes or halves of words.
const MOST_NARROW: usize = WARP_LANES / 2;

/// Loads `each` bytes a lane, one or two, from words on, and fills them up to a word as `site` has it.
#[inline(always)]
pub fn load_narrow<W: Words + ?Sized>(
    rows: &mut [Vector],
    each: u32,
    site: &AccessSite,
    words: &W,
) {
    let signed = site.value == ValueKind::Signed;
    let mut memory = [0; MOST_NARROW];
    let memory = &mut memory[..WARP_LANES * each as usize / 4];
    for (warp, row) in rows.iter_mut().enumerate() {
        // Lanes go one behind the other, and a warp's bytes begin at a whole word: 32 lanes of 1 byte are 8 words.
        words.read(warp * memory.len(), memory);
        match (each, signed) {
            (1, false) => widen(row, memory, |word: u32| word & 0xff, 8),
            (1, true) => widen(row, memory, |word: u32| word as i8 as u32, 8),
            (_, false) => widen(row, memory, |word: u32| word & 0xffff, 16),
            (_, true) => widen(row, memory, |word: u32| word as i16 as u32, 16),
        }
    }
}

#[inline(always)]
fn widen(row: &mut Vector, memory: &[u32], low: impl Fn(u32) -> u32, bits: usize) {
    for (lane, value) in row.iter_mut().enumerate() {
        let bit = lane * bits;
        *value = low(memory[bit / 32] >> (bit % 32));
    }
}

/// Stores the low `each` bytes of each lane, one or two; `write` stores consecutive words from a place on.
#[inline(always)]
pub fn store_narrow(rows: &[Vector], each: u32, mut write: impl FnMut(usize, &[u32])) {
    let mut memory = [0; MOST_NARROW];
    let memory = &mut memory[..WARP_LANES * each as usize / 4];
    let (bits, mask) = (8 * each as usize, u32::MAX >> (32 - 8 * each));
    for (warp, row) in rows.iter().enumerate() {
        memory.fill(0);
        for (lane, value) in row.iter().enumerate() {
            // Lanes from the low bits of a word on: the memory is little endian.
            let bit = lane * bits;
            memory[bit / 32] |= (value & mask) << (bit % 32);
        }
        write(warp * memory.len(), memory);
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
        match piece.step as usize {
            0 => *target = [words.get(first); PIECE],
            1 => *target = words.eight(first),
            step => *target = words.every(first, step),
        }
    }
}

/// Stores a word a lane from `rows`, in order of warps and lanes, by `put`; `write` stores
/// consecutive words from the first on, and `every` eight words, each so many behind the one before.
#[inline(always)]
pub fn store(
    rows: &[Vector],
    movement: &Movement,
    active: u32,
    write: impl FnOnce(&[u32]),
    mut put: impl FnMut(usize, u32),
    every: impl FnMut(usize, usize, &[u32; PIECE]),
) {
    match &movement.path {
        Path::Contiguous => write(rows.as_flattened()),
        Path::Uniform => {
            if let Some(row) = rows.last() {
                // The last lane of the last warp comes last in order, and its value stays.
                put(0, row[31 - active.leading_zeros() as usize]);
            }
        }
        Path::Narrow(_) => {}
        Path::Packed { firsts, words } => {
            for (row, &first) in rows.iter().zip(firsts) {
                let values = row.iter().zip((first as usize..).step_by(*words));
                values.for_each(|(&value, at)| put(at, value));
            }
        }
        Path::Strided(pieces) => store_pieces(rows, pieces, put, every),
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

/// Stores eight lanes at a time.
#[inline(always)]
fn store_pieces(
    rows: &[Vector],
    pieces: &[LaneGroup],
    mut put: impl FnMut(usize, u32),
    mut every: impl FnMut(usize, usize, &[u32; PIECE]),
) {
    let (rows, _) = rows.as_flattened().as_chunks();
    for (source, piece) in rows.iter().zip(pieces) {
        let first = piece.first as usize;
        match piece.step as usize {
            // Eight lanes to one word: the last of them stays.
            0 => put(first, source[PIECE - 1]),
            step => every(first, step, source),
        }
    }
}

/// Stores eight words from the one at `at` on, each `step` behind the one before, by `set`.
#[inline(always)]
pub fn store_every<W>(
    words: &[W],
    at: usize,
    step: usize,
    values: &[u32; PIECE],
    set: impl Fn(&W, u32),
) {
    match step {
        // As in `every`.
        2 => store_every_of::<W, 2>(&words[at..at + 7 * 2 + 1], values, set),
        4 => store_every_of::<W, 4>(&words[at..at + 7 * 4 + 1], values, set),
        _ => {
            for (lane, &value) in values.iter().enumerate() {
                set(&words[at + lane * step], value);
            }
        }
    }
}

#[inline(always)]
fn store_every_of<W, const STEP: usize>(words: &[W], values: &[u32; PIECE], set: impl Fn(&W, u32)) {
    for (lane, &value) in values.iter().enumerate() {
        set(&words[lane * STEP], value);
    }
}

#[inline(always)]
fn chosen(active: u32, new: &Vector, old: &Vector) -> Vector {
    match active {
        ALL => *new,
        _ => blend(active, new, old),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::AccessKind;
    use crate::simt::batch::loops::loops;
    use crate::source::Span;

    const WARPS: usize = 3;

    proptest! {
        #[test]
        fn narrow_values_move_as_one_by_one(
            each in prop::sample::select(vec![1_u32, 2]),
            signed: bool,
            memory in prop::collection::vec(any::<u32>(), WARPS * WARP_LANES / 2),
        ) {
            let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut rows = [[0; WARP_LANES]; WARPS];
            let mut site = AccessSite::new(AccessKind::Load, each, Span::default());
            site.value = if signed { ValueKind::Signed } else { ValueKind::Unsigned };
            load_narrow(&mut rows, each, &site, &memory[..]);
            for (at, &found) in rows.as_flattened().iter().enumerate() {
                let value = match each {
                    1 => u32::from(bytes[at]),
                    _ => u32::from(u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])),
                };
                let unused = 32 - 8 * each;
                let filled = ((value << unused) as i32 >> unused) as u32;
                prop_assert_eq!(found, if signed { filled } else { value });
            }
            let mut stored = vec![0; memory.len()];
            store_narrow(&rows, each, |at, values| stored[at..at + values.len()].copy_from_slice(values));
            let words = WARPS * WARP_LANES * each as usize / 4;
            prop_assert_eq!(&stored[..words], &memory[..words]);
        }

        #[test]
        fn packed_words_move_as_one_by_one(
            firsts in prop::array::uniform3(0_usize..20),
            each in prop::sample::select(vec![2_usize, 4]),
            count in 1..=WARPS,
            values in prop::collection::vec(any::<u32>(), 4 * WARPS * WARP_LANES),
            memory in prop::collection::vec(any::<u32>(), 32 * 4 * WARP_LANES),
        ) {
            let first = |warp: usize| firsts[warp] * each * WARP_LANES;
            let least = (0..WARPS).map(first).min().unwrap_or(0);
            let offsets: Vec<[i64; WARP_LANES]> = (0..WARPS)
                .map(|warp| std::array::from_fn(|lane| 4 * (first(warp) - least + lane * each) as i64))
                .collect();
            let movement = Movement::new(&offsets, ALL, 0, 4 * each as u32);
            prop_assert!(movement.is_packed());
            let registers: Vec<Vector> = values.chunks(WARP_LANES).map(|row| std::array::from_fn(|lane| row[lane])).collect();
            let words: Vec<AtomicU32> = memory.iter().map(|&word| AtomicU32::new(word)).collect();
            let mut expected = registers.clone();
            for part in 0..each {
                let rows = &mut expected[part * WARPS..][..count];
                load(rows, &movement, ALL, &words[..], part);
            }
            let (mut loaded, mut of_shared) = (registers.clone(), registers.clone());
            let mut shared = memory.clone();
            (loops().load_packed_global)(&mut loaded, WARPS, count, &movement, &words);
            prop_assert_eq!(&loaded, &expected);
            (loops().load_packed_shared)(&mut of_shared, WARPS, count, &movement, &mut shared);
            prop_assert_eq!(&of_shared, &expected);
            // Warps that go to one place store one after the other, but each all of its words.
            let mut expected = memory.clone();
            for warp in 0..count {
                for (lane, part) in (0..WARP_LANES).flat_map(|lane| (0..each).map(move |part| (lane, part))) {
                    expected[first(warp) - least + lane * each + part] = registers[part * WARPS + warp][lane];
                }
            }
            let mut registers = registers;
            (loops().store_packed_global)(&mut registers, WARPS, count, &movement, &words);
            let stored: Vec<u32> = words.iter().map(|word| word.load(Relaxed)).collect();
            prop_assert_eq!(&stored, &expected);
            (loops().store_packed_shared)(&mut registers, WARPS, count, &movement, &mut shared);
            prop_assert_eq!(&shared, &expected);
        }
    }
}
