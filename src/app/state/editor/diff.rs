//! Which lines of a text are another's.

/// A row of two texts: a line of each that is the same, or lines that stand in each other's place. From 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// Lines of the first and of the second text.
    pub lines: [Option<usize>; 2],
    /// Whether they are the same.
    pub same: bool,
}

/// Most pairs of lines that are compared; texts that differ in more are wholly different there.
const PAIRS_LIMIT: usize = 4_000_000;

/// The longest common lines of two texts, and beside each other what stands between them.
pub fn diff(first: &str, second: &str) -> Vec<DiffRow> {
    let [a, b] = [first, second].map(|text| text.lines().collect::<Vec<_>>());
    // Most of two texts of one kernel is the same: only what stands between is compared in pairs.
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = a.iter().zip(&b).take_while(same).count();
    let tails = a.iter().rev().zip(b.iter().rev());
    let tail = tails
        .take(a.len().min(b.len()) - head)
        .take_while(same)
        .count();
    let (middle_a, middle_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let pair = |i: usize, j: usize| DiffRow {
        lines: [Some(i), Some(j)],
        same: true,
    };
    let mut rows: Vec<DiffRow> = (0..head).map(|line| pair(line, line)).collect();
    middle(middle_a, middle_b, head, &mut rows);
    rows.extend((0..tail).map(|line| pair(a.len() - tail + line, b.len() - tail + line)));
    rows
}

/// The same of two parts that begin at line `start`.
fn middle(a: &[&str], b: &[&str], start: usize, rows: &mut Vec<DiffRow>) {
    let longest = longest(a, b);
    let (mut i, mut j) = (0, 0);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while i < a.len() || j < b.len() {
        let after = |i: usize, j: usize| longest.get(i).and_then(|row| row.get(j));
        let same = i < a.len() && j < b.len() && a[i] == b[j] && !longest.is_empty();
        if same {
            flush(&mut removed, &mut added, rows);
            rows.push(DiffRow {
                lines: [Some(start + i), Some(start + j)],
                same,
            });
            (i, j) = (i + 1, j + 1);
        // As far as either side leaves as much in common: removed lines stand before added ones.
        } else if j == b.len() || i < a.len() && after(i + 1, j) >= after(i, j + 1) {
            removed.push(start + i);
            i += 1;
        } else {
            added.push(start + j);
            j += 1;
        }
    }
    flush(&mut removed, &mut added, rows);
}

/// How many lines are common to what is behind each pair of lines; nothing where that is too much.
fn longest(a: &[&str], b: &[&str]) -> Vec<Vec<u32>> {
    // Then all of the middle is shown as removed and added: right, if not small, and without a gigabyte of table.
    if a.len().saturating_mul(b.len()) > PAIRS_LIMIT {
        return Vec::new();
    }
    let mut longest = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    longest
}

/// Lines that only one text has, beside each other.
fn flush(removed: &mut Vec<usize>, added: &mut Vec<usize>, rows: &mut Vec<DiffRow>) {
    // A changed line stands beside what it became.
    let count = removed.len().max(added.len());
    rows.extend((0..count).map(|at| DiffRow {
        lines: [removed.get(at).copied(), added.get(at).copied()],
        same: false,
    }));
    removed.clear();
    added.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(rows: &[DiffRow], side: usize) -> Vec<usize> {
        rows.iter().filter_map(|row| row.lines[side]).collect()
    }

    #[test]
    fn what_is_the_same_stands_on_one_row() {
        let rows = diff("a\nb\nc\nd", "a\nx\nc\ny\nd");
        let same: Vec<_> = rows.iter().filter(|row| row.same).collect();
        assert_eq!(same.len(), 3);
        assert_eq!(rows[1].lines, [Some(1), Some(1)]);
        assert_eq!((rows[1].same, rows[3].lines), (false, [None, Some(3)]));
    }

    proptest! {
        #[test]
        fn every_line_of_both_stands_in_order(a in "[ab\n]{0,12}", b in "[ab\n]{0,12}") {
            let rows = diff(&a, &b);
            for (side, text) in [&a, &b].into_iter().enumerate() {
                let all: Vec<usize> = (0..text.lines().count()).collect();
                prop_assert_eq!(lines(&rows, side), all);
            }
            let same = rows.iter().filter(|row| row.same);
            for row in same {
                let [first, second] = row.lines;
                prop_assert_eq!(
                    first.and_then(|at| a.lines().nth(at)),
                    second.and_then(|at| b.lines().nth(at))
                );
            }
        }
    }
}
