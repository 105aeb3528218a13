//! The values inside a watched warp: as one engine gives them ([`Trace`]), as a recording keeps them, and as
//! those of two engines relate.

mod trace;

mod relation;

mod compare;

mod compared_at;

mod recorded_trace;

pub use compare::{
    Captured, ComparedCounts, ComparedVariable, ComparedVisit, Difference, TraceComparison,
    TracedSite, compare,
};
pub use compared_at::{ComparedLanes, DifferingVisit};
pub use recorded_trace::RecordedTrace;
pub use relation::{ROUNDING_ULPS, Relation, relation};
pub use trace::{LaneValues, Trace, TraceStep, TracedVariable, Watch};
