//! Where a line that is longer than its room goes on: which of its columns each row has.

use std::ops::Range;

use super::motion::cells;

/// Columns of the mark before what goes on, and the blank behind it.
pub const MARK: usize = 2;

/// A row of a line: columns of the line, and the column on screen that the first of them has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrappedRow {
    /// First column of the line; 0 in the first row alone.
    pub start: usize,
    /// Column behind its last.
    pub end: usize,
    /// Columns on screen before it; two of them are for the mark.
    pub indent: usize,
}

impl WrappedRow {
    /// The column on screen of a column of the line.
    pub fn shown_at(self, column: usize) -> usize {
        self.indent + column.saturating_sub(self.start)
    }
}

/// The rows of a line of code in `width` columns: those after the first begin behind its indentation and the mark.
pub fn code_rows(line: &str, width: usize) -> Vec<WrappedRow> {
    let first = line.find(|c: char| !c.is_whitespace()).unwrap_or(0);
    let indent = cells(&line[..first]).last().map_or(0, |(_, cell)| cell.end);
    // A line far to the right would leave no room to go on.
    rows(line, width, (indent + MARK).min(width / 2))
}

/// The rows of `text` in `width` columns, those after the first `hanging` columns to the right. They break behind a
/// blank where one is not too far to the left. No width is one that nobody knows yet: then there is one row.
pub fn rows(text: &str, width: usize, hanging: usize) -> Vec<WrappedRow> {
    let cells: Vec<(usize, Range<usize>)> = cells(text).collect();
    let mut rows = Vec::new();
    let mut rest = cells.as_slice();
    loop {
        let indent = if rows.is_empty() { 0 } else { hanging };
        let start = rest.first().map_or(0, |(_, cell)| cell.start);
        let room = match width {
            0 => usize::MAX,
            width => width.saturating_sub(indent).max(1),
        };
        let fits = |cell: &&(usize, Range<usize>)| cell.1.end - start <= room;
        // A wide character takes a row even where it does not fit.
        let fitting = rest.iter().take_while(fits).count().max(1);
        let count = match fitting < rest.len() {
            true => break_before(text, &rest[..fitting + 1]),
            false => rest.len(),
        };
        let (row, after) = rest.split_at(count);
        rows.push(WrappedRow {
            start,
            end: row.last().map_or(start, |(_, cell)| cell.end),
            indent,
        });
        if after.is_empty() {
            return rows;
        }
        rest = after;
    }
}

/// How many of `cells`, of which the last does not fit, stay in a row: up to a blank behind a comma if that leaves the
/// row two thirds full, up to any blank if it leaves a third, else all that fit.
fn break_before(text: &str, cells: &[(usize, Range<usize>)]) -> usize {
    let fitting = cells.len() - 1;
    let blank = |at: usize| text[cells[at].0..].starts_with([' ', '\t']);
    // A break within the indent would leave a row of blanks.
    let first = (0..fitting).find(|&at| !blank(at)).unwrap_or(fitting);
    let mut breaks = (first + 1..=fitting).rev().filter(|&at| blank(at - 1));
    let comma = breaks
        .clone()
        .find(|&at| text[..cells[at - 1].0].ends_with(','));
    // Between arguments is the best place, if the row is then at least two thirds full; any blank, if one third.
    let comma = comma.filter(|&at| at * 3 > fitting * 2);
    let any = breaks.next().filter(|&at| at * 3 > fitting);
    comma.or(any).unwrap_or(fitting)
}

/// The furthest that a text of `lines` scrolls in `rows` rows; `heights` are the rows of its lines, from the last one
/// upwards.
pub fn furthest_scroll(lines: usize, rows: usize, heights: impl Iterator<Item = usize>) -> usize {
    let mut left = rows;
    let fitting = heights.take_while(|&height| {
        let fits = height <= left;
        left = left.saturating_sub(height);
        fits
    });
    // Of a last line that is higher than the pane, its beginning is shown.
    lines.saturating_sub(fitting.count().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::editor::motion::width;
    use proptest::prelude::*;

    fn shown(line: &str, width: usize) -> Vec<String> {
        let rows = code_rows(line, width).into_iter();
        let rows = rows.map(|row| " ".repeat(row.indent) + &line[row.start..row.end]);
        rows.collect()
    }

    #[test]
    fn a_line_goes_on_behind_its_indentation() {
        assert_eq!(
            shown("    int i = blockIdx.x * blockDim.x + threadIdx.x;", 30),
            [
                "    int i = blockIdx.x * ",
                "      blockDim.x + ",
                "      threadIdx.x;"
            ]
        );
        assert_eq!(
            shown("void twice(const float* x, float* y) {", 34),
            ["void twice(const float* x, ", "  float* y) {"]
        );
        assert_eq!(shown("    y[i] = 2.0f;", 16), ["    y[i] = 2.0f;"]);
        assert_eq!(shown("", 16), [""]);
    }

    #[test]
    fn a_word_longer_than_the_room_is_broken() {
        assert_eq!(shown("abcdefghij", 6), ["abcdef", "  ghij"]);
        assert_eq!(shown("int abcdefghijkl;", 12), ["int abcdefgh", "  ijkl;"]);
    }

    #[test]
    fn a_text_scrolls_until_its_end_is_on_screen() {
        let heights = [1, 2, 1, 3, 1];
        let furthest = |rows| furthest_scroll(5, rows, heights.into_iter().rev());
        assert_eq!([8, 5, 4, 3, 0].map(furthest), [0, 2, 3, 4, 4]);
    }

    proptest! {
        #[test]
        fn rows_fit_and_lose_nothing(line in "[a-z,(]{0,9}( {1,3}[a-z]{1,9}){0,9}", room in 2_usize..40) {
            let rows = code_rows(&line, room);
            prop_assert_eq!(rows[0].start, 0);
            prop_assert_eq!(rows[rows.len() - 1].end, width(&line));
            for pair in rows.windows(2) {
                prop_assert_eq!(pair[0].end, pair[1].start);
            }
            for row in rows {
                prop_assert!(row.shown_at(row.end) <= room, "{:?}", row);
            }
        }
    }
}
