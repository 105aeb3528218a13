//! What a lesson shows, as a document: plain text, Markdown, or a page of HTML.
//!
//! Each kind of cell becomes [`Block`]s (prose, runs, figures, …): the one place that knows what it
//! shows outside the notebook. A form turns blocks to text and knows of no cell. Nothing here runs, counts or writes a
//! file; every table says in its title how its numbers came to be.

mod style;
mod drawing;
mod columns;
mod block;
mod cells;
mod json;
mod content;
mod render;

pub use block::{Block, Figure, Fold, Listing, ListingLine, Mark, Table};
pub(crate) use cells::count_tables;
pub use cells::{
    KernelRun, answer, diagnostics, document, faults, feedback, hint, kernel_run, occupancy, plots,
    prompt, ptx, question, read_guess, solution, task, title, unasked, verdict,
};
pub use columns::{columns, decimals, or_dash, percent, thousands};
pub use content::{AnswerState, CellData, Content, FigureData};
pub(crate) use drawing::{
    CellSpan, PointRow, Room, launch_lines, order_page, picture_lines, plot_details, plot_legend,
    plot_notes, plot_picture, point_header, point_rows, slots_lines, warp_line,
};
pub use json::{ProgramShown, feedback_json, kernel_run_json, occupancy_json, program_json};
pub use render::{Extent, Form, ReadPicture, plain, svg};
pub use style::{Depth, Ground, Highlighter, PYTHON, Role, Scheme, Theme};
pub(crate) use style::{
    GLUE, Pieces, bytes, compact, fit, fit_line, fold, pad, real, spread, styled, value, wrap,
};
