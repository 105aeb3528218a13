//! What every view draws with: a frame to draw on, and Markdown as styled lines.

mod canvas;
pub(crate) mod markdown;

pub(crate) use canvas::{Canvas, Drawn, Painter, Pane, below, inset, top};
