//! Inside a kernel: the variables of a warp, its accesses, and what memory holds.
//!
//! A step of a warp is looked at; everything else is drawn from it: which lanes were active, what a real GPU holds
//! beside, when things happened, what the step accesses, and what memory held then.

mod step;
mod active_mask;
mod real_values;
mod timeline;
mod lane_marks;
mod banks;
mod sectors;
mod access;
mod items;
mod picture;
pub(crate) mod buffer;
mod lanes;
mod lane_steps;
pub(crate) mod warp;
