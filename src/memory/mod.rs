//! What a warp's access to memory costs, as pure functions of its addresses; which elements a launch
//! has touched; and a model of the caches, fed with the accesses of all blocks.
//!
//! In order: `global` and `shared` count the requests of one warp; `footprint` is a set of elements;
//! `log` keeps what one block asks of global memory and `queue` brings the logs in order of blocks to
//! the model; `cache` is one cache, `level` L1 and L2 with device memory behind them, `launch_model`
//! the SMs of a launch; `tiles` is a cache of whole tiles, for figures of products of matrices.
//!
//! Nothing here knows the machine, its registers or its kernels: addresses, a mask of active lanes
//! and a width go in, counts come out. Addresses are multiples of the width: the machine refuses
//! others before it asks.

mod global;
mod shared;
mod footprint;
mod cache;
mod log;
mod queue;
mod level;
mod launch_model;
mod tiles;

pub use crate::launch::AccessKind;
pub use footprint::Footprint;
pub use global::{GlobalRequest, LINE_BYTES, SECTOR_BYTES};
pub use launch_model::{CacheShape, LaunchTraffic, model_launch};
pub use level::{L2, Traffic};
pub use log::{AccessLog, LineAccess, LogTemplate, MOST_BLOCK_WORDS};
pub use queue::LogQueue;
pub use shared::{BANKS, SharedRequest, Wavefront, wavefronts};
pub use tiles::TileCache;
