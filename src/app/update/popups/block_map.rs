//! The map of blocks, opened on the block that is watched.

use crate::app::state::{BlockMap, Model};

impl BlockMap {
    /// The map of the launch that is looked at, the cursor on what is watched.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let (_, state) = model.run_cell()?;
        let (grid, block) = state.watched_launch()?;
        let mut at = state.inspector.watch;
        for (at, side) in at.block.iter_mut().zip(grid) {
            *at = (*at).min(side.saturating_sub(1));
        }
        let mut map = BlockMap {
            grid,
            block,
            at,
            scale: 1,
        };
        map.at.warp = at.warp.min(map.warps() - 1);
        Some(map)
    }
}
