//! What makes the simulator quick, and changes nothing that anybody sees.
//!
//! # The invariant
//!
//! Whatever a batch does, the launch's counts, memory, faults and printed text are those of
//! `execute`, which runs one warp after the other, one instruction at a time. Where a batch cannot
//! be sure of that, it leaves the warps to `execute`, if need be after taking back what it has counted;
//! memory is never taken back, so that nothing is stored before it is certain. Observers are shown
//! each instruction that they want of each warp, so that batches run only up to a barrier before which they want none:
//! `conflicts` says which nobody need look at. Taking this
//! folder away, with its use in `grid::workers`, leaves a simulator that is right and slow.
//!
//! # The tricks
//!
//! | trick | where | what it saves |
//! |---|---|---|
//! | lockstep: warps that agree on where they are take each instruction together, and a basic block is counted once a run | `lockstep`, allowed by `dependence` | fetching, dispatching and counting an instruction, once a batch in place of once a warp (up to 8) |
//! | joins: warps that part at a branch come together again where it ends | `lockstep::run_next`, where nobody can see the order | turns, one a warp, from a branch by values to the next barrier: more than half of a kernel's time that goes on for long behind it |
//! | wide loops: eight lanes at a time | `loops` | most of the time over lanes, where the processor has AVX2 |
//! | remembered patterns: an access that goes as it went lately is not taken apart into lanes, sectors and banks again | `cached_access`, `pattern`, `pattern_cache` | sorting 32 addresses and counting sectors, for every access but the first of a loop |
//! | late footprints: accesses that step evenly through a buffer are put into the footprint as one | `pending_footprints` | an insertion an access |
//! | scalarised batches: what is the same in all warps, or differs by known offsets, is computed once; constants, copies and what nobody needs never | `scalarised`, by `uniformity` | up to 2.5 times a launch's time without the model of the caches, 1.3 times with it |
//! | speculative lockstep: reductions in shared memory run together until a dependence shows | `speculation` | turns, one a warp, between the barriers of a reduction |
//! | places of their own: warps that load and store one memory run together as long as each lane keeps to its place there, as in `y[i] += x[i]` | `own_places` | turns, one a warp: 10 times a product's time whose last line reads and writes C |
//! | accesses without conflicts: what no other thread changes is neither checked for races nor reordered | `conflicts` | checks at most accesses: 10 to 20 times a launch's time |
//! | adjacent blocks: blocks of a few instructions run side by side | `adjacent_blocks` | what beginning and ending a block costs |
//!
//! To measure one: make its entry refuse (`pattern_cache::PatternCache::miss` return `false`,
//! `plan_adjacent_blocks` return nothing, `dependence::lockstep` give `Forbidden` everywhere,
//! `run_batch` never scalarise, `end_of_branch` return nothing) and compare `cargo bench --bench simulator` with and without. The
//! integration tests `counters` and `differential` hold the invariant.
//!
//! # The order
//!
//! `loops`, `pattern`, `pattern_cache`, `pending_footprints`, `speculation` and `scalar_state` each hold
//! one thing to remember and know no machine. `dependence`, `plan` and `conflicts` look at the code
//! before the launch runs. `state` puts a plain machine and all of that together; what stands below it runs it.

mod loops;
mod pattern;
mod pattern_cache;
mod pending_footprints;
mod speculation;
mod own_places;
mod dependence;
mod plan;
mod conflicts;
mod scalar_state;
mod state;
mod cached_access;
mod lockstep;
mod scalarised;
mod adjacent_blocks;

pub(crate) use adjacent_blocks::{AdjacentBlocks, plan_adjacent_blocks};
pub(crate) use conflicts::conflicts;
pub(crate) use plan::BatchPlan;
pub(crate) use state::BatchMachine;
