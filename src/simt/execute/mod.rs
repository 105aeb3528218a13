//! What instructions do to a machine: loads and stores, atomic operations, and what concerns the
//! block as a whole.

mod transfer;
mod access;
mod block_memory;
mod atomics;
mod refused;
mod print;
mod block_wide;
mod turns;
mod run;

pub(crate) use turns::{Turn, Turns};
