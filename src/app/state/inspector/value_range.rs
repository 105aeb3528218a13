//! The least and the most that an array of shared memory holds at any step: the scale of its picture, the same at all of
//! them.

use crate::ir::{SHARED_BASE, Space};
use crate::launch::WARP_LANES;
use crate::memory::AccessKind;
use crate::simt::{Cursor, History, MemoryKind};

/// Steps of a block that are looked through: a warp may have a million, and loops repeat themselves long before.
pub(super) const MOST_STEPS: usize = 20_000;

/// Least and most of the finite numbers; `least > most` where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl ValueRange {
    /// NaN and infinities are left out: one of them would leave a single shade for all other values.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let none = ValueRange {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        // One infinity would make all other colours the same.
        let finite = numbers.filter(|number| number.is_finite());
        finite.fold(none, |range, number| ValueRange {
            least: range.least.min(number),
            most: range.most.max(number),
        })
    }

    /// That of the numbers of both.
    pub fn with(self, other: Self) -> Self {
        ValueRange {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

/// By allocation of the kernel what the watched warp stores to it, where it is shared memory.
pub(crate) fn shared_ranges(history: &History) -> Vec<ValueRange> {
    let allocations = &history.kernel().memory.allocations;
    let none = ValueRange::of(std::iter::empty());
    let mut ranges = vec![none; allocations.len()];
    let cursors = (0..history.len().min(MOST_STEPS)).filter_map(|at| history.cursor(at));
    for (cursor, address) in cursors.flat_map(|cursor| stored(history, cursor)) {
        let offset = (address - SHARED_BASE) as u32;
        let at = allocations
            .iter()
            // The last array that begins at or before the address: they lie one behind the other.
            .rposition(|array| array.space == Space::Shared && array.offset_bytes <= offset);
        let Some((array, range)) = at.map(|at| (&allocations[at], &mut ranges[at])) else {
            continue;
        };
        // Narrower and wider elements are parts of words, or two: their pictures are scaled as they are drawn.
        if array.part.size_bytes() == 4
            && let Some(word) = history.word(cursor, address)
        {
            let number = array.part.value(u64::from(word)).as_f64();
            *range = range.with(ValueRange::of([number].into_iter()));
        }
    }
    ranges
}

/// Addresses of shared memory that a step stores to, each with the step.
fn stored(history: &History, cursor: Cursor) -> Vec<(Cursor, u64)> {
    let is_shared = history
        .memories(cursor)
        .any(|memory| memory == MemoryKind::Shared);
    if !is_shared {
        return Vec::new();
    }
    let accesses = history.accesses(cursor);
    let stores = accesses.iter().filter(|access| {
        access.memory == MemoryKind::Shared && access.site.kind == AccessKind::Store
    });
    let words = stores.flat_map(|access| {
        let lanes = (0..WARP_LANES).filter(|lane| access.active >> lane & 1 == 1);
        lanes.map(|lane| (cursor, access.addresses[lane]))
    });
    words.collect()
}
