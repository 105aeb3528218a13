//! Gangs in unison. Much of what the warps of a block compute is the same in all of them, or differs
//! by a known number from warp to warp: loop counters, addresses, conditions. While the warps of a
//! gang have done the same since the block began, such values are kept and computed for the first
//! warp only, and what is the same in every block is not computed at all.
//!
//! `webs` tells values in one register apart, `shape` what is known of them, `storage` where they
//! are kept, `plan` what is left to do, `run` does it, `narrow` lets some warps sit out an `if`, and `settle` brings the registers of all
//! warps to what they would hold had the warps gone alone. Nobody can see the difference.

mod condition;
mod joins;
mod narrow;
mod plan;
mod run;
mod settle;
mod shape;
mod storage;
mod webs;

pub use plan::Plan;
pub use settle::Held;
pub use shape::Launched;
pub use webs::{Web, Webs};
