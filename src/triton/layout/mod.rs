//! Layouts: which register of which lane of which warp holds an element of a tile. Pure arithmetic.
//!
//! In order: `gf2` is arithmetic on bits; `linear` the one form that every layout comes down to; `named` the layouts that
//! Triton's listings name; `choose` which of them Triton takes for an access; `convert` how a tile gets from one layout into
//! another; `reduce` how its elements are combined along a dimension.
//!
//! Knows no syntax, no CUDA and no machine. Sizes are powers of two, as Triton demands of tiles.

mod gf2;

mod linear;

mod named;

mod choose;

mod convert;

mod reduce;

pub use choose::{Access, blocked_for, coalesced, default_blocked, order_of};
pub use convert::{
    Conversion, Instruction, LaneExchange, SharedAccess, SharedExchange, SharedSide, Shuffles,
    convert,
};
pub use linear::{LinearLayout, Place};
pub use named::{Blocked, Layout};
pub use reduce::{Reduction, SharedOffsets, WarpReduction, reduce};

#[cfg(test)]
mod tests;
