//! A warp: 32 lanes, their registers, and the masks that say which of them run.
//!
//! `vector` is one register of a warp, `sort` brings its values in order, `geometry` says which threads
//! its lanes are, `lanes` holds the registers of a block's warps and takes operations over them,
//! `control_flow` keeps the active mask through branches and loops, `ending` sees which lanes have no work left. Nothing here knows memory, counts or
//! more than one block.

mod vector;
mod sort;
mod geometry;
mod lanes;
mod control_flow;
mod ending;

pub(crate) use crate::launch::set_bits;
pub(crate) use control_flow::Warp;
pub(crate) use ending::have_only_to_end;
pub(crate) use geometry::Geometry;
pub(crate) use lanes::{LaneOperation, Lanes, OF_FIRST_WARP};
pub(crate) use sort::steps;
pub(crate) use vector::{ALL, BITS, Vector, agree, blend, join, nonzero, span};
