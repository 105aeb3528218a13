//! The functions of `triton.language`, by what they do.

mod shapes;

mod memory;

mod blocks;

mod math;

mod device;

mod assembly;

mod reductions;

mod order;

mod random;
