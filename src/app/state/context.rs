//! What to call the places that keys go to.

impl Context {
    /// What it is, in words that fit behind "keys for".
    pub fn place(self) -> &'static str {
        match self {
            Context::Prose => "text",
            Context::Code => "the code of a kernel",
            Context::Counts => "the counts of a run",
            Context::Memory => "what memory holds",
            Context::Lanes => "the lanes of a warp",
            Context::Access => "an access to memory",
            Context::Tiles => "the tiles of a Triton kernel",
            Context::Ptx => "the PTX of a run",
            Context::Prompt => "a question",
            Context::Evidence => "where numbers come from",
            Context::Figure => "a figure",
            Context::Blocks => "a figure of blocks",
            Context::Prediction => "a prediction",
            Context::Table => "a table",
            Context::Calculator => "a calculator",
            Context::BlockMap => "the map of blocks",
            Context::Editor => "the editor",
            Context::Comparison => "two cells side by side",
            Context::Home => "all lessons",
            Context::Welcome => "the welcome",
            Context::Search => "the search of lessons",
            Context::Tour => "the tour",
            Context::Palette => "the list of commands",
        }
    }

    /// Whether it lies over the cell on screen: what holds everywhere does not hold there.
    pub fn is_over_the_page(self) -> bool {
        matches!(
            self,
            Context::Evidence
                | Context::Tour
                | Context::Welcome
                | Context::Editor
                | Context::BlockMap
        ) || self.takes_text()
    }

    /// Whether letters are text there.
    pub fn takes_text(self) -> bool {
        // On the home screen typing a letter begins a search.
        use Context::{Home, Palette, Prompt, Search};
        matches!(self, Prompt | Palette | Home | Search)
    }
}

/// Where keys go: each binding names the contexts in which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Context {
    Prose,
    Code,
    Editor,
    Lanes,
    Access,
    Memory,
    Counts,
    Tiles,
    Ptx,
    Prediction,
    Table,
    Calculator,
    BlockMap,
    /// A figure of plots.
    Figure,
    /// A figure of blocks over a matrix.
    Blocks,
    Prompt,
    /// Where the numbers on screen come from.
    Evidence,
    Palette,
    Comparison,
    /// A note of the tour is on screen.
    Tour,
    /// The home screen.
    Home,
    /// Two loads that welcome somebody new.
    Welcome,
    /// The home screen while lessons are searched.
    Search,
}
