//! A launch: blocks handed to worker threads in order, counters gathered, ends agreed on.

mod latch;
mod observers;
mod overruns;
mod undefined;
mod shared;
mod cooperative;
mod workers;

#[cfg(test)]
pub use workers::is_brief;
pub use workers::run;
