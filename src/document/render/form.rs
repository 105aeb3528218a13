//! Which form a document takes.

use super::html::{ReadPicture, html};
use super::markdown;
use crate::document::block::Block;
use crate::source::printable;

/// A form in which documents are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown, as forges show it.
    Markdown,
    /// One page of HTML that needs nothing else.
    Html,
}

/// How much of a document is shown at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Answers are open, where a form folds them.
    pub answers: bool,
    /// Only questions, code and pictures: no evidence, and no numbers that a picture shows.
    pub short: bool,
}

impl Form {
    /// The form that a file's name asks for by its end.
    ///
    /// # Errors
    /// A line that says which ends there are.
    pub fn of_file(name: &str) -> Result<Self, String> {
        // `LESSON.HTML` from a shared drive is meant as well.
        let end = name.rsplit_once('.').map(|(_, end)| end.to_lowercase());
        match end.as_deref() {
            Some("md" | "markdown") => Ok(Form::Markdown),
            Some("html" | "htm") => Ok(Form::Html),
            _ => Err(format!("`{name}` must end in .md or .html")),
        }
    }

    /// `blocks` in this form; a page that needs nothing else holds the pictures that `read_picture` has.
    pub fn render(self, blocks: &[Block], extent: Extent, read_picture: &ReadPicture) -> String {
        let shown = blocks
            .iter()
            .filter(|block| !(extent.short && block.is_long()));
        let blocks: Vec<&Block> = shown.collect();
        let text = match self {
            Form::Markdown => markdown::markdown(blocks),
            Form::Html => html(&blocks, extent.answers, read_picture),
        };
        // Files are looked at in terminals, and pasted into them.
        printable(&text).into_owned()
    }
}
