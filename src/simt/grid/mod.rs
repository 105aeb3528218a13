//! A launch: blocks handed to worker threads in order, counters gathered, ends agreed on.

mod latch;
mod observers;
mod workers;

pub use workers::run;
pub(crate) use workers::{Grid, Lease, run_alone};
