//! Threads that run kernels, so that the notebook never waits for one: `runner` is the thread on which cells
//! run (`run_cell`), values are captured from the real GPU and an edited kernel is counted beside its
//! original, and an answer to an exercise is checked; `block_history` records one block step by step on another; `buffer_summary` reduces a buffer to
//! what a screen shows.

mod priority;
mod buffer_summary;
mod block_history;
mod capture_values;
mod compare_counts;
mod check_text;
mod run_cell;
mod runner;
mod warp_load;

pub(crate) use block_history::BlockRecorder;
pub(crate) use runner::Runner;
pub(crate) use warp_load::load_welcome;
