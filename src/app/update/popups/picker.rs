//! The map of blocks, opened on the block that is watched.

use crate::app::state::{Model, Picker};

impl Picker {
    /// The map of the launch that is looked at, the cursor on what is watched.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let (_, state) = model.run_cell()?;
        let (grid, block) = state.watched_launch()?;
        let mut at = state.inspector.watch;
        for (at, side) in at.block.iter_mut().zip(grid) {
            *at = (*at).min(side.saturating_sub(1));
        }
        let mut picker = Picker {
            grid,
            block,
            at,
            scale: 1,
        };
        picker.at.warp = at.warp.min(picker.warps() - 1);
        Some(picker)
    }
}
