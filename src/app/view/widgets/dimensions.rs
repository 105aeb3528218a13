//! Counts of things, and sizes and indices of grids and blocks, as text.

use crate::device::grouped;
use crate::launch::Dim3;

/// Sizes in x, y and z, without those after the last that is not 1.
pub(crate) fn dims(dims: Dim3, times: &str) -> String {
    let last = dims.iter().rposition(|&size| size != 1).unwrap_or(0);
    let sizes: Vec<String> = dims[..=last]
        .iter()
        .map(|&size| grouped(size.into()))
        .collect();
    sizes.join(times)
}

/// The index of a block in its grid: a number where the grid has one dimension, else as `(3, 4)`.
pub(crate) fn block_index(block: Dim3, grid: Dim3) -> String {
    let last = grid.iter().rposition(|&side| side != 1).unwrap_or(0);
    let places: Vec<String> = block[..=last]
        .iter()
        .map(|&at| grouped(at.into()))
        .collect();
    // `5` where the grid has one dimension, `(3, 4)` where it has two: as a kernel would write them.
    match &places[..] {
        [only] => only.clone(),
        several => format!("({})", several.join(", ")),
    }
}
