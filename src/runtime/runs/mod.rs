//! Threads that run kernels, so that the notebook never waits for one: `runner` runs cells, and on the
//! same thread captures values from the real GPU and counts an edited kernel beside its original;
//! `block_history` records one block step by step; `buffer_summary` reduces a buffer to what a screen shows.

mod buffer_summary;
mod block_history;
mod capture_values;
mod compare_counts;
mod runner;

pub(crate) use block_history::Looker;
pub(crate) use runner::Worker;
