//! Figures: what a lesson says of one, and how its TOML is read.

mod cell;
mod read;

pub use cell::{
    At, FigureCell, FigureKind, FigureName, LaunchReference, LineFigure, OccupancyFigure,
    OrderFigure, OrderInput, PictureFigure, Quantity, RooflineFigure, Scale, WavesFigure,
};
pub(crate) use read::{check_orders, read_figure_cell};
