//! What a lesson shows, as a document: plain text, Markdown, or a page of HTML.
//!
//! Each kind of cell becomes [`Block`]s ([`prose`], [`run`], [`plots`], …): the one place that knows what it
//! shows outside the notebook. A form turns blocks to text and knows of no cell. Nothing here runs, counts or writes a
//! file; every table says in its title how its numbers came to be.

mod at_hand;
mod block;
mod cell;
mod counts;
mod fault;
mod figure;
mod form;
mod html;
mod html_prose;
mod markdown;
mod others;
mod plain;
mod prediction;
mod prose;
mod ptx;
mod recorded;
mod source;
mod style;
mod table;
mod times;

pub use at_hand::{at_hand, cell_at_hand, link_at_hand, shown};
pub use block::{Block, Listing, ListingLine, Table};
pub use cell::{diagnostics, document, kernel, prose, run, title, verdict};
pub use fault::faults;
pub use figure::{missing, order, plots};
pub use form::Form;
pub use others::{calculator, grid, kernel_cell, occupancy};
pub use plain::plain;
pub use prediction::{answer, prompt, question, read_guess, unasked};
pub use ptx::ptx;
pub use table::{columns, decimals, headed, or_dash, percent, thousands};
