//! `tutor`: a notebook in the terminal that teaches GPU kernels by running them.
//!
//! One `.cu` text becomes a typed program (`cuda`), then warp bytecode (`compile` over `ir`), and
//! runs on a simulated GPU (`simt` over `memory`) that counts every access. A lesson (`lesson`)
//! turns into a `launch::Plan`; the `engine` runs it and answers with a `launch::Outcome`; the
//! documents (`document`), the notebook (`app`, `runtime`) and the commands (`cli`) show that outcome.
//!
//! This is the upper third: from the real GPU to the commands. Below it stand two crates, [`simulator`] and the compiler
//! that it re-exports, so that an edit of the notebook compiles in seconds; their modules are re-exported here, so that
//! every module has one path, `crate::NAME`, in all three.
//!
//! The modules stand in import order: each imports only modules above it, and only what their `mod.rs` re-exports.
//! `tests/tutor/tidy.rs` holds the wall.

pub mod assets;

pub use simulator::{compile, cuda, device, host, ir, launch, memory, simt, source, triton};

pub mod gpu;

pub mod engine;

pub mod lesson;

pub mod document;

pub mod app;

pub mod runtime;

pub mod cli;
