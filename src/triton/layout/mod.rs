//! Layouts: which register of which lane of which warp holds an element of a tile. Pure arithmetic.
//!
//! In order: `gf2` is arithmetic on bits; `linear` the one form that every layout comes down to, made of `bits`;
//! `mma` the layouts of the tensor cores; `named` the layouts that Triton's listings name; `choose` which of them Triton takes for an access; `shared_layout` tiles that stay in shared memory;
//! `convert` how a tile gets from one layout into
//! another; `reduce` how its elements are combined along a dimension, and `scan` their running
//! results; `dot` what products take.
//!
//! Knows no syntax, no CUDA and no machine. Sizes are powers of two, as Triton demands of tiles.

mod gf2;

mod linear;

mod bits;

mod mma;

mod named;

mod choose;

mod shared_layout;

mod convert;

mod reduce;

mod scan;

mod dot;

pub use choose::{Access, blocked_for, coalesced, default_blocked, order_of};
pub use convert::{
    Conversion, Instruction, LaneExchange, SharedAccess, SharedExchange, SharedSide, Shuffles,
    convert, copy_access, shared_access,
};
pub use dot::{Dot, DotKind};
pub use linear::{LinearLayout, Place};
pub use mma::Mma;
pub use named::{Blocked, Layout};
pub use reduce::{Reduction, SharedOffsets, WarpReduction, reduce};
pub use scan::{Positions, Scan, ScanChunk, ScanExchange, scan};
pub use shared_layout::SharedLayout;

#[cfg(test)]
mod tests;
