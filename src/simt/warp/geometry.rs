//! Shape of a launch: who is which thread.

use super::vector::Vector;
use crate::launch::{Dim3, WARP_LANES, volume};

/// An index in x, y and z.
pub type Point = [u32; 3];

/// Grid and block of a launch.
pub struct Geometry {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Blocks, next to each other in x, whose warps are numbered together.
    pub side_by_side: usize,
    /// For each warp, the indices of its lanes' threads in x, y and z.
    pub threads: Vec<[Vector; 3]>,
    /// For each warp, how many blocks after the first its own is.
    pub steps: Vec<u32>,
}

impl Geometry {
    /// The shape of a grid of blocks, whose sizes the caller has checked, with the warps of
    /// `side_by_side` blocks.
    pub fn new(grid: Dim3, block: Dim3, side_by_side: usize) -> Self {
        let warps = (volume(block) as usize).div_ceil(WARP_LANES);
        let all = 0..warps * side_by_side;
        let steps = all.clone().map(|warp| (warp / warps) as u32);
        let threads = all.map(|warp| {
            // Adjacent blocks that run side by side repeat the threads of the first one.
            let warp = warp % warps;
            let point = |lane| point((warp * WARP_LANES + lane) as u64, block);
            std::array::from_fn(|axis| std::array::from_fn(|lane| point(lane)[axis]))
        });
        Geometry {
            grid,
            block,
            side_by_side,
            threads: threads.collect(),
            steps: steps.collect(),
        }
    }

    /// Warps in a block, or in those side by side.
    pub fn warps(&self) -> usize {
        self.threads.len()
    }

    /// Blocks in the grid.
    pub fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    /// The block that is `index` in order, x fastest.
    pub fn block_at(&self, index: u64) -> Point {
        match self.grid {
            // Divisions are dear for blocks of a few instructions.
            [_, 1, 1] => [index as u32, 0, 0],
            _ => point(index, self.grid),
        }
    }

    /// The place of a block in order, x fastest: the inverse of [`Self::block_at`].
    pub fn index_of(&self, [x, y, z]: Point) -> u64 {
        let [width, height, _] = self.grid.map(u64::from);
        u64::from(x) + width * (u64::from(y) + height * u64::from(z))
    }

    /// The lanes of a warp that are threads of the block: all but in the last warp.
    pub fn lanes(&self, warp: usize) -> u32 {
        // The last warp of each block is cut off at the end of its block.
        let warp = warp % (self.warps() / self.side_by_side);
        let left = volume(self.block) - (warp * WARP_LANES) as u64;
        u32::MAX >> (WARP_LANES as u64).saturating_sub(left)
    }

    /// The thread of a lane.
    pub fn thread(&self, warp: usize, lane: usize) -> Point {
        std::array::from_fn(|axis| self.threads[warp][axis][lane])
    }
}

fn point(index: u64, size: Dim3) -> Point {
    let [x, y] = [u64::from(size[0]), u64::from(size[1])];
    let at = [index % x, index / x % y, index / x / y];
    at.map(|index| index as u32)
}
