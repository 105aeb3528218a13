//! The bytecode of the host: `op` is the one table of operations, `image` a program made of them,
//! `numbers` what the functions of numbers give.
//!
//! A function works on slots of 64 bits: slot 0 holds the address of its part of the stack and in the end what it
//! returns; behind it lie its parameters, its constants, its variables that nobody points at, and intermediate values.
//! Integers stand in a slot extended to 64 bits by their sign or with zeroes, `float` in the low 32 bits. Structs, vectors
//! and arrays lie in memory, and a slot holds their address.

mod op;

mod image;

pub mod numbers;

pub use image::*;
pub use op::*;
