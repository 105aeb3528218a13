//! The middle third of `tutor`: from bytecode to the counts of a launch on the simulated GPU, and from the host code of a
//! whole program to what it prints.
//!
//! The modules stand in import order, the lowest first; `lib.rs` goes on where this list ends. What stands below them is
//! [`compiler`], whose modules are re-exported here. Compiled with optimisation for speed and as one unit, since the time of
//! every run is spent here; alone, since that takes the longest, beside the compiler on a second core.

pub use compiler::{compile, cuda, device, ir, launch, memory, named, source, triton};

pub mod simt;

pub mod host;
