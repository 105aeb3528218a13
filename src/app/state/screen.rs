//! What a frame shows: panes, tabs, and how much of everything fits.

/// A view of a run. Beside all but the first the code is on screen too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Tab {
    /// The code, which has the whole page.
    Source,
    #[default]
    Counts,
    Values,
    Ptx,
}

/// The pane that arrows go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Focus {
    #[default]
    Source,
    Output,
    Sizes,
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

/// What the last frame showed of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixExtents {
    /// Its rows.
    pub rows: Extent,
    /// Its columns.
    pub columns: Extent,
}

/// What the last frame showed of windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowExtents {
    /// Rows of the map of blocks.
    pub block_map: Extent,
    /// Lines of help, or of where numbers come from.
    pub help: Extent,
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
    pub source: Extent,
    /// Columns that there are for the source's text.
    pub source_width: usize,
    /// Lines of counts or diagnostics.
    pub counts: Extent,
    /// The matrix of a buffer.
    pub matrix: MatrixExtents,
    /// Lines of PTX.
    pub ptx: Extent,
    /// Rows of the access drawn.
    pub access: Extent,
    /// Windows over the page.
    pub windows: WindowExtents,
    /// Rows of totals and of sources of two cells.
    pub comparison: [Extent; 2],
    /// Rows of the home screen's list.
    pub lessons: Extent,
}
