//! What makes the simulator quick, and changes nothing that anybody sees.

mod loops;
mod pattern;
mod pattern_cache;
mod pending_footprints;
mod speculation;
mod dependence;
mod plan;
mod scalar_state;
mod state;
mod cached_access;
mod lockstep;
mod scalarised;
mod adjacent_blocks;

pub(crate) use adjacent_blocks::{AdjacentBlocks, plan_adjacent_blocks};
pub(crate) use plan::BatchPlan;
pub(crate) use state::BatchMachine;
