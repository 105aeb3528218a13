//! A number in large digits, for a room.

/// Rows of a digit.
const ROWS: usize = 5;

/// Digits, and what stands between them and behind them; a bit is a cell, the leftmost the highest.
const GLYPHS: [(char, usize, [u8; ROWS]); 14] = [
    ('0', 3, [7, 5, 5, 5, 7]),
    ('1', 3, [2, 6, 2, 2, 7]),
    ('2', 3, [7, 1, 7, 4, 7]),
    ('3', 3, [7, 1, 7, 1, 7]),
    ('4', 3, [5, 5, 7, 1, 1]),
    ('5', 3, [7, 4, 7, 1, 7]),
    ('6', 3, [7, 4, 7, 5, 7]),
    ('7', 3, [7, 1, 1, 1, 1]),
    ('8', 3, [7, 5, 7, 5, 7]),
    ('9', 3, [7, 5, 7, 1, 7]),
    ('.', 1, [0, 0, 0, 0, 1]),
    (',', 1, [0, 0, 0, 1, 1]),
    (' ', 1, [0, 0, 0, 0, 0]),
    ('%', 5, [0b11001, 0b11010, 0b00100, 0b01011, 0b10011]),
];

/// `number` in rows of cells of `block`, two to a bit; what has no glyph is left out.
pub(crate) fn large(number: &str, block: &str) -> Vec<String> {
    let row = |at: usize| {
        let mut row = String::new();
        for letter in number.chars() {
            let Some((_, width, rows)) = GLYPHS.iter().find(|(of, ..)| *of == letter) else {
                continue;
            };
            for bit in (0..*width).rev() {
                let is_set = rows[at] >> bit & 1 == 1;
                row += &(if is_set { block } else { " " }).repeat(2);
            }
            row += "  ";
        }
        row
    };
    (0..ROWS).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_drawn_in_rows_of_one_width() {
        let rows = large("6.1 %", "#");
        assert_eq!(rows[0], "######        ##        ####    ##  ");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    }
}
