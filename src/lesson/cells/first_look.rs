//! What a run cell opens on, as its lesson names it: a view of the run, the line to begin at, and what the margin counts.

use simulator::named;

use super::gutter_metric::GutterMetric;
use crate::launch::Counts;

/// Share of the bytes moved that lanes use, below which accesses are what there is to see. Half is what a warp uses that
/// reads every other float; whoever uses less wastes more than it reads.
pub const POOR_EFFICIENCY: f64 = 0.5;
/// Share of all sectors that loads, or stores, have to move for their efficiency to matter: a block that stores one sum
/// uses an eighth of the sector.
const MATTERS: f64 = 0.05;
/// Share of branches whose lanes go both ways, from which lanes are what there is to see. The last warp of a grid parts
/// at the bounds check of nearly every kernel.
const MUCH_DIVERGENCE: f64 = 0.05;

/// What a run cell shows first. Of what the lesson does not name, the run's counts decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstLook {
    /// The view.
    pub view: Option<FirstView>,
    /// What the margin counts.
    pub margin: Option<GutterMetric>,
    /// The line of the source, from 1, whose first step the view begins at.
    pub line: Option<u32>,
}

named! {
    /// A view of a run.
    pub enum FirstView {
        /// The sectors of the access of global memory that wastes most.
        Access = "access",
        /// The banks of the access of shared memory with most conflicts.
        Banks = "banks",
        /// The lanes of a warp over time.
        Lanes = "lanes",
        /// What a buffer or shared array holds.
        Memory = "memory",
        /// In which order blocks run.
        Order = "order",
        /// What the run counted.
        Counts = "counts",
        /// Which thread holds which element of a tile: of a Triton kernel.
        Tiles = "tiles",
        /// What one thread does, as the compiler made it.
        Thread = "thread",
    }
}

impl FirstView {
    /// The view that says most of a run that counted this.
    pub fn telling(counts: &Counts) -> Self {
        if counts.shared_bank_conflicts() > 0 {
            return FirstView::Banks;
        }
        let both = [counts.global_load, counts.global_store];
        let sectors: u64 = both.iter().map(|of| of.sectors).sum();
        let is_poor = both.iter().any(|of| {
            let is_used = of.efficiency().is_none_or(|used| used >= POOR_EFFICIENCY);
            !is_used && of.sectors as f64 >= MATTERS * sectors as f64
        });
        if is_poor {
            return FirstView::Access;
        }
        let branches = counts.branches;
        match branches.divergent as f64 > branches.executed as f64 * MUCH_DIVERGENCE {
            true => FirstView::Lanes,
            false => FirstView::Counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wasted_is_what_is_seen_first() {
        let mut counts = Counts::default();
        assert_eq!(FirstView::telling(&counts), FirstView::Counts);
        counts.branches.executed = 100;
        counts.branches.divergent = 1;
        assert_eq!(FirstView::telling(&counts), FirstView::Counts);
        counts.branches.divergent = 50;
        assert_eq!(FirstView::telling(&counts), FirstView::Lanes);
        counts.global_load.used_bytes = 128;
        counts.global_load.sectors = 32;
        assert_eq!(FirstView::telling(&counts), FirstView::Access);
        counts.shared_load.bank_conflicts = 1;
        assert_eq!(FirstView::telling(&counts), FirstView::Banks);
    }

    #[test]
    fn one_sum_of_each_block_is_not_worth_a_look() {
        let mut counts = Counts::default();
        counts.global_load.used_bytes = 3200;
        counts.global_load.sectors = 100;
        counts.global_store.used_bytes = 4;
        counts.global_store.sectors = 1;
        assert_eq!(FirstView::telling(&counts), FirstView::Counts);
        counts.global_store.sectors = 10;
        assert_eq!(FirstView::telling(&counts), FirstView::Access);
    }
}
