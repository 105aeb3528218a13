//! Figures of a lesson: what a fenced block `figure ID` asks for, and the data that answers it.
//!
//! A figure is data before it is a picture: [`Plot`]s of points with units and evidence, or the
//! [`Replay`] of a launch's blocks over its matrices. The notebook, the plain report, JSON and exports
//! show the same data; none of them computes a point. What is plotted comes from [`Sample`]s, which
//! are runs, recorded or of this session, and from formulas and the GPU table.

mod plot;

mod sources;

mod uses;

mod fixed;

mod curve;

mod replay;

mod order;

mod tiles;

mod lines;

mod roofline;

mod occupancy;

mod pictures;

mod sweep;

use super::cells::{FigureCell, FigureKind};
use super::outline::Lesson;
use super::sizes::Sizes;
use crate::engine::Control;

pub use order::OrderError;
pub use pictures::{Amount, BlockWaves, LaunchShape, MemoryLevelFacts, MemoryLevels, Picture};
pub use plot::{Axis, Plot, Point, Series, Shape};
pub use replay::{BlockOrder, Replay, TileGrid, TileState, TileTraffic, VisitedTiles};
pub use sources::Sources;
pub use sweep::SweepPoint;
pub use tiles::Replayed;

impl FigureCell {
    /// Its plots, of what is known now; none of a figure that is no plot.
    pub fn plots(&self, sources: &Sources) -> Vec<Plot> {
        match &self.kind {
            FigureKind::Lines(figure) => vec![lines::plot(self, figure, sources)],
            FigureKind::Roofline(figure) => vec![roofline::plot(self, figure, sources)],
            FigureKind::Occupancy(figure) => occupancy::plots(self, figure, sources),
            FigureKind::Order(_) | FigureKind::Picture(_) => Vec::new(),
        }
    }

    /// The picture that it is, or why there is none; nothing of a figure that is none.
    pub fn picture(&self, sources: &Sources) -> Option<Result<Picture, String>> {
        match &self.kind {
            FigureKind::Picture(figure) => Some(figure.picture(sources)),
            _ => None,
        }
    }

    /// The order of the blocks that it shows, or the tiles that such orders load, at `sizes` over the L2 of the
    /// GPU called `id`; nothing of a figure that needs no blocks to run. Takes as long as the runs.
    pub fn replayed(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        id: &str,
    ) -> Option<Result<Replayed, OrderError>> {
        let control = Control::default();
        match &self.kind {
            FigureKind::Order(figure) => {
                let order = figure.order(lesson, sizes, id, &control);
                Some(order.map(Replayed::Order))
            }
            FigureKind::Lines(figure) => {
                // Of all that lines plot, the tiles alone are found by running blocks.
                let is_replayed = self.is_replayed();
                let tiles = || tiles::loaded(figure, lesson, sizes, id, &control);
                is_replayed.then(|| tiles().map(Replayed::Tiles))
            }
            FigureKind::Roofline(_) | FigureKind::Occupancy(_) | FigureKind::Picture(_) => None,
        }
    }
}
