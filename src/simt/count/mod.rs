//! What is counted while a launch runs.

mod tally;

pub use tally::footprint_bytes;
pub(crate) use tally::{Executions, Footprints, WorkerCounters};
