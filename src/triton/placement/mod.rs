//! A layout for every value, as the passes of Triton choose it.
//!
//! 1. `coalesce`: each access to memory gets the layout that suits its pointers.
//! 2. `propagate`: what comes out of accesses keeps their layouts.
//! 3. `demand`: what accesses need is computed in their layouts where it is cheap, and converted where it is not.

mod coalesce;

mod infer;

mod product;

mod propagate;

mod repetition;

mod demand;

mod needed;

pub use demand::{LayoutId, Placement};
pub use needed::Needed;
pub use product::{is_made_of_loads, product};

use super::analysis::Axes;
use super::tile::Function;

/// Places every value of a function that runs with so many warps.
pub fn place(function: &Function, axes: &Axes, warps: u32) -> Placement {
    let accesses = coalesce::accesses(function, axes, warps);
    let (own, free_joins) = propagate::own_layouts(function, &accesses, warps);
    Placement::new(function, &accesses, &own, &free_joins, warps)
}
