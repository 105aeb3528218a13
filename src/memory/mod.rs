//! What a warp's access to memory costs, as pure functions of its addresses, and which elements a
//! launch has touched.
//!
//! Nothing here knows the machine, its registers or its kernels: addresses, a mask of active lanes
//! and a width go in, counts come out. Addresses are multiples of the width: the machine refuses
//! others before it asks.

mod footprint;
mod global;
mod log;
mod queue;
mod shared;

pub use crate::launch::AccessKind;
pub use footprint::Footprint;
pub use global::{GlobalRequest, LINE_BYTES, SECTOR_BYTES};
pub use log::{AccessLog, Entry, LineAccess, bytes_of};
pub use queue::LogQueue;
pub use shared::{BANKS, SharedRequest};
