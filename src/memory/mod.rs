//! What a warp's access to memory costs, as pure functions of its addresses; which elements a launch
//! has touched; and a model of the caches, fed with the accesses of all blocks.
//!
//! Nothing here knows the machine, its registers or its kernels: addresses, a mask of active lanes
//! and a width go in, counts come out. Addresses are multiples of the width: the machine refuses
//! others before it asks.

mod cache;
mod footprint;
mod global;
mod launch_model;
mod level;
mod log;
mod queue;
mod shared;
mod tiles;

use log::bytes_of;

pub use crate::launch::AccessKind;
pub use footprint::Footprint;
pub use global::{GlobalRequest, LINE_BYTES, SECTOR_BYTES};
pub use launch_model::{CacheShape, LaunchTraffic, model_launch};
pub use level::{L2, Traffic};
pub use log::{AccessLog, LineAccess};
pub use queue::LogQueue;
pub use shared::{BANKS, SharedRequest};
pub use tiles::{BlockOrder, TileCache, TileTraffic, TiledProduct};
