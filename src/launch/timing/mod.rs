//! Times on a real GPU: those of launches, and those of NVIDIA's libraries on the same work.

mod times;

mod baseline;

pub use baseline::{Baseline, BaselineError, BaselineOutcome, Matrix, Operation};
pub use times::{Timing, Work, Yardsticks, time_text};
