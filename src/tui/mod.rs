//! The program on a screen: model to frame, key to message.
//!
//! [`view_app`] draws the home screen or, with [`view`], the notebook. Both only read the model and answer with what they showed ([`Drawn`]), so that scrolling can
//! stop at the end and clicks find what they hit. They compute no count: numbers come from the
//! model as they are. Everything about colours and glyphs is in [`Theme`], everything about keys
//! in one table ([`action`]).

mod access;
mod accesses;
mod banks;
mod beside;
mod broken;
mod buffer;
mod calculator;
mod canvas;
mod changes;
mod chooser;
mod contrast;
mod counts;
mod editor;
mod explain;
mod figure;
mod formulas;
mod grid;
mod gutter;
mod header;
mod help;
mod home;
mod kernel_cell;
mod keymap;
mod lanes;
mod launches;
mod levels;
mod markdown;
mod mask;
mod measured;
mod moment;
mod notes;
mod palette;
mod picker;
mod picture;
mod prediction;
mod prose;
mod ptx;
mod recorded;
mod sectors;
mod sliders;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod tour;
mod verified;
mod versus;
mod view;
mod warp;

pub use crate::document::Ground;
pub use crate::document::Highlighter;
pub use crate::document::{Depth, Role, Theme};
pub use canvas::{Drawn, Painter};
pub use keymap::{action, commands};
pub use notes::{Notes, view_notes};
pub use view::{view, view_app};
