//! What makes the simulator quick, and changes nothing that anybody sees.

mod movement;
mod pattern;
mod footprint_runs;
mod speculation;
mod dependence;
mod cached_access;
mod lockstep;
mod conditions;
mod materialise;
mod partial_if;
mod scalarised;
mod adjacent_blocks;

pub(crate) use adjacent_blocks::{Neighbours, plan_neighbours};
pub(crate) use cached_access::{Memory, PLACES};
pub(crate) use dependence::{Order, together};
pub(crate) use footprint_runs::Strides;
pub(crate) use materialise::Held;
pub(crate) use movement::{Route, Way, load};
pub(crate) use partial_if::ends;
pub(crate) use pattern::is_regular;
pub(crate) use speculation::{Early, windows};
