//! The simulated GPU: runs a compiled kernel over a grid of blocks and counts what it does.
//!
//! A launch's blocks are handed out in order to worker threads (`grid`), each of which owns one
//! machine (`machine`): the registers, shared and local memory of one block, whose warps run in
//! turn, each until a barrier or its end (`execute`). A warp's 32 lanes go in lockstep under an
//! active mask; frames of masks (`warp`) bring lanes together again after branches and loops.
//! Observers (`checks`, `trace`, `history`, `schedule`) look on, instruction by instruction.
//! Where nobody looks, `batch` runs many warps at once, by what `uniformity` has found out of the
//! code; that is what makes the simulator quick, and it changes no result.
//!
//! Nothing here knows CUDA C++, files or screens: bytecode, buffers and numbers go in; counts,
//! buffers, a trace and at most one fault come out. Invariants: counts and the faulting block do
//! not depend on the number of threads; watching a warp changes no count; a kernel never panics the
//! machine as long as it passes `ir::verify`.

mod launch;
mod buffer_words;
mod global_memory;

mod buffer_contents;
mod warp;
mod fault;
mod operations;
mod program;
mod count;
mod machine;
mod texture;
mod execute;
mod checks;
mod trace;
mod history;
mod schedule;
mod uniformity;
mod batch;
mod grid;

#[cfg(test)]
mod tests;

pub use self::grid::run;
pub use checks::shadow_bytes;
pub use count::footprint_bytes;
pub use fault::{
    ABSENT_LANES, DIVERGENT_BARRIER, ENDLESS, FAILED_ASSERT, ILLEGAL_ADDRESS, MISALIGNED_ADDRESS,
    RACE, SHARED_ADDRESS, UNSET_VALUE,
};
pub use global_memory::GlobalMemory;
pub use history::{
    Accessed, Breakpoint, ComparisonOperator, Condition, Cursor, Direction, History, MemoryKind,
    Move, Recording, Written, record,
};
pub use launch::{Checks, ChildLaunch, Control, End, Launch, LaunchProgress, Run};
pub use machine::{MOST_MACHINE_BYTES, machine_bytes};
