//! Triton in: tiles, shapes and layouts of a tile program, and the thread program that Triton would make of it.
//!
//! In order: `layout` says which thread holds which element, and how elements get from one thread to another.
//!
//! Nothing here knows the bytecode or the machine.

pub mod layout;
