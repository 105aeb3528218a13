//! Tables: the figure looked at, the order of rows, and the row compared with.

use crate::lesson::TableContents;

/// A table as the notebook holds it.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    /// Row, as they are ordered on screen, and column looked at.
    pub cursor: (usize, usize),
    /// Column that rows are sorted by, and whether the largest comes first; the lesson's order if
    /// none.
    pub sort: Option<(usize, bool)>,
    /// Row of the grid that the others are compared with.
    pub against: Option<usize>,
    /// First row and first column on screen.
    pub scroll: (usize, usize),
}

impl TableState {
    /// Rows of `grid` in the order on screen.
    pub fn order(&self, grid: &TableContents) -> Vec<usize> {
        match self.sort {
            Some((column, descending)) => grid.sorted(column, descending),
            None => (0..grid.rows.len()).collect(),
        }
    }

    /// The row of `grid` looked at.
    pub fn row(&self, grid: &TableContents) -> Option<usize> {
        self.order(grid).get(self.cursor.0).copied()
    }

    /// The rows that are compared, the first with the second: the one looked at with the one chosen; of
    /// two rows those, until one is chosen.
    pub fn compared(&self, grid: &TableContents) -> Option<(usize, usize)> {
        let both = (grid.rows.len() == 2).then_some((0, 1));
        let chosen = self
            .against
            .and_then(|against| Some((self.row(grid)?, against)));
        let compared = chosen.filter(|(row, against)| row != against).or(both);
        // Of names there is nothing to divide.
        let numbers = |&(row, against): &(usize, usize)| {
            let mut columns = 0..grid.columns.len();
            columns.any(|column| grid.factor(row, against, column).is_some())
        };
        compared.filter(numbers)
    }
}
