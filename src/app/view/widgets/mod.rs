//! What every view draws with: a frame to draw on, panes and tabs, lines of code, diagnostics, Markdown.

mod canvas;
mod tabs;
mod code;
mod diagnostic;
mod dimensions;
mod large;
mod search;
pub(crate) mod markdown;

pub(crate) use canvas::{
    Canvas, Drawn, Painter, Pane, below, body, centred, inset, top, with_room,
};
pub(crate) use code::{CodeText, code_row, code_size, quoted, quoted_line};
pub(crate) use diagnostic::{diagnostic, severity_role};
pub(crate) use dimensions::{block_index, dims};
pub(crate) use large::large;
pub(crate) use search::lit_text;
pub(crate) use tabs::{Tab, tabs};
