//! How a tile gets from one layout into another: within a thread, by shuffles within a warp, or through shared memory.
//!
//! After Triton 3.6: `minimalCvtLayout` and `cvtNeedsWarpShuffle` (`lib/Analysis/Utility.cpp`) say which,
//! `ConvertLayoutOpToLLVM.cpp` (under `lib/Conversion/TritonGPUToLLVM` and `third_party/nvidia`) how. In order:
//! `correspondence` maps places to places; `transposition` makes shuffles of it; `swizzle` finds the arrangement in shared
//! memory, `shared` the instructions that write and read it; `conversion` chooses.

mod correspondence;

mod transposition;

mod swizzle;

mod shared;

mod conversion;

pub use conversion::{Conversion, convert};
pub use shared::{SharedAccess, SharedExchange, SharedSide, copy_access, shared_access};
pub use swizzle::Instruction;
pub use transposition::{LaneExchange, Shuffles};
