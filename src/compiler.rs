//! The lowest third of `tutor`: from a text in CUDA C++ or Triton to bytecode, and what the simulated GPU and its users
//! share: places in texts, hardware facts, launches, costs of accesses, the bytecode itself.
//!
//! Knows no files, screens, lessons or drivers. The modules stand in import order, the lowest first; `simulator.rs` goes on
//! where this list ends.

#[macro_use]
pub mod source;

pub mod device;

pub mod launch;

pub mod memory;

pub mod ir;

pub mod cuda;

pub mod triton;

pub mod compile;
