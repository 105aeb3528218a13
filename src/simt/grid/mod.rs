//! A launch: blocks handed to worker threads in order, counters gathered, ends agreed on.

mod latch;
mod observers;
mod shared;
mod overruns;
mod workers;

pub use workers::run;
