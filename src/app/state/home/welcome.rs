//! What somebody sees who has never been here: the loads of one warp of a copy, at two strides side by side. Both come
//! of simulated runs of a lesson's own cell.

use crate::device::Gpu;
use crate::launch::{Plan, WARP_LANES};
use crate::lesson::{Lesson, PlanError, RunCell};
use crate::memory::{GlobalRequest, SECTOR_BYTES};

/// The lesson that such a visitor begins with, and its cell.
pub(crate) const LESSON: &str = "first-steps";
const CELL: &str = "stride";
/// The size that sets its lanes apart, and to how many elements: at the second each lane needs a sector alone.
const SIZE: &str = "S";
pub(crate) const STRIDES: [u64; 2] = [1, 8];
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

/// The cell in `lesson`, and its plans on `gpu`, one for each stride.
pub(crate) fn welcome_plans<'l>(
    lesson: &'l Lesson,
    gpu: &Gpu,
) -> Option<(&'l RunCell, [Result<Plan, PlanError>; 2])> {
    let cell = lesson.run_cell(CELL).ok()?;
    let [near, far] = STRIDES.map(|stride| {
        let sizes = lesson.sizes_with(&[(SIZE.to_owned(), stride)]).ok()?;
        Some(cell.plan(&sizes, gpu))
    });
    Some((cell, [near?, far?]))
}
