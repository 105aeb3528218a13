//! The lower half of `tutor`: from a text to the counts of a launch on the simulated GPU, and to what a
//! whole program prints.
//!
//! Knows no files, screens, lessons or drivers. The modules stand in import order, the lowest first; `lib.rs` goes on
//! where this list ends. Compiled with optimisation for speed and as one unit, since the time of every run is spent here.

#[macro_use]
pub mod source;

pub mod device;

pub mod launch;

pub mod memory;

pub mod ir;

pub mod cuda;

pub mod triton;

pub mod compile;

pub mod simt;

pub mod host;
