//! Which blocked layout Triton takes: for a tile of which nothing is known, and for an access to global memory.
//!
//! After `getDefaultBlockedEncoding` (`lib/Dialect/TritonGPU/IR/Dialect.cpp`) and the pass Coalesce
//! (`lib/Dialect/TritonGPU/Transforms/CoalesceUtils.cpp`, `getNumElementsPerThread` in `Utility.cpp` beside it).

use super::named::Blocked;

/// The widest access of a thread.
const WIDEST_BITS: u32 = 128;

/// What is known of the pointers of an access to global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Along each dimension, how many elements in a row lie side by side.
    pub contiguity: Vec<u32>,
    /// Along each dimension, what divides the address at which such a row begins, in bytes.
    pub divisibility: Vec<u32>,
    /// Bits of an element; 1 for truth values, which lie in a byte each.
    pub element_bits: u32,
    /// Loads may leave gaps between lanes for the sake of another access; stores and atomics may not.
    pub is_load: bool,
}

impl Access {
    /// Elements along `dim` that one thread can take at once.
    pub fn elements_at_once(&self, dim: usize, shape: &[u32]) -> u32 {
        // Divisibility is in bytes, as in AxisInfo; a truth value has one bit, but takes a byte.
        let aligned = (self.divisibility[dim] / (self.element_bits / 8).max(1)).max(1);
        let side_by_side = self.contiguity[dim].min(shape[dim]);
        aligned
            .min(side_by_side)
            .min(WIDEST_BITS / self.element_bits)
    }
}

/// Dimensions by how many elements lie side by side along them, most first; of equals the first dimension first.
pub fn order_of(contiguity: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..contiguity.len()).collect();
    // Stable, as Triton's `argSort` is: with nothing to choose by, as where strides are above 1 along both dimensions,
    // the first is fastest.
    order.sort_by_key(|&dim| std::cmp::Reverse(contiguity[dim]));
    order
}

/// The layout with `per_thread` elements along the fastest dimension of `order`.
pub fn blocked_for(shape: &[u32], order: Vec<usize>, per_thread: u32, warps: u32) -> Blocked {
    let mut size_per_thread = vec![1; shape.len()];
    size_per_thread[order[0]] = per_thread;
    Blocked::new(shape, size_per_thread, order, warps)
}

/// The layout that a tile has before any pass: one element per thread, the last dimension fastest.
pub fn default_blocked(shape: &[u32], warps: u32) -> Blocked {
    blocked_for(shape, (0..shape.len()).rev().collect(), 1, warps)
}

/// The layout that Coalesce gives to `access`. `others` are the accesses of its slice, the operations that it depends on or
/// that depend on it, to tiles of the same shape: of those with the same order the widest counts.
pub fn coalesced(shape: &[u32], access: &Access, others: &[Access], warps: u32) -> Blocked {
    let order = order_of(&access.contiguity);
    let fastest = order[0];
    let own = access.elements_at_once(fastest, shape);
    let related = others
        .iter()
        .filter(|other| order_of(&other.contiguity) == order);
    // Layouts that differ cost a conversion, so accesses that depend on each other go by the widest of them.
    let widest = related.fold(own, |most, other| {
        most.max(other.elements_at_once(fastest, shape))
    });
    let elements: u32 = shape.iter().product();
    // Wider than the tile's share per thread, and some threads would have nothing to do.
    let mut per_thread = widest.min((elements / (32 * warps)).max(1));
    // A load's gaps between lanes are served by L1; a store with gaps moves sectors that it fills in part (Coalesce
    // says so).
    if !access.is_load {
        per_thread = per_thread.min(own);
    }
    blocked_for(shape, order, per_thread, warps)
}
