//! What each kind of cell shows, as blocks.

mod listing;
mod counts;
mod measured;
mod recorded;
mod run;
mod fault;
mod ptx;
mod prediction;
mod figure;
mod others;

pub(crate) use counts::count_tables;
pub use fault::faults;
pub use figure::{missing, order, plots};
pub use others::{calculator, grid, kernel_cell, occupancy};
pub use prediction::{answer, prompt, question, read_guess, unasked};
pub use ptx::ptx;
pub use run::{diagnostics, document, kernel, prose, run, title, verdict};
