//! Checks that access at every access and every value while a launch runs.
//!
//! A [`Checker`] observes one launch, block after block on one thread, and reports what a kernel
//! does that CUDA leaves undefined although it may give the right result: races (`races`), values
//! that were never set (`defined`), addresses of variables that have ended (`lifetime`),
//! accesses that leave an array for its neighbour (`bounds`). It also remarks on
//! loops whose lanes access memory apart (`staged_loops`). What it finds are diagnostics, one
//! for each pair of places in the source. It changes nothing: counts, results and faults are those
//! of a run without it.

mod reports;
mod checked_access;
mod shadow;
mod suspects;
mod bounds;
mod lifetime;
mod defined;
mod races;
mod copies;
mod staged_loops;
mod checker;

pub(crate) use checker::Checker;
pub use shadow::shadow_bytes;
