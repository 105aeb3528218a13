//! What is known of a kernel before and while it is lowered.
//!
//! Once for a kernel: which functions call themselves (`call_cycles`) and which are inlined (`call_plan`), which memory
//! pointers lead to (`alias`) and which variables need an address (`escape`). For the function being lowered: where its variables live and what its references stand
//! for (`context`), what values depend on and statements change (`dependences`). At each point of the
//! code: integers and addresses as affine expressions (`affine`), and so which bytes an access moves
//! (`byte_range`) and what a loop's counter is a multiple of (`induction`).
//!
//! Nothing here writes code.

mod call_cycles;
mod call_plan;
mod alias;
mod effects;
mod watched;
mod escape;
mod context;
mod dependences;
mod affine;
mod byte_range;
mod induction;

pub(crate) use affine::{Affine, AffineValues, Evaluator};
pub(crate) use alias::{PointsTo, Region};
pub(crate) use byte_range::{ByteRange, aggregate_alignment, offset_in_aggregate, register_bytes};
pub(crate) use call_plan::CallPlan;
pub(crate) use context::{Binding, Context, FileLocation, Location};
pub(crate) use dependences::{Iteration, Sources, is_offset};
pub(crate) use effects::{Effects, RegisterRange};
pub(crate) use escape::{Reachable, analyse, is_fixed, reference};
pub(crate) use induction::counter;
pub(crate) use watched::WatchedRegisters;
