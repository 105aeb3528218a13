//! Uniformity analysis: which values of a kernel are the same in all warps of a block, or differ
//! from warp to warp by amounts that are known before the launch runs.
//!
//! In order: `live_ranges` tells apart values that share a register, `reconvergence` says where lanes
//! that wait go on, `affine` finds out how each live range differs between warps, `placement` decides
//! whether it is kept for the first warp or for all, `guards` which registers show that an address
//! pattern still holds, and `plan` writes the code that is left to run.

mod live_ranges;
mod reconvergence;
mod affine;
mod placement;
mod guards;
mod plan;

pub(crate) use affine::{Launched, NONE, Offsets, Shape};
pub(crate) use guards::{Looks, Operands};
pub(crate) use live_ranges::{Web, Webs};
pub(crate) use placement::{Known, Storage};
pub(crate) use plan::{Part, Plan, Work};
