//! A lesson's Markdown to a [`Lesson`], or to diagnostics in its file.
//!
//! ````text
//! +++
//! id = "softmax"
//! [sizes.M]
//! label = "rows"
//! +++
//! # Prose, cut at its headings
//!
//! ```run naive
//! title = "Five kernels"
//! ```
//! ````

mod pieces;

mod recordings;

mod front;

mod kinds;

mod lesson_file;

#[cfg(test)]
mod tests;

pub(crate) use front::front_matter;
pub(crate) use lesson_file::required_by;
