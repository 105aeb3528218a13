//! What a run cell opens on, as its lesson names it: a view of the run, the line to begin at, and what the margin counts.

use simulator::named;

use super::gutter_metric::GutterMetric;

/// What a run cell shows first. Of what the lesson does not name, the run's counts decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstLook {
    /// The view.
    pub view: Option<FirstView>,
    /// What the margin counts.
    pub margin: Option<GutterMetric>,
    /// The line of the source, from 1, whose first step the view begins at.
    pub line: Option<u32>,
}

named! {
    /// A view of a run.
    pub enum FirstView {
        /// The sectors of the access of global memory that wastes most.
        Access = "access",
        /// The banks of the access of shared memory with most conflicts.
        Banks = "banks",
        /// The lanes of a warp over time.
        Lanes = "lanes",
        /// What a buffer or shared array holds.
        Memory = "memory",
        /// In which order blocks run.
        Order = "order",
        /// What the run counted.
        Counts = "counts",
        /// Which thread holds which element of a tile: of a Triton kernel.
        Tiles = "tiles",
        /// What one thread does, as the compiler made it.
        Thread = "thread",
    }
}
