//! Blocks as text. A form knows of no cell.

mod prose;
mod plain;
mod markdown;
mod style_sheet;
mod html;
mod form;

pub use form::Form;
pub use plain::plain;
