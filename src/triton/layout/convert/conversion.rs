//! Which way a tile takes from one layout into another: the nearest that reaches.

use super::correspondence::Correspondence;
use super::shared::{SharedExchange, exchange};
use super::transposition::{Shuffles, decompose, shuffles};
use crate::triton::layout::linear::LinearLayout;

/// What a change of layout takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Nothing: each place holds the same element in both.
    Nothing,
    /// Moves within a thread: for each register of the result, its register in the source.
    Registers(Vec<u32>),
    /// Shuffles within each warp.
    Shuffles(Shuffles),
    /// Stores to shared memory, a barrier, and loads.
    Shared(SharedExchange),
}

impl Conversion {
    /// Shared memory that it takes.
    pub fn shared_bytes(&self) -> u32 {
        match self {
            Conversion::Shared(exchange) => exchange.bytes,
            _ => 0,
        }
    }
}

/// The change of a tile of elements of `element_bits` bits (1 for truth values, 64 for pointers) from one layout to another
/// of the same shape. Shuffles are taken where they need no more than one exchange between lanes.
pub fn convert(from: &LinearLayout, to: &LinearLayout, element_bits: u32) -> Conversion {
    let found = Correspondence::new(from, to);
    if found.is_identity() {
        return Conversion::Nothing;
    }
    if found.stays_in_lane() {
        return Conversion::Registers(found.register_sources());
    }
    if found.stays_in_warp() && decompose(from, to).mixed.len() < 2 {
        return Conversion::Shuffles(shuffles(from, to));
    }
    let is_within_warps =
        found.stays_in_warp() && from.replicated().warp == 0 && to.replicated().warp == 0;
    Conversion::Shared(exchange(from, to, element_bits.max(8), is_within_warps))
}
