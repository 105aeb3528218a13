//! One page of HTML that needs nothing else and runs nothing: how it looks, what it may do, the text of lessons, and the
//! other blocks around it.

mod style_sheet;
mod policy;
mod page;
mod pictures;
mod svg;
mod prose;
mod blocks;

pub(crate) use blocks::html;
pub use page::ReadPicture;
pub use svg::file as svg;
