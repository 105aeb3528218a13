//! Blocks as text. A form knows of no cell.

mod prose;
mod plain;
mod markdown;
mod html;
mod form;

pub use form::{Extent, Form};
pub use html::{ReadPicture, svg};
pub use plain::plain;
