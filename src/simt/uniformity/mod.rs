//! Uniformity analysis: which values of a kernel are the same in all warps of a block, or differ
//! from warp to warp by amounts that are known before the launch runs.
//!
//! In order: `live_ranges` tells apart values that share a register, `reconvergence` says where lanes
//! that wait go on, `affine` finds out how each live range differs between warps, `thread_sums`
//! which are sums over a thread's place in the grid, `dead_code` what need not be computed,
//! `placement` decides whether a range is kept for the first warp or for all, `coalescing` in which registers, `guards`
//! says which registers show that an address pattern still holds, and `scalar_program` writes the code that is left to
//! run. `batch` runs it.

mod live_ranges;
mod reconvergence;
mod affine;
mod thread_sums;
mod dead_code;
mod placement;
mod coalescing;
mod guards;
mod scalar_program;

pub(crate) use affine::{OffsetsId, Prelaunch, UNIFORM, Uniformity};
pub(crate) use guards::{AddressOperands, Guards};
pub(crate) use live_ranges::{LiveRange, LiveRanges, LiveRegister};
pub(crate) use placement::Storage;
pub(crate) use scalar_program::{Defaults, ExecutionMode, ScalarProgram, ScalarStep, Widening};
pub(crate) use thread_sums::ThreadSums;
