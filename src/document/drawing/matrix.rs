//! A matrix of tiles, fitted into the room there is.

use ratatui::text::{Line, Span};

use super::area::{CellSpan, Room};
use crate::device::grouped;
use crate::document::style::{Role, Theme};
use crate::lesson::TileGrid;

/// Most rows of a matrix whose rows are folded: of more, nobody sees which lines are one row.
const FOLDED_ROWS: usize = 8;

/// A tile that is drawn.
pub(crate) struct PlacedTile {
    /// Where it stands.
    pub at: CellSpan,
    /// Its number in the matrix, row by row.
    pub number: u64,
}

/// Digits that the places of so many blocks take, which are numbered from 0.
pub(crate) fn digits(blocks: usize) -> usize {
    blocks.saturating_sub(1).to_string().len()
}

/// How a matrix is drawn: tiles in rows, long rows folded where there are few of them, and the part around one
/// tile where not all fit.
pub(crate) struct Matrix {
    /// Tiles in a row of the matrix; a single column that is too long for the screen counts as a single row.
    columns: usize,
    /// Lines that a row takes.
    folds: usize,
    /// Lines of all rows, an empty one between rows that are folded.
    lines: usize,
    /// Cells of a tile.
    cell: usize,
    /// First line on screen, and first tile of each.
    first: (usize, usize),
    /// Lines on screen, and tiles of each.
    shown: (usize, usize),
}

impl Matrix {
    /// Tiles get `cell` cells each where they fit so, else two or one.
    pub fn new(grid: &TileGrid, cell: usize, room: Room, around: u64) -> Self {
        let Room { width, height } = room;
        let [rows, columns] = match grid.tiles.map(|tiles| tiles as usize) {
            // A single column stands upright while it has the room.
            [rows, 1] if rows <= height => [rows, 1],
            _ => rows_and_columns(grid),
        };
        // Wide tiles show the number of their block, narrow ones only whether there was one.
        let mut cells = vec![cell.max(1), 2, 1];
        cells.dedup();
        let folded = |cell: usize| folded(rows, columns, width / cell);
        // A matrix is drawn whole if that can be: with narrow tiles, or folded where its rows are few.
        let fits = |&cell: &usize| {
            let (_, folds, lines) = folded(cell);
            cell <= width && (folds == 1 || (rows <= FOLDED_ROWS && lines <= height))
        };
        let found = cells.into_iter().find(fits);
        let cell = found.unwrap_or(1);
        let (across, folds, lines) = match found.is_some() || rows == 1 {
            true => folded(cell),
            false => (width.clamp(1, columns), 1, rows),
        };
        let mut matrix = Matrix {
            first: (0, 0),
            columns,
            folds,
            lines,
            cell,
            shown: (lines.min(height), across),
        };
        matrix.scroll_to(around as usize);
        matrix
    }

    /// Shows the tile of this number in the middle where that can be, but nothing beyond the last line or tile.
    fn scroll_to(&mut self, tile: usize) {
        let (row, column) = (tile / self.columns, tile % self.columns);
        let (lines, across) = self.shown;
        let line = match self.folds {
            1 => row,
            // An empty line stands between folded rows.
            folds => row * (folds + 1) + column / across,
        };
        let first =
            |at: usize, shown: usize, all: usize| at.saturating_sub(shown / 2).min(all - shown);
        self.first.0 = first(line, lines, self.lines);
        if self.folds == 1 {
            self.first.1 = first(column, across, self.columns);
        }
    }

    /// Cells of its widest line of tiles.
    pub fn width(&self) -> usize {
        self.shown.1 * self.cell
    }

    fn is_part(&self) -> bool {
        self.shown.0 < self.lines || self.shown.1 * self.folds < self.columns
    }

    /// The tiles of a line, by their numbers; none of the line between two folded rows.
    fn tiles(&self, line: usize) -> std::ops::Range<usize> {
        if self.folds == 1 {
            let from = line * self.columns + self.first.1;
            return from..from + self.shown.1;
        }
        let (row, fold) = (line / (self.folds + 1), line % (self.folds + 1));
        let at = |tile: usize| row * self.columns + tile.min(self.columns);
        at(fold * self.shown.1)..at((fold + 1) * self.shown.1)
    }

    /// A line with what it is, then its tiles; each tile's column, row, width and number.
    pub fn draw(
        &self,
        grid: &TileGrid,
        theme: Theme,
        tile: impl Fn(u64, usize) -> Span<'static>,
    ) -> (Vec<Line<'static>>, Vec<PlacedTile>) {
        let times = theme.times();
        let [rows, columns] = grid.tiles.map(grouped);
        let mut head = vec![
            Span::styled(grid.name.clone(), theme.style(Role::Strong)),
            Span::styled(
                format!("  {rows} {times} {columns} tiles"),
                theme.style(Role::Muted),
            ),
        ];
        if self.is_part() {
            head.push(Span::styled(", a part", theme.style(Role::Warning)));
        }
        let mut lines = vec![Line::from(head)];
        let mut places = Vec::new();
        for at in self.first.0..self.first.0 + self.shown.0 {
            let mut line = Line::default();
            for number in self.tiles(at) {
                places.push(PlacedTile {
                    at: CellSpan {
                        column: line.width(),
                        row: lines.len(),
                        width: self.cell,
                    },
                    number: number as u64,
                });
                line.push_span(tile(number as u64, self.cell));
            }
            lines.push(line);
        }
        (lines, places)
    }
}

/// Tiles of a line, lines of a row, and lines of all rows, where so many tiles fit a line.
fn folded(rows: usize, columns: usize, fitting: usize) -> (usize, usize, usize) {
    let across = fitting.clamp(1, columns);
    let folds = columns.div_ceil(across);
    (across, folds, rows * folds + empty_lines(rows, folds))
}

/// Rows and columns of tiles, as they are drawn.
pub(crate) fn rows_and_columns(grid: &TileGrid) -> [usize; 2] {
    match grid.tiles.map(|tiles| tiles as usize) {
        // A column of a thousand tiles would be a thousand lines; as a row it is folded.
        [rows, 1] => [1, rows],
        tiles => tiles,
    }
}

/// Lines between rows, which are there where rows are folded.
fn empty_lines(rows: usize, folds: usize) -> usize {
    match folds {
        1 => 0,
        _ => rows - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::style::{Depth, texts};

    fn drawn(tiles: [u64; 2], cell: usize, room: (usize, usize), around: u64) -> Vec<String> {
        let grid = TileGrid {
            name: "c".to_owned(),
            matrix: tiles,
            tile: [1, 1],
            tiles,
            element_bytes: 4,
        };
        let (width, height) = room;
        let matrix = Matrix::new(&grid, cell, Room { width, height }, around);
        let theme = Theme::new(Depth::None, false);
        let tile = |tile: u64, cell: usize| {
            let text = format!("{tile:>0$} ", cell.saturating_sub(1));
            Span::raw(text.chars().take(cell).collect::<String>())
        };
        let (lines, places) = matrix.draw(&grid, theme, tile);
        let mut numbers: Vec<u64> = places.iter().map(|place| place.number).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), places.len(), "each tile once");
        assert!(numbers.iter().all(|&number| number < grid.count()));
        texts(&lines)
    }

    #[test]
    fn a_matrix_that_fits_is_drawn_as_it_is() {
        assert_eq!(
            drawn([2, 3], 3, (9, 4), 0),
            ["c  2 x 3 tiles", " 0  1  2", " 3  4  5"]
        );
    }

    #[test]
    fn a_few_long_rows_are_folded_and_stand_apart() {
        assert_eq!(
            drawn([2, 7], 3, (12, 9), 0),
            [
                "c  2 x 7 tiles",
                " 0  1  2  3",
                " 4  5  6",
                "",
                " 7  8  9 10",
                "11 12 13"
            ]
        );
        assert_eq!(
            drawn([5, 1], 2, (6, 3), 0),
            ["c  5 x 1 tiles", "0 1 2", "3 4"]
        );
    }

    #[test]
    fn of_a_larger_one_the_part_around_a_tile_is_seen() {
        let part = drawn([50, 50], 5, (10, 3), 25 * 50 + 25);
        assert_eq!(part[0], "c  50 x 50 tiles, a part");
        assert_eq!(part.len(), 4);
        let line = drawn([1, 1000], 4, (8, 3), 900);
        assert_eq!(line[0], "c  1 x 1,000 tiles, a part");
        assert_eq!(line.len(), 4);
    }

    #[test]
    fn any_matrix_fits_any_room() {
        for rows in [1, 2, 7, 9, 40] {
            for columns in [1, 2, 3, 30, 148] {
                for room in [(1, 1), (2, 3), (5, 2), (39, 20), (78, 4)] {
                    for around in [0, rows * columns / 2, rows * columns - 1] {
                        let lines = drawn([rows, columns], 4, room, around);
                        assert!(lines.len() <= room.1 + 1, "{lines:?}");
                        let wide = lines[1..].iter().all(|line| line.len() <= room.0);
                        assert!(wide, "{lines:?} in {room:?}");
                    }
                }
            }
        }
    }
}
