//! Scans (running sums and the like) along a dimension.
//!
//! After `ScanOpToLLVM.cpp` (`lib/Conversion/TritonGPUToLLVM`) of Triton 3.6. What a thread has side by side along the
//! dimension is a chunk. With `op(a, b)` for `a` before `b`, and `last` for the last value of a chunk:
//!
//! 1. Each chunk: every value becomes `op` of the one before and itself.
//! 2. Each `last`: for each step of [`Scan::lane_steps`], lanes whose position is at least the step take
//!    `op(value from step × stride lanes below, own)`.
//! 3. With several warps along the dimension, the lanes at the last position store each `last`; a barrier. Then each chunk
//!    in order, with `total` and `before` of its accumulator: for warp `i` of them, `part` is loaded; the accumulator's
//!    first part is its `total` and `before`; later ones make `total = op(total, part)`, and `before = total` where the
//!    own position among warps is above `i`. Then `last = op(before, last)`, but not in block 0 of warp position 0. Lanes
//!    take the `last` of the lane before (at position 0: `before`), and put it before the chunk's other values, but not in
//!    block 0 at the first lane of the first warp. Then `before = total`.
//! 4. With one warp: the same without memory; `before` is the `last` of the lane at the last position of the block before.
//!
//! Compilers leave out what nobody needs: the last `total` of a scan, and the one before it in all warps but the last.
//!
//! Backwards, registers are taken in reverse, lanes by shuffles with the lane at distance 31 (exclusive or), warps by
//! counting positions from the end, and lanes and registers are put back after.

use super::linear::LinearLayout;
use super::reduce::SharedOffsets;

/// Values of a thread that lie side by side along the dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanChunk {
    /// In their order.
    pub registers: Vec<u32>,
    /// Which of the thread's scans it belongs to.
    pub accumulator: u32,
    /// How many chunks of that scan come before.
    pub block: u32,
}

/// Positions along the dimension: `index / stride % count`, of a lane in its warp or of a warp in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// Distance of neighbours.
    pub stride: u32,
    /// How many there are with values of their own.
    pub count: u32,
}

impl Positions {
    /// The bits of `bases` that move along `axis`.
    fn of(layout: &LinearLayout, bases: &[u32], axis: usize) -> Self {
        let along = |basis: &&u32| layout.indices(**basis)[axis] != 0;
        let first = bases.iter().position(|basis| along(&basis)).unwrap_or(0);
        Positions {
            stride: 1 << first,
            count: 1 << bases.iter().filter(along).count(),
        }
    }

    /// The position of a lane or warp.
    pub fn of_index(self, index: u32) -> u32 {
        index / self.stride % self.count
    }
}

/// What several warps exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanExchange {
    /// Elements in shared memory, for each operand.
    pub elements: u32,
    /// Where each chunk's last value is stored.
    pub stores: SharedOffsets,
    /// Lanes with one of these bits do not store, nor those before the last position.
    pub idle_lanes: u32,
    /// Warps with one of these bits do not store.
    pub idle_warps: u32,
    /// Where the part of the warp at position 0 is loaded for each chunk.
    pub loads: SharedOffsets,
    /// From the part of one warp to that of the next; at 1, a thread loads up to four at once.
    pub part_stride: u32,
}

/// How a tile is scanned along one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The chunks of a thread, in the order in which they are taken.
    pub chunks: Vec<ScanChunk>,
    /// Chunks of each scan.
    pub blocks: u32,
    /// Lanes along the dimension.
    pub lanes: Positions,
    /// Warps along the dimension.
    pub warps: Positions,
    /// Where there are several of them.
    pub across_warps: Option<ScanExchange>,
}

impl Scan {
    /// Steps of the scan over lanes, in positions.
    pub fn lane_steps(&self) -> Vec<u32> {
        (0..self.lanes.count.ilog2()).map(|bit| 1 << bit).collect()
    }
}

/// The scan of a tile with that (blocked) layout along `axis`.
pub fn scan(layout: &LinearLayout, axis: usize) -> Scan {
    let chunks = chunks(layout, axis);
    let lanes = Positions::of(layout, &layout.lanes, axis);
    let warps = Positions::of(layout, &layout.warps, axis);
    Scan {
        blocks: chunks
            .iter()
            .map(|chunk| chunk.block + 1)
            .max()
            .unwrap_or(1),
        across_warps: (warps.count > 1).then(|| across_warps(layout, axis, chunks.len(), warps)),
        chunks,
        lanes,
        warps,
    }
}

/// Runs of registers that follow one another along `axis`, in order of their last registers.
fn chunks(layout: &LinearLayout, axis: usize) -> Vec<ScanChunk> {
    let first = layout.bit_of(axis);
    let mut within = Vec::new();
    for (bit, &basis) in layout.registers.iter().enumerate() {
        // Only the dimension's lowest bits, in order, are neighbours; other lanes hold what lies between any others.
        let is_inside = 1 << within.len() < layout.shape[axis];
        if is_inside && basis == 1 << (first + within.len() as u32) {
            within.push(bit);
        }
    }
    let along = |bit: &usize| layout.indices(layout.registers[*bit])[axis] != 0;
    // A register with the basis 0 repeats another: scanned again, its values would count twice.
    let unique = (0..layout.registers.len()).filter(|&bit| layout.registers[bit] != 0);
    let rest: Vec<usize> = unique.filter(|bit| !within.contains(bit)).collect();
    let blocks: Vec<usize> = rest.iter().copied().filter(along).collect();
    let parallel: Vec<usize> = rest.iter().copied().filter(|bit| !along(bit)).collect();
    let spread = |bits: &[usize], index: u32| {
        let set = bits
            .iter()
            .enumerate()
            .filter(|(at, _)| index >> at & 1 == 1);
        set.fold(0, |register, (_, bit)| register | 1 << bit)
    };
    let pick = |bits: &[usize], register: u32| {
        let set = bits
            .iter()
            .enumerate()
            .filter(|(_, bit)| register >> **bit & 1 == 1);
        set.fold(0, |index, (at, _)| index | 1 << at)
    };
    let starts = (0..1 << rest.len()).map(|index| spread(&rest, index));
    let chunk = |start: u32| ScanChunk {
        registers: (0..1 << within.len())
            .map(|at| start | spread(&within, at))
            .collect(),
        accumulator: pick(&parallel, start),
        block: pick(&blocks, start),
    };
    starts.map(chunk).collect()
}

/// For each basis that is counted, the next power of two from `next` on; 0 for the others.
fn doublings(bases: &[u32], next: &mut u32, is_counted: impl Fn(usize, u32) -> bool) -> Vec<u32> {
    let each = bases.iter().enumerate().map(|(bit, &basis)| {
        if !is_counted(bit, basis) {
            return 0;
        }
        *next *= 2;
        *next / 2
    });
    each.collect()
}

fn across_warps(
    layout: &LinearLayout,
    axis: usize,
    chunks: usize,
    warps: Positions,
) -> ScanExchange {
    let is_along = |basis: u32| layout.indices(basis)[axis] != 0;
    let free = layout.replicated();
    let is_beside =
        |free: u32| move |bit: usize, basis: u32| !is_along(basis) && free >> bit & 1 == 0;
    // Lanes and warps beside the dimension are counted on, so that each of their scans has its place.
    let mut parallel = 1;
    let lanes = doublings(&layout.lanes, &mut parallel, is_beside(free.lane));
    let beside = doublings(&layout.warps, &mut parallel, is_beside(free.warp));
    let mut part = parallel;
    let along = doublings(&layout.warps, &mut part, |_, basis| is_along(basis));
    let stores = along
        .iter()
        .zip(&beside)
        .map(|(along, beside)| along + beside);
    let values: Vec<u32> = (0..chunks as u32)
        .map(|chunk| chunk * parallel * warps.count)
        .collect();
    ScanExchange {
        elements: chunks as u32 * parallel * warps.count,
        stores: SharedOffsets {
            values: values.clone(),
            lanes: lanes.clone(),
            warps: stores.collect(),
        },
        idle_lanes: free.lane,
        idle_warps: free.warp,
        loads: SharedOffsets {
            values,
            lanes,
            warps: beside,
        },
        part_stride: parallel,
    }
}
