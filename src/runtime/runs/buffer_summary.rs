//! A buffer in numbers, and in small.

use crate::app::{Summary, Tile};
use crate::launch::{BufferValues, Value};

/// Most rows and columns of tiles: more than a terminal shows.
const TILE_ROWS: usize = 64;
const TILE_COLUMNS: usize = 128;

/// Range, mean and tiles of a buffer whose rows have `columns` elements.
pub(crate) fn summary(buffer: &BufferValues, columns: usize) -> Summary {
    let columns = columns.max(1);
    let rows = buffer.len().div_ceil(columns).max(1);
    let tile_rows = rows.min(TILE_ROWS);
    let tile_columns = columns.min(TILE_COLUMNS);
    let mut tiles = vec![vec![Tile::default(); tile_columns]; tile_rows];
    let mut summary = Summary {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        mean: 0.0,
        nan: 0,
        tiles: Vec::new(),
    };
    let mut sum = 0.0;
    for (index, value) in buffer.values().map(Value::as_f64).enumerate() {
        if value.is_nan() {
            summary.nan += 1;
            continue;
        }
        summary.min = summary.min.min(value);
        summary.max = summary.max.max(value);
        sum += value;
        // The value in row 128 of 256 belongs to row 32 of 64 rows of tiles.
        let (row, column) = (index / columns, index % columns);
        let tile = &mut tiles[row * tile_rows / rows][column * tile_columns / columns];
        tile.sum += value;
        tile.numbers += 1;
    }
    let numbers = buffer.len() - summary.nan;
    if numbers == 0 {
        (summary.min, summary.max) = (f64::NAN, f64::NAN);
    }
    summary.mean = sum / numbers as f64;
    summary.tiles = tiles;
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ElementType;

    fn summary_of(values: &[f32], columns: usize) -> Summary {
        let buffer = BufferValues {
            name: "x".to_owned(),
            element: ElementType::F32,
            bytes: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        };
        summary(&buffer, columns)
    }

    #[test]
    fn a_summary_counts_nan_and_leaves_it_out() {
        let found = summary_of(&[1.0, f32::NAN, -3.0], 3);
        assert_eq!((found.min, found.max, found.mean), (-3.0, 1.0, -1.0));
        assert_eq!(found.nan, 1);
        let numbers: Vec<u32> = found.tiles[0].iter().map(|tile| tile.numbers).collect();
        assert_eq!(numbers, [1, 0, 1]);
        assert!(summary_of(&[f32::NAN], 1).min.is_nan());
    }

    #[test]
    fn a_large_buffer_is_seen_in_tiles_of_its_matrix() {
        let values: Vec<f32> = (0..256 * 256).map(|index| (index / 256) as f32).collect();
        let tiles = summary_of(&values, 256).tiles;
        assert_eq!((tiles.len(), tiles[0].len()), (TILE_ROWS, TILE_COLUMNS));
        let mean = |tile: Tile| tile.sum / f64::from(tile.numbers);
        assert_eq!((mean(tiles[0][0]), mean(tiles[63][127])), (1.5, 253.5));
    }
}
