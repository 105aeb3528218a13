//! What is counted while a launch runs.

mod tally;
mod touched;

pub use tally::footprint_bytes;
pub(crate) use tally::{Executions, Footprints, WorkerCounters};
pub(crate) use touched::{Touched, Toucher};
