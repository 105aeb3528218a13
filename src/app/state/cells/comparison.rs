//! Two cells side by side: their totals, and where their texts differ.

use crate::app::state::GutterMetric;
use crate::launch::{Amount, Counts, Evidence};

/// Which cells are side by side, and how they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellComparison {
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

/// Every total that one of the two has, by the measures of the margin.
pub fn totals(counts: [Option<Counts>; 2]) -> Vec<Total> {
    let measures = GutterMetric::all().flat_map(|margin| {
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

#[cfg(test)]
mod tests {
    use super::*;

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
