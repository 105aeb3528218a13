//! The shape of a launch: how many blocks, warps and lanes its configuration makes.

use serde::Serialize;

use crate::launch::{Dim3, Launch, WARP_LANES, volume};

/// What a launch is divided into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaunchShape {
    /// The kernel.
    pub kernel: String,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
}

impl LaunchShape {
    /// The shape of `launch`.
    pub fn of(launch: &Launch) -> Self {
        LaunchShape {
            kernel: launch.kernel.clone(),
            grid: launch.grid,
            block: launch.block,
        }
    }

    /// Blocks in the grid.
    pub fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    /// Threads in a block.
    pub fn threads(&self) -> u64 {
        volume(self.block)
    }

    /// Warps of a block: the last may have lanes without a thread.
    pub fn warps(&self) -> u64 {
        self.threads().div_ceil(WARP_LANES as u64)
    }

    /// Lanes of a block that no thread has.
    pub fn empty_lanes(&self) -> u64 {
        self.warps() * WARP_LANES as u64 - self.threads()
    }

    /// Threads of warp `warp` of a block.
    pub fn threads_of(&self, warp: u64) -> usize {
        let lanes = WARP_LANES as u64;
        self.threads().saturating_sub(warp * lanes).min(lanes) as usize
    }

    /// `threadIdx` of the thread with this number: x goes first, then y, then z (CUDA C++ Programming Guide, thread
    /// hierarchy).
    pub fn thread_index(&self, number: u64) -> [u64; 3] {
        let [x, y, _] = self.block.map(|side| u64::from(side).max(1));
        [number % x, number / x % y, number / (x * y)]
    }
}
