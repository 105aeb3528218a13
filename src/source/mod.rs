//! Places in text, and what is to be said about them.
//!
//! A [`SourceFile`] is a named text with a line index and the texts of its headers, a [`Span`] a range of its bytes, a
//! [`Diagnostic`] a message about spans, as data. [`render`] turns a diagnostic into text in
//! rustc's form, and [`printable`] whatever others wrote into what a terminal may be given. [`read_file`] is the one
//! way in for files that somebody names, and [`Work`] what a compilation of one may take. Nothing here knows any language.

#[macro_use]
mod named;

mod file;

mod nearest;

mod printable;

mod diagnostic;

mod render;

mod read;

mod work;

mod stack;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use file::{SourceFile, SourceText, Span, is_python};
pub use nearest::nearest;
pub use printable::{printable, printable_json, printable_line};
pub use read::{
    MAX_TEXT_BYTES, check_regular, open_regular, read_file, read_open_file, read_text, what,
};
pub use render::{Style, render};
pub use stack::on_deep_stack;
pub use work::{Deadline, NEVER, Stop, Work};
