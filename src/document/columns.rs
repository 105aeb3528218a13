//! Numbers for people, and columns that line up.

use unicode_width::UnicodeWidthStr;

use crate::device;
pub use crate::device::grouped as thousands;

/// A share as `79.9 %`; a dash where there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), device::percent)
}

/// A number, or a dash for zero, so that the numbers that matter stand out.
pub fn or_dash(number: u64) -> String {
    if number == 0 {
        "-".to_owned()
    } else {
        thousands(number)
    }
}

/// A number with so many decimals, or a dash for one that nobody knows.
pub fn decimals(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}

/// Rows with the first `left` columns to the left and the others to the right, two spaces apart and
/// indented by two. The last column is not padded.
pub fn columns(rows: &[Vec<String>], left: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    // By cells of a terminal, not bytes: `µ` and `×` are two bytes and one cell.
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            line += "  ";
            line += &if column < left {
                format!("{cell}{padding}")
            } else {
                format!("{padding}{cell}")
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_a_dash() {
        assert_eq!(
            (or_dash(0), or_dash(7_122_461)),
            ("-".into(), "7,122,461".into())
        );
        assert_eq!(percent(Some(0.125)), "12.5 %");
        assert_eq!(percent(None), "-");
    }

    #[test]
    fn columns_line_up() {
        let rows = [["a", "10"], ["⌈b⌉", "7"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows, 1), "  a    10\n  ⌈b⌉   7\n");
    }
}
