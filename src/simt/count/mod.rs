//! What is counted while a launch runs.

mod tally;

pub(crate) use tally::{Executions, Footprints, WorkerCounters};
