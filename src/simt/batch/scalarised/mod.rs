//! Scalarised batches: much of what the warps of a block compute is the same in all of them, or differs
//! by a known number from warp to warp: loop counters, addresses, conditions. While the warps of a
//! batch have gone alike since the block began, such values are kept and computed for the first warp
//! only, and what is the same in every block is not computed at all (`run`, by the code that
//! `uniformity` makes). `conditions` decides comparisons for all warps at once, `partial_if` lets some
//! warps sit out an `if`, and `materialise` brings the registers of all warps to what they would hold
//! had they gone alone.

mod conditions;
mod materialise;
mod partial_if;
mod run;
