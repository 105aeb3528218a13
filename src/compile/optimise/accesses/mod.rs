//! Loads and stores that are joined with others, or not made because of others: found by a first lowering, done by a
//! second.

mod access_groups;
mod partial_redundancy;
mod load_vectorisation;
mod store_vectorisation;
mod access_plan;

pub(crate) use access_groups::{AccessKey, GroupMember, base_alignment, window};
pub(crate) use access_plan::{AccessPlan, ObservedAccesses};
pub(crate) use load_vectorisation::{KnownLoads, LoadedValue, Origin, WideLoad};
pub(crate) use partial_redundancy::{KnownRange, MergeCandidates, MergedLoad, is_loaded_first};
pub(crate) use store_vectorisation::{JoinedStore, OpenStores, PlannedStore};
