//! What a run cell opens on, as its lesson names it: a view of the run, the line to begin at, and what the margin counts.

use super::gutter_metric::GutterMetric;

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

/// A view of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstView {
    /// The sectors of the access of global memory that wastes most.
    Access,
    /// The banks of the access of shared memory with most conflicts.
    Banks,
    /// The lanes of a warp over time.
    Lanes,
    /// What a buffer or shared array holds.
    Memory,
    /// In which order blocks run.
    Order,
    /// What the run counted.
    Counts,
    /// Which thread holds which element of a tile: of a Triton kernel.
    Tiles,
    /// What one thread does, as the compiler made it.
    Thread,
}

impl FirstView {
    const ALL: [(&'static str, FirstView); 8] = [
        ("access", FirstView::Access),
        ("banks", FirstView::Banks),
        ("lanes", FirstView::Lanes),
        ("memory", FirstView::Memory),
        ("order", FirstView::Order),
        ("counts", FirstView::Counts),
        ("tiles", FirstView::Tiles),
        ("thread", FirstView::Thread),
    ];

    /// The names that lessons have for them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|&(name, _)| name)
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|&&(of, _)| of == name).map(|&(_, view)| view)
    }
}
