//! Figures of a lesson: what a fenced block `figure ID` asks for, and the data that answers it.
//!
//! A figure is data before it is a picture: [`Plot`]s of points with units and evidence, or the
//! [`Replay`] of a launch's blocks over its matrices. The notebook, the plain report, JSON and exports
//! show the same data; none of them computes a point. What is plotted comes from [`Sample`]s, which
//! are runs, recorded or of this session, and from formulas and the GPU table.

mod cell;
mod curve;
mod fixed;
mod lines;
mod occupancy;
mod order;
mod plot;
mod read;
mod roofline;
mod sample;

use crate::engine::Control;
use crate::lesson::{Lesson, Sizes};

pub use cell::{
    At, FigureCell, FigureKind, LineFigure, OccupancyFigure, OrderFigure, OrderInput, Part,
    Quantity, RooflineFigure,
};
pub use order::{Counted, Order, OrderError, Replay, TileGrid, TileState, Visit};
pub use plot::{Axis, Plot, Point, Scale, Series, Shape};
pub(super) use read::{check_figures, read_figure_cell};
pub use sample::{Sample, SampledLaunch, Sources};

impl FigureCell {
    /// Its plots, of what is known now; none of a figure that is no plot.
    pub fn plots(&self, sources: &Sources) -> Vec<Plot> {
        match &self.kind {
            FigureKind::Lines(figure) => vec![lines::plot(self, figure, sources)],
            FigureKind::Roofline(figure) => vec![roofline::plot(self, figure, sources)],
            FigureKind::Occupancy(figure) => occupancy::plots(self, figure, sources),
            FigureKind::Order(_) => Vec::new(),
        }
    }

    /// The order of the blocks that it shows, at `sizes` over the L2 of the GPU called `id`; nothing of a
    /// figure of plots. Takes as long as the run.
    pub fn order(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        id: &str,
    ) -> Option<Result<Order, OrderError>> {
        match &self.kind {
            FigureKind::Order(figure) => Some(figure.order(lesson, sizes, id, &Control::default())),
            _ => None,
        }
    }
}
