//! Places and sizes of drawings: in cells of the terminal, and in shares of a plot.

/// Room to draw in, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Cells across.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// How many of `all` stand in a row: as many as `least` to `most` where all rows are then of equal length, as 4 rows of
/// 33 are 132, else `most`.
pub(super) fn across_evenly(all: usize, least: usize, most: usize) -> usize {
    let mut across = (least.max(1)..=most).rev();
    let even = across.find(|&across| all.is_multiple_of(across));
    even.unwrap_or(most)
}

/// Cells of one row, from the upper left corner of a drawing: what a click on them may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSpan {
    /// The first of them.
    pub column: usize,
    /// Their row.
    pub row: usize,
    /// How many there are.
    pub width: usize,
}

/// A place on a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlotPlace {
    /// Share of the width, from the left.
    pub x: f64,
    /// Share of the height, from the bottom, as axes have it.
    pub y: f64,
}
