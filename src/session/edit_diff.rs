//! Which lines of a text are another's.

use std::ops::Range;

/// A part of two texts, in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// In both: its line in the old text, and in the new one, from 0.
    Same(usize, usize),
    /// Only in the old text.
    Removed(usize),
    /// Only in the new text.
    Added(usize),
}

/// Most pairs of lines that are compared; texts that differ in more count as wholly different there.
const PAIRS_LIMIT: usize = 4_000_000;

/// How `new` comes from `old`, with the fewest lines removed and added; what is removed stands
/// before what is added in its place.
pub fn diff(old: &[&str], new: &[&str]) -> Vec<Line> {
    let shorter = old.len().min(new.len());
    let equal = |&(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(equal).count();
    let tails = old.iter().rev().zip(new.iter().rev());
    let tail = tails.take(shorter - head).take_while(equal).count();
    let mut lines: Vec<Line> = (0..head).map(|line| Line::Same(line, line)).collect();
    middle(
        (old, head..old.len() - tail),
        (new, head..new.len() - tail),
        &mut lines,
    );
    let ends = (old.len() - tail..old.len()).zip(new.len() - tail..new.len());
    lines.extend(ends.map(|(a, b)| Line::Same(a, b)));
    lines
}

/// The longest common subsequence of two ranges of lines, by the table of all pairs.
fn middle(
    (old, of_old): (&[&str], Range<usize>),
    (new, of_new): (&[&str], Range<usize>),
    lines: &mut Vec<Line>,
) {
    let (rows, columns) = (of_old.len(), of_new.len());
    if rows.saturating_mul(columns) > PAIRS_LIMIT {
        lines.extend(of_old.map(Line::Removed));
        lines.extend(of_new.map(Line::Added));
        return;
    }
    // length[i][j]: common lines of what is behind i and j.
    let width = columns + 1;
    let mut length = vec![0_u32; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            length[i * width + j] = match old[of_old.start + i] == new[of_new.start + j] {
                true => length[(i + 1) * width + j + 1] + 1,
                false => length[(i + 1) * width + j].max(length[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < rows || j < columns {
        let (a, b) = (of_old.start + i, of_new.start + j);
        if i < rows && j < columns && old[a] == new[b] {
            lines.push(Line::Same(a, b));
            (i, j) = (i + 1, j + 1);
        } else if j == columns
            || i < rows && length[(i + 1) * width + j] >= length[i * width + j + 1]
        {
            lines.push(Line::Removed(a));
            i += 1;
        } else {
            lines.push(Line::Added(b));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_changed_line_is_removed_and_added() {
        let found = diff(&["a", "b", "c"], &["a", "x", "y", "c"]);
        let wanted = [
            Line::Same(0, 0),
            Line::Removed(1),
            Line::Added(1),
            Line::Added(2),
            Line::Same(2, 3),
        ];
        assert_eq!(found, wanted);
        assert_eq!(diff(&["a", "a"], &["a"]).len(), 2);
    }

    proptest! {
        #[test]
        fn every_line_of_both_texts_is_told_once_in_order(
            old in prop::collection::vec("[ab]", 0..9),
            new in prop::collection::vec("[ab]", 0..9),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let (mut a, mut b) = (0, 0);
            for line in diff(&old, &new) {
                match line {
                    Line::Same(x, y) => {
                        prop_assert_eq!((x, y), (a, b));
                        prop_assert_eq!(old[x], new[y]);
                        (a, b) = (a + 1, b + 1);
                    }
                    Line::Removed(x) => { prop_assert_eq!(x, a); a += 1; }
                    Line::Added(y) => { prop_assert_eq!(y, b); b += 1; }
                }
            }
            prop_assert_eq!((a, b), (old.len(), new.len()));
        }
    }
}
