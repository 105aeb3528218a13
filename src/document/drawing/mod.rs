//! Figures in characters, on a screen as on paper: plots with axes, and blocks over matrices. The data comes ready.

mod area;
mod numbers;
mod raster;
mod plot;
mod points;
mod matrix;
mod product;
mod order;
mod launch;
mod memory;
mod waves;
mod picture;
mod slots;

pub(crate) use area::{CellSpan, Room};
pub(crate) use launch::{launch_lines, warp_line};
pub(crate) use matrix::rows_and_columns;
pub(crate) use numbers::{exact, tick_labels};
pub use order::order_text;
pub(crate) use order::{STATES, order_page};
pub(crate) use picture::picture_lines;
pub use picture::picture_text;
pub use plot::plot_text;
pub(crate) use plot::{
    axis_title, drawing_order, plot_details, plot_legend, plot_notes, plot_picture, series_numbers,
};
pub use points::plot_rows;
pub(crate) use points::{PointRow, point_header, point_rows};
pub(crate) use slots::slots_lines;
pub use slots::slots_text;
