//! `tutor bench`: what a figure of a lesson plots, timed on the GPU of this machine, beside what is recorded.
//!
//! `operations` finds what can be timed, `table` is the file of times by which a sweep goes on where it was stopped, `sweep`
//! times what is not in it yet, `command` draws what came of it.

mod operations;
mod table;
mod sweep;
mod command;

pub(super) use command::{BenchArguments, bench};
