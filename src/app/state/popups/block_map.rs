//! Choosing a block and a warp on a map of the grid.

use crate::app::state::{Action, InspectorAction, Movement, RunAction};
use crate::launch::{Dim3, WARP_LANES, Watch, volume};

/// Blocks in a row of a grid that has one dimension only.
const FOLD: u32 = 20;
/// Factor from one scale of the map to the next.
const ZOOM: u32 = 4;

/// The map while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMap {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// The block and warp under the cursor.
    pub at: Watch,
    /// Blocks that a cell of the map stands for, in each direction that it shows.
    pub scale: u32,
}

impl BlockMap {
    /// Whether the grid has one dimension, and is folded to be seen.
    pub fn is_folded(&self) -> bool {
        self.grid[1] == 1 && self.grid[2] == 1
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        volume(self.block).div_ceil(WARP_LANES as u64).max(1) as u32
    }

    /// Columns and rows of cells.
    pub fn cells(&self) -> (u32, u32) {
        let [x, y, _] = self.grid;
        if self.is_folded() {
            let cells = x.div_ceil(self.scale);
            return (cells.min(FOLD), cells.div_ceil(FOLD));
        }
        (x.div_ceil(self.scale), y.div_ceil(self.scale))
    }

    /// Column and row of the cell that stands for a block of the plane that is shown.
    pub fn cell_of(&self, block: Dim3) -> (u32, u32) {
        let [x, y, _] = block.map(|at| at / self.scale);
        if self.is_folded() {
            // A grid of one row would be a line of thousands: it is folded as text is.
            (x % FOLD, x / FOLD)
        } else {
            (x, y)
        }
    }

    /// The first block of a cell, if the grid has it.
    pub fn block_at(&self, column: u32, row: u32) -> Option<Dim3> {
        let (x, y) = match self.is_folded() {
            // A click right of the last column would else be a block of the next row.
            true if column >= FOLD => return None,
            true => (row.checked_mul(FOLD)?.checked_add(column)?, 0),
            false => (column, row),
        };
        let block = [
            x.checked_mul(self.scale)?,
            y.checked_mul(self.scale)?,
            self.at.block[2],
        ];
        let is_inside = block.iter().zip(self.grid).all(|(&at, side)| at < side);
        is_inside.then_some(block)
    }

    /// Moves by cells along the map; at the largest scale that fits in view, `+` comes nearer again.
    fn step(&mut self, columns: i64, rows: i64) {
        let moved =
            |at: u32, by: i64, side: u32| (i64::from(at) + by).clamp(0, i64::from(side) - 1) as u32;
        let scale = i64::from(self.scale);
        let [x, y, _] = self.grid;
        let block = &mut self.at.block;
        if self.grid[1] == 1 && self.grid[2] == 1 {
            let by = columns.saturating_add(rows.saturating_mul(i64::from(FOLD)));
            block[0] = moved(block[0], by.saturating_mul(scale), x);
        } else {
            block[0] = moved(block[0], columns.saturating_mul(scale), x);
            block[1] = moved(block[1], rows.saturating_mul(scale), y);
        }
    }

    fn step_plane(&mut self, by: i64) {
        let last = i64::from(self.grid[2]) - 1;
        let plane = &mut self.at.block[2];
        *plane = (i64::from(*plane) + by).clamp(0, last) as u32;
    }

    fn step_warp(&mut self, by: i64) {
        let warps = i64::from(self.warps());
        self.at.warp = (i64::from(self.at.warp) + by).rem_euclid(warps) as u32;
    }

    /// Takes a movement; `visible` rows of the map are on screen.
    pub(crate) fn navigate(&mut self, movement: Movement, visible: usize) {
        let page = visible.saturating_sub(1).max(1) as i64;
        // Pages turn over planes where there are some, and are a screen of rows where there are none.
        let is_deep = self.grid[2] > 1;
        match movement {
            Movement::Left => self.step(-1, 0),
            Movement::Right => self.step(1, 0),
            Movement::Up => self.step(0, -1),
            Movement::Down => self.step(0, 1),
            Movement::PageUp if is_deep => self.step_plane(-1),
            Movement::PageDown if is_deep => self.step_plane(1),
            Movement::PageUp => self.step(0, -page),
            Movement::PageDown => self.step(0, page),
            Movement::Home => self.at.block = [0; 3],
            Movement::End => self.at.block = self.grid.map(|side| side.saturating_sub(1)),
        }
    }

    /// Takes a key that means the map while it is open: another warp, nearer or farther. Says whether
    /// `action` was one.
    pub(crate) fn take(&mut self, action: &Action) -> bool {
        match action {
            Action::Inspector(InspectorAction::NextWarp) => self.step_warp(1),
            Action::Inspector(InspectorAction::PreviousWarp) => self.step_warp(-1),
            Action::Run(RunAction::Increase) => self.scale = (self.scale / ZOOM).max(1),
            Action::Run(RunAction::Decrease) => {
                let side = self.grid.iter().copied().max().unwrap_or(1);
                let next = self.scale.saturating_mul(ZOOM);
                // At least two cells stay: a map of one says nothing.
                self.scale = if next < side { next } else { self.scale };
            }
            _ => return false,
        }
        true
    }
}
