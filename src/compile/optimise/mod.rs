//! The optimisations of `nvcc` that change what hardware counters say, one file each.
//!
//! In the order in which a kernel meets them:
//!
//! 1. Passes over the typed program, each a `run`: `loops`, `narrowing`,
//!    `returned_references`, `hoisting`.
//! 2. Asked while the program is lowered, of the statement or expression at hand and of what is known
//!    there (`facts`): `contraction` of sums, `tail_merging` and `hoisting` at branches,
//!    `loop_invariants`, `scalar_promotion` and `loops::runtime_unrolling` at loops, `sinking` at assignments
//!    (not into what `speculation` has all lanes compute), `common_subexpressions` everywhere.
//! 3. Planned from what a first lowering observes, carried out by the second (`accesses`):
//!    `load_vectorisation`, `store_vectorisation`, `partial_redundancy`.
//!
//! What single-precision arithmetic costs after all that, `cost` says. Nothing here writes code: analyses
//! answer, and lowering acts. Stepping and values stay those of the source: an access that `nvcc` makes
//! elsewhere is made twice, and counts once.

mod loops;
mod narrowing;
mod returned_references;

mod contraction;
mod tail_merging;
mod hoisting;
mod loop_invariants;
mod speculation;
mod common_subexpressions;

mod accesses;

mod sinking;

mod facts;
mod scalar_promotion;

use crate::cuda::Program;
use crate::source::SourceFile;

pub(crate) use accesses::{
    AccessKey, AccessPlan, GroupMember, JoinedStore, KnownRange, LoadedValue, MergedLoad,
    ObservedAccesses, Origin, PlannedStore, WideLoad, base_alignment, is_loaded_first, window,
};
pub(crate) use contraction::{Contraction, FusedOps, Product};
pub(crate) use facts::{Facts, FrameFacts};
pub(crate) use hoisting::{can_be_chosen, common_loads, first_expression};
pub(crate) use loop_invariants::{invariants, is_worth_inverting};
pub(crate) use loops::{RuntimeUnrolling, Sizes, asked, changed_integers, sizes_of_calls};
pub(crate) use scalar_promotion::{Promoted, Promoter, Promotion};
pub(crate) use sinking::{InsertionPoint, SinkQueue, SunkValue, Target, ends, target};
pub(crate) use speculation::{MOST_SPECULATED, MOST_SPECULATED_FIRST};
pub(crate) use tail_merging::MergedStore;

/// `program`, whose text is `file`, behind the passes over the typed program.
pub(crate) fn passes(program: &Program, file: &SourceFile) -> Program {
    let mut program = loops::run(program, file);
    narrowing::run(&mut program);
    returned_references::run(&mut program);
    hoisting::run(&mut program);
    program
}
