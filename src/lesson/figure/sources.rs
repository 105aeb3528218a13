//! Where the points of a figure come from.

use super::plot::Series;
use crate::device::Gpu;
use crate::lesson::outline::Lesson;
use crate::lesson::run::Sample;
use crate::lesson::sizes::Sizes;

/// Where the points of a figure come from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// The sizes that are chosen.
    pub sizes: &'a Sizes,
    /// The GPU whose peaks and limits hold.
    pub gpu: &'a Gpu,
    /// Runs, the latest last.
    pub samples: &'a [Sample],
    /// Tiles that orders of blocks load, as [`super::FigureCell::replayed`] found them for the figure; empty before.
    pub tiles: &'a [Series],
}
