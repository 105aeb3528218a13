//! The results of a run: launches, counts, formulas, times of a real GPU.

mod accesses;
pub(crate) mod contrast;
pub(crate) mod counts;
pub(crate) mod formulas;
pub(crate) mod launches;
mod levels;
mod measured;
mod recorded;
mod verified;

pub(crate) use counts::diagnostic;
pub(crate) use launches::{block_index, dims};
