//! What somebody sees who has never been here: the loads of one warp in two copies, side by side. Both come of
//! simulated runs of a lesson's own cells.

use crate::device::Gpu;
use crate::launch::{Plan, WARP_LANES};
use crate::lesson::{Lesson, PlanError, RunCell};
use crate::memory::{GlobalRequest, SECTOR_BYTES};

/// The lesson whose copies they are, and its cells: the one whose lanes read neighbours first.
pub(crate) const LESSON: &str = "coalescing";
const CELLS: [&str; 2] = ["copy", "stride"];
/// The size that sets the lanes of the second apart, and to how many elements: each lane then needs a sector alone.
const STRIDE: (&str, u64) = ("S", 8);
/// The value at which nothing is wasted yet: whoever comes from here breaks it.
pub(crate) const UNBROKEN: u64 = 1;
/// Lanes that load between two frames.
const LANES_PER_TICK: usize = 2;
/// Under this key is kept that it was seen.
pub(crate) const SEEN: &str = "welcome";

/// Both loads, as far as they have gone.
#[derive(Clone, Debug, Default)]
pub struct Welcome {
    /// The loads; none until they have run.
    pub loads: Vec<WarpLoad>,
    /// Lanes that have loaded so far on screen.
    pub lanes: usize,
}

/// What the lanes of one warp load with one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpLoad {
    /// The line of the kernel.
    pub line: String,
    /// The address of each lane, in bytes.
    pub addresses: [u64; WARP_LANES],
    /// Bytes that each lane loads.
    pub width_bytes: u64,
}

/// A sector of 32 bytes that moves, and which of its words somebody wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedSector {
    /// Its first byte.
    pub address: u64,
    /// A bit for each word of four bytes.
    pub used_words: u8,
}

impl WarpLoad {
    /// The sectors that move for the first `lanes` lanes, in order of their addresses.
    pub fn sectors(&self, lanes: usize) -> Vec<MovedSector> {
        let mut sectors = std::collections::BTreeMap::<u64, u8>::new();
        for &first in self.addresses.iter().take(lanes) {
            for word in (first..first + self.width_bytes).step_by(4) {
                let used = sectors
                    .entry(word / SECTOR_BYTES * SECTOR_BYTES)
                    .or_default();
                // A sector has eight words: its use is one byte.
                *used |= 1 << (word % SECTOR_BYTES / 4);
            }
        }
        let sectors = sectors.into_iter();
        sectors
            .map(|(address, used_words)| MovedSector {
                address,
                used_words,
            })
            .collect()
    }

    /// Bytes that the first `lanes` lanes wanted, of those that moved for them.
    pub fn used_bytes(&self, lanes: usize) -> (u64, u64) {
        // In 64 bits: shifting 32 bits by 32 is an overflow.
        let active = ((1_u64 << lanes.min(WARP_LANES)) - 1) as u32;
        let request = GlobalRequest::of(&self.addresses, active, self.width_bytes);
        (request.used_bytes, request.sectors * SECTOR_BYTES)
    }
}

impl Welcome {
    /// Whether lanes are still to load.
    pub fn is_playing(&self) -> bool {
        !self.loads.is_empty() && self.lanes < WARP_LANES
    }

    /// Some time went by.
    pub(crate) fn tick(&mut self) {
        self.lanes = (self.lanes + LANES_PER_TICK).min(WARP_LANES);
    }
}

/// The two cells in `lesson`, and their plans on `gpu`.
pub(crate) fn welcome_plans<'l>(
    lesson: &'l Lesson,
    gpu: &Gpu,
) -> Option<[(&'l RunCell, Result<Plan, PlanError>); 2]> {
    let sizes = lesson.sizes_with(&[(STRIDE.0.to_owned(), STRIDE.1)]).ok()?;
    let [copy, stride] = CELLS.map(|id| {
        let cell = lesson.run_cell(id).ok()?;
        Some((cell, cell.plan(&sizes, gpu)))
    });
    Some([copy?, stride?])
}

/// Where to break it: the lesson's cell, and the size to change.
pub(crate) fn broken_by(lesson: &Lesson) -> Option<(usize, usize)> {
    let mut cells = lesson.cells.iter();
    let cell = cells.position(|cell| cell.id() == Some(CELLS[1]))?;
    let mut sizes = lesson.sizes.iter();
    let size = sizes.position(|size| size.name == STRIDE.0 && size.takes(UNBROKEN))?;
    Some((cell, size))
}
