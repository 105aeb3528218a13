//! The help over the page.

/// The help while it is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpPage {
    /// First line on screen, from 0.
    pub scroll: usize,
    /// What is searched for; all is shown as long as it is empty.
    pub search: String,
}
