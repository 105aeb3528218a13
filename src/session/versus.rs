//! Two cells side by side: their totals, and where their texts differ.

use super::runs::start;
use super::{Action, Amount, CellState, Effect, Margin, Model, Prompt, PromptKind, RunState};
use crate::launch::{Counts, Evidence};
use crate::lesson::{Cell, RunCell};

/// Which cells are side by side, and how they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versus {
    /// The cells, in the lesson's order.
    pub cells: [usize; 2],
    /// Whether keys go to the sources; else to the totals.
    pub sources: bool,
    /// First row of the totals and of the sources on screen.
    pub scroll: [usize; 2],
}

/// One total of two cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// What it is.
    pub name: String,
    /// How it came to be.
    pub evidence: Evidence,
    /// Of each cell; nothing where it has none.
    pub values: [Option<Amount>; 2],
}

/// A row of two texts: a line of each that is the same, or lines that stand in each other's place. From 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// Lines of the first and of the second text.
    pub lines: [Option<usize>; 2],
    /// Whether they are the same.
    pub same: bool,
}

/// A run cell and its state.
pub type Side<'a> = (&'a RunCell, &'a RunState);

impl Model {
    /// The two cells that are side by side.
    pub fn sides(&self, versus: &Versus) -> Option<[Side<'_>; 2]> {
        let side = |index: usize| match (self.lesson.cells.get(index)?, self.cells.get(index)?) {
            (Cell::Run(cell), CellState::Run(state)) => Some((&**cell, &**state)),
            _ => None,
        };
        Some([side(versus.cells[0])?, side(versus.cells[1])?])
    }
}

/// Puts the cell on screen beside another: the only other one, or the one that is picked.
pub(super) fn compare(model: &mut Model) {
    if model.look.versus.take().is_some() {
        return;
    }
    if model.run_cell().is_none() {
        model.notice = Some("this cell is text; C compares cells that run".to_owned());
        return;
    }
    let prompt = Prompt::new(PromptKind::Versus);
    match prompt.choices(model).as_deref() {
        Some([only]) => open(model, only.index),
        Some([_, ..]) => model.prompt = Some(prompt),
        _ => model.notice = Some("no other cell of this lesson runs kernels".to_owned()),
    }
}

/// Puts the cell on screen beside cell `other`.
pub(super) fn open(model: &mut Model, other: usize) {
    let mut cells = [model.at, other];
    cells.sort_unstable();
    model.look.versus = Some(Versus {
        cells,
        sources: false,
        scroll: [0; 2],
    });
}

/// Runs both, one after the other.
pub(super) fn run_both(model: &mut Model, versus: &Versus, effects: &mut Vec<Effect>) {
    let [first, second] = versus.cells;
    model.queue = [second].into();
    start(model, first, effects);
}

/// Scrolls what keys go to by so many lines as `by` says where some are visible.
pub(super) fn travel(model: &mut Model, by: impl Fn(usize) -> isize) {
    let seen = model.look.seen.versus;
    if let Some(versus) = &mut model.look.versus {
        let part = usize::from(versus.sources);
        let most = seen[part].max_scroll();
        let at = versus.scroll[part].min(most);
        let by = by(seen[part].visible);
        versus.scroll[part] = at.saturating_add_signed(by).min(most);
    }
}

/// Keys go to the other part.
pub(super) fn turn(model: &mut Model, to: &Action) {
    if let Some(versus) = &mut model.look.versus {
        versus.sources = match to {
            Action::Show(super::Tab::Source) => true,
            Action::Show(_) => false,
            _ => !versus.sources,
        };
    }
}

/// Every total that one of the two has, by the measures of the margin.
pub fn totals(counts: [Option<Counts>; 2]) -> Vec<Total> {
    let measures = Margin::all().flat_map(|margin| {
        let of = counts.map(|counts| counts.map_or([None; 2], |counts| margin.of(&counts)));
        [0, 1].map(|column| Total {
            name: format!("{}, {}", margin.name(), margin.columns()[column]),
            evidence: margin.evidence(),
            values: [of[0][column], of[1][column]],
        })
    });
    let has_some = |total: &Total| {
        let some = |amount: &Option<Amount>| amount.is_some_and(|of| of != Amount::Count(0));
        total.values.iter().any(some)
    };
    measures.filter(has_some).collect()
}

/// The longest common lines of two texts, and beside each other what stands between them.
pub fn diff(first: &str, second: &str) -> Vec<DiffRow> {
    let texts = [first, second].map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>());
    let [a, b] = &texts;
    let mut longest = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let mut rows = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while i < a.len() || j < b.len() {
        let same = i < a.len() && j < b.len() && a[i] == b[j];
        if same {
            flush(&mut removed, &mut added, &mut rows);
            rows.push(DiffRow {
                lines: [Some(i), Some(j)],
                same,
            });
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || i < a.len() && longest[i + 1][j] >= longest[i][j + 1] {
            removed.push(i);
            i += 1;
        } else {
            added.push(j);
            j += 1;
        }
    }
    flush(&mut removed, &mut added, &mut rows);
    rows
}

/// Lines that only one text has, beside each other.
fn flush(removed: &mut Vec<usize>, added: &mut Vec<usize>, rows: &mut Vec<DiffRow>) {
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

    #[test]
    fn totals_that_neither_has_are_left_out() {
        let mut counts = Counts::default();
        counts.fp32.add = 5;
        let names: Vec<String> = totals([Some(counts), None])
            .into_iter()
            .map(|total| total.name)
            .collect();
        assert_eq!(names, ["fp32 operations, FLOPs"]);
    }
}
