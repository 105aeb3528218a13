//! A run: its plan, verdicts, counts, times of a real GPU, launches, and the page that they stand on.

pub(crate) mod plan;
pub(crate) mod verdicts;
mod original;
mod memory_levels;
mod real_gpu;
mod accesses;
mod counts;
mod launches;
mod feedback;
mod title;
mod headline;
mod tile;
mod page;

pub(crate) use headline::draw as draw_headline;
pub(crate) use page::draw;
pub(crate) use title::whose;
