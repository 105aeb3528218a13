//! What becomes of products, in the order of the passes.

pub(super) mod shared_products;
pub(super) mod contraction;
pub(super) mod strength_reduction;
