//! Inside a kernel: the variables of a warp, its accesses, and what memory holds.

mod access;
mod banks;
pub(crate) mod buffer;
mod lane_table;
mod lanes;
mod mask;
mod moment;
mod picture;
mod real_values;
mod sectors;
mod timeline;
pub(crate) mod warp;
