//! Emission: instructions, the registers they use, and the source that they belong to.
//!
//! Functions that are not inlined have bodies (`bodies`) behind the kernel's own code.
//! The prologue that fills constants and thread coordinates goes before the code when the kernel is
//! finished; targets of branches are filled in when the instruction that lanes wait at is written.

mod registers;
mod bodies;
mod source_writer;
mod tables;
mod emitter;

pub(crate) use bodies::{Bodies, NewBody};
pub(crate) use emitter::{Emitter, FrameKind};
