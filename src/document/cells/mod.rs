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
mod table;
mod calculator;
mod kernel;
mod exercise;

pub use calculator::{calculator, occupancy};
pub(crate) use counts::count_tables;
pub use exercise::{exercise, feedback, hint, solution, task};
pub use fault::faults;
pub use figure::{missing, order, picture, plots};
pub use kernel::kernel_cell;
pub use prediction::{answer, prompt, question, read_guess, unasked};
pub use ptx::ptx;
pub use run::{KernelRun, diagnostics, document, kernel_run, prose, run, title, verdict};
pub use table::grid;
