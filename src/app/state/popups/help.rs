//! The help over the page.

/// The help while it is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpPage {
    /// First line on screen, from 0.
    pub scroll: usize,
    /// What is searched for; all is shown as long as it is empty.
    pub search: String,
}

impl HelpPage {
    /// A new page where none was open, and none where one was.
    pub(crate) fn toggled(open: Option<Self>) -> Option<Self> {
        match open {
            Some(_) => None,
            None => Some(HelpPage::default()),
        }
    }

    /// Takes a typed character into the search.
    pub(crate) fn push(&mut self, character: char) {
        self.search.push(character);
        self.scroll = 0;
    }

    /// Takes the last character of the search back.
    pub(crate) fn erase(&mut self) {
        self.search.pop();
        self.scroll = 0;
    }
}
