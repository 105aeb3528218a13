//! Which parts of matrices the blocks of a launch visit.

use std::ops::Range;

/// A buffer as a matrix that is cut into tiles. Tiles at the lower and right edge may be smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Index into [`super::Plan::buffers`].
    pub buffer: usize,
    /// Rows and columns of the matrix, in elements; each at least 1.
    pub matrix: [u64; 2],
    /// Rows and columns of a tile, in elements; each at least 1.
    pub tile: [u64; 2],
}

impl Tiling {
    /// Rows and columns of tiles.
    pub fn tiles(&self) -> [u64; 2] {
        [0, 1].map(|axis| self.matrix[axis].div_ceil(self.tile[axis]))
    }

    /// The number of the tile that holds an element of the buffer: along the rows of tiles.
    pub fn tile_of(&self, element: u64) -> u64 {
        let (row, column) = (element / self.matrix[1], element % self.matrix[1]);
        row / self.tile[0] * self.tiles()[1] + column / self.tile[1]
    }

    /// The tiles that hold some elements of the buffer, each told at least once.
    pub fn tiles_of(&self, elements: Range<u64>) -> impl Iterator<Item = u64> {
        let (columns, width) = (self.matrix[1], self.tile[1]);
        let next = move |&at: &u64| {
            let column = at % columns;
            // To the tile's edge, or to that of the matrix where the last tile is cut.
            let end = ((column / width + 1) * width).min(columns);
            Some(at + end - column)
        };
        let last = elements.end;
        let firsts = std::iter::successors(Some(elements.start), next);
        firsts
            .take_while(move |&at| at < last)
            .map(|at| self.tile_of(at))
    }

    /// Elements of a tile, which is cut at the matrix's edge.
    pub fn tile_elements(&self, tile: u64) -> u64 {
        let at = [tile / self.tiles()[1], tile % self.tiles()[1]];
        let extents = [0, 1].map(|axis| {
            let first = at[axis] * self.tile[axis];
            self.tile[axis].min(self.matrix[axis].saturating_sub(first))
        });
        extents.iter().product()
    }
}

/// What one block of a launch touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockVisit {
    /// Tiles that it loaded from, each once, in order of time: which of the tilings, and the tile's number.
    pub loaded: Vec<(usize, u64)>,
    /// Elements of the output that it stored, in order and apart.
    pub stored: Vec<Range<u64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILING: Tiling = Tiling {
        buffer: 0,
        matrix: [5, 7],
        tile: [2, 3],
    };

    #[test]
    fn every_element_is_in_one_tile_and_edges_are_cut() {
        assert_eq!(TILING.tiles(), [3, 3]);
        let mut elements = [0; 9];
        for element in 0..35 {
            elements[TILING.tile_of(element) as usize] += 1;
        }
        for (tile, count) in elements.into_iter().enumerate() {
            assert_eq!(TILING.tile_elements(tile as u64), count, "tile {tile}");
        }
    }

    #[test]
    fn a_run_of_elements_crosses_tiles_and_rows() {
        let tiles = |elements| TILING.tiles_of(elements).collect::<Vec<_>>();
        assert_eq!(tiles(0..7), [0, 1, 2]);
        assert_eq!(tiles(5..9), [1, 2, 0]);
        assert_eq!(tiles(34..35), [8]);
        assert!(tiles(3..3).is_empty());
    }
}
