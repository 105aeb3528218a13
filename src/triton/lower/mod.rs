//! What one thread does of a tile program, as CUDA C++ that can be read.
//!
//! A tile is an array of the registers that a thread holds of it, named as the text names the tile; operations element
//! by element are loops over these registers, which the compiler writes out.

mod text;

mod index;

mod lowering;

mod expressions;

mod memory;

mod nodes;

mod reduce;

mod tiles;

mod shared;

mod scan;

mod pipeline;

mod product;

mod convert;

mod control;

mod kernel;

pub use kernel::{PREDICATED, lower};
pub use text::{PART_OF_ACCESS, UNCOUNTED};
