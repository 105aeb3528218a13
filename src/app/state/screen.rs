//! What a frame shows: panes, tabs, and how much of everything fits.

use crate::source::is_python;

/// A view of a run. Beside all but the first the code is on screen too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The code, which has the whole page.
    Code,
    /// What the lanes of a warp hold, over time.
    Lanes,
    /// The sectors or banks of the accesses of one statement.
    Access,
    /// What buffers and shared memory hold.
    Memory,
    /// What the run counted.
    #[default]
    Counts,
    /// Which thread holds which element of a tile.
    Tiles,
    /// What the compiler made of the code.
    Ptx,
}

impl Tab {
    /// Those of a CUDA kernel's run, with their names, in the order in which a key walks them.
    const OF_CUDA: [(Tab, &'static str); 6] = [
        (Tab::Code, "Code"),
        (Tab::Lanes, "Lanes"),
        (Tab::Access, "Access"),
        (Tab::Memory, "Memory"),
        (Tab::Counts, "Counts"),
        (Tab::Ptx, "PTX"),
    ];
    /// Those of a Triton kernel's run: what one thread does stands in the place of PTX.
    const OF_TRITON: [(Tab, &'static str); 7] = [
        (Tab::Code, "Code"),
        (Tab::Lanes, "Lanes"),
        (Tab::Access, "Access"),
        (Tab::Memory, "Memory"),
        (Tab::Counts, "Counts"),
        (Tab::Tiles, "Tiles"),
        (Tab::Ptx, "Thread"),
    ];

    /// Those of a run of the kernel in a file called so.
    pub fn of(file: &str) -> &'static [(Tab, &'static str)] {
        match is_python(file) {
            true => &Self::OF_TRITON,
            false => &Self::OF_CUDA,
        }
    }

    /// The one `by` places on, around, of a run of the kernel in a file called so.
    pub fn stepped(self, by: isize, file: &str) -> Self {
        let all = Self::of(file);
        let at = all.iter().position(|&(tab, _)| tab == self);
        let to = (at.unwrap_or(0) as isize + by).rem_euclid(all.len() as isize);
        all[to as usize].0
    }

    /// Whether it shows a moment of the run, through which arrows step.
    pub fn is_stepped(self) -> bool {
        matches!(self, Tab::Lanes | Tab::Access | Tab::Memory | Tab::Tiles)
    }
}

/// How many parts of a page stand side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Below 100 columns: text, code and picture one above the other.
    #[default]
    One,
    /// From 100 columns: code beside picture, under the text.
    Two,
    /// From 180 columns: the text too.
    Three,
}

/// Lines (or rows) that there are, and that fit on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// That there are.
    pub content: usize,
    /// That fit.
    pub visible: usize,
}

impl Extent {
    /// The largest useful scroll.
    pub fn max_scroll(self) -> usize {
        self.content.saturating_sub(self.visible)
    }
}

/// What the last frame showed of a kernel's text. A line takes several rows where it is longer than its room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceExtent {
    /// Lines that there are.
    pub lines: usize,
    /// The first line on screen, where the line that has to be there decided it.
    pub first: Option<usize>,
    /// Lines that were on screen from their first to their last row.
    pub visible: usize,
    /// The largest useful scroll, in lines.
    pub last: usize,
    /// Rows of the pane.
    pub rows: usize,
    /// Columns that there are for the text.
    pub width: usize,
}

/// What the last frame showed of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixExtents {
    /// Its rows.
    pub rows: Extent,
    /// Its columns.
    pub columns: Extent,
    /// Numbers that a row has room for, of what has one dimension only and is shown as numbers; else 0.
    pub fold: usize,
}

/// What the last frame showed of windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowExtents {
    /// Rows of the map of blocks.
    pub block_map: Extent,
    /// Lines of where numbers come from.
    pub evidence: Extent,
}

/// What the last frame showed of everything that scrolls. Drawing reports it, so that scrolling
/// stops at the end of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameExtents {
    /// Room for parts of the page.
    pub layout: Layout,
    /// Lines of prose.
    pub prose: Extent,
    /// Rows and columns of a table that fit on screen.
    pub table: (usize, usize),
    /// Lines of source.
    pub source: SourceExtent,
    /// Lines of counts or diagnostics.
    pub counts: Extent,
    /// The matrix of a buffer.
    pub matrix: MatrixExtents,
    /// Lines of PTX.
    pub ptx: Extent,
    /// Elements of a tile in a row.
    pub tile_columns: usize,
    /// Rows of the access drawn.
    pub access: Extent,
    /// Windows over the page.
    pub windows: WindowExtents,
    /// Rows of totals and of sources of two cells.
    pub comparison: [Extent; 2],
    /// Rows of the home screen's list.
    pub lessons: Extent,
}
