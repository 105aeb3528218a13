//! The memory of code of the host: `address` says which range is for what, `heap` hands out blocks as `malloc` does, and
//! `space` is all of it, with the memory of the GPU behind.
//!
//! As on a real machine, an access inside of a mapped range succeeds whatever it belongs to; outside it is a fault.

mod address;

mod heap;

mod space;

pub use address::{DATA, GUARD_BYTES, HEAP, STACK, STACK_BYTES, function_address, function_at};
pub use space::{Memory, Outside, Unmapped};
