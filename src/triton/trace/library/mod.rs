//! The functions of `triton.language`, by what they do.

mod shapes;

mod memory;

mod blocks;

mod math;

mod reductions;

mod random;
