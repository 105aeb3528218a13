//! Bytes that a run moved, level by level of memory.

use crate::app::state::FinishedRun;
use crate::launch::{Counts, Evidence};
use crate::memory::{BANKS, SECTOR_BYTES};

/// Bytes of a bank that a wavefront delivers.
const BANK_BYTES: u64 = 4;

/// A level, and what went through it in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLevel {
    /// Its name.
    pub name: &'static str,
    /// Bytes that moved.
    pub bytes: u64,
    /// Whether it is traffic of global memory, which distinct elements bound from below.
    pub is_global: bool,
    /// How that came to be known.
    pub evidence: Evidence,
    /// What was counted, as a sentence without a full stop.
    pub meaning: &'static str,
}

/// The levels that `counts` says something of, from the lanes outwards.
pub fn levels(counts: &Counts) -> Vec<MemoryLevel> {
    let (load, store) = (&counts.global_load, &counts.global_store);
    let sectors = load.sectors + store.sectors + counts.global_atomic.sectors;
    let wavefronts = counts.shared_wavefronts();
    let counted = |name, bytes, meaning| MemoryLevel {
        name,
        bytes,
        is_global: true,
        evidence: Evidence::Counted,
        meaning,
    };
    let mut levels = vec![counted(
        "requested",
        load.bytes + store.bytes,
        "bytes of global memory that lanes loaded and stored; every lane counts",
    )];
    if wavefronts > 0 {
        let bytes = wavefronts * BANKS as u64 * BANK_BYTES;
        let meaning = "128 bytes per wavefront: what 32 banks can deliver, used or not";
        levels.push(MemoryLevel {
            is_global: false,
            ..counted("shared", bytes, meaning)
        });
    }
    levels.push(counted(
        "L1",
        sectors * SECTOR_BYTES,
        "32 bytes per sector that loads, stores and atomics moved between SM and L1",
    ));
    levels.extend(behind_l1(counts));
    levels
}

/// L2 and device memory, where they were modelled.
fn behind_l1(counts: &Counts) -> impl Iterator<Item = MemoryLevel> {
    let modelled = |name, bytes, meaning| MemoryLevel {
        name,
        bytes,
        is_global: true,
        evidence: Evidence::Modelled,
        meaning,
    };
    let l2 = counts.l2.0.map(|l2| {
        let bytes = (l2.read_sectors + l2.write_sectors) * SECTOR_BYTES;
        modelled("L2", bytes, "32 bytes per sector between L1 and L2")
    });
    let dram = counts.dram.0.map(|dram| {
        let bytes = dram.read_bytes + dram.write_bytes;
        let meaning = "bytes between L2 and device memory, without what is still in L2 at the end";
        modelled("DRAM", bytes, meaning)
    });
    l2.into_iter().chain(dram)
}

impl FinishedRun {
    /// Bytes of the distinct elements of `launch`, or of each launch added up: what its SMs have to ask for at
    /// least. An L2 that still holds them spares device memory. Nothing where nobody knows them.
    pub fn distinct_bytes(&self, launch: Option<usize>) -> Option<u64> {
        let launches = self.result.outcome.launches.iter().enumerate();
        let chosen = launches.filter(|&(at, _)| launch.is_none_or(|launch| launch == at));
        let footprints = chosen.flat_map(|(_, launch)| &launch.footprints);
        let bytes = footprints.map(|touched| {
            let buffer = self.plan.buffers.get(touched.buffer)?;
            Some((touched.loaded + touched.stored) * buffer.element.size_bytes() as u64)
        });
        let bytes = bytes.sum::<Option<u64>>()?;
        (bytes > 0).then_some(bytes)
    }
}
