//! How things look, on a screen as on paper: sets of colours, roles of text, glyphs, and lines that fit.
//!
//! A reader chooses a [`Scheme`]; a terminal says what it can draw ([`Theme::detect`]); a [`Role`] says what a piece
//! of text is, and the [`Theme`] what style follows. Nothing here knows of a lesson or of an outcome.

mod ascii;
mod scheme;
mod paints;
mod theme;
mod detect;
mod highlight;
mod text;
mod wrap;

pub use highlight::{Highlighter, PYTHON};
pub(crate) use highlight::{Pieces, styled};
pub use scheme::{Ground, Scheme};
pub(crate) use text::{
    bytes, compact, first_fitting, fit, fit_line, pad, real, spread, texts, value,
};
pub use theme::{Depth, Role, Theme};
pub(crate) use wrap::{GLUE, fold, wrap};
