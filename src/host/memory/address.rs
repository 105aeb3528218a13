//! Which addresses are for what. All lie below [`crate::ir::GLOBAL_STRIDE`], where the memory of the GPU begins.
//!
//! Memory is made of segments of up to 4 GiB: the upper half of an address is the segment, the lower half lies in it.
//! Segment 0 is never mapped: null lies there, and so do handles. Segments 1 and 2 are those of shared and local memory
//! of the GPU: a pointer of the host leads a kernel to neither.

use crate::cuda::FunctionId;
use crate::ir::LOCAL_BASE;

/// Number of segments below the memory of the GPU.
pub const SEGMENTS: u64 = 256;

/// How much room a segment has.
pub const SEGMENT_BYTES: u64 = 1 << 32;

/// Variables at file scope, text and tables of virtual functions.
pub const DATA: u64 = LOCAL_BASE + SEGMENT_BYTES;

/// The stack, which grows down from its end.
pub const STACK: u64 = DATA + SEGMENT_BYTES;

/// As much as Linux gives a program unless it is told otherwise.
pub const STACK_BYTES: u64 = 8 << 20;

/// The lowest addresses of the stack that no frame takes: what overflows it is found before memory ends.
pub const GUARD_BYTES: u64 = 4096;

/// Blocks of `malloc`; larger ones have segments of their own behind it.
pub const HEAP: u64 = STACK + SEGMENT_BYTES;

/// Functions: nothing can be read there.
pub const CODE: u64 = 0x40_0000;

/// Distance of two functions.
const CODE_STRIDE: u64 = 16;

/// What a pointer to a function holds.
pub fn function_address(function: FunctionId) -> u64 {
    CODE + function as u64 * CODE_STRIDE
}

/// The function that a pointer points to; whether there is one is to be asked of the program.
pub fn function_at(address: u64) -> Option<FunctionId> {
    let offset = address.checked_sub(CODE)?;
    let is_one = offset % CODE_STRIDE == 0 && address < DATA;
    is_one.then_some((offset / CODE_STRIDE) as usize)
}
