//! The optimisations of `nvcc` that change what hardware counters say, one file each.

mod common_subexpressions;
mod contraction;
pub(crate) mod load_vectorisation;
mod loop_invariants;
pub(crate) mod narrowing;
pub(crate) mod returned_references;
mod scalar_promotion;
mod sinking;
mod store_vectorisation;
mod tail_merging;
pub(crate) mod unroll;
mod vectorisation;

pub(crate) use common_subexpressions::{Reuse, Sources, Words};
pub(crate) use contraction::fuses;
pub(crate) use loop_invariants::{Effects, Repeated};
pub(crate) use scalar_promotion::Carried;
pub(crate) use sinking::{Door, Sinks};
pub(crate) use tail_merging::{begins, both};
pub(crate) use vectorisation::Joins;
