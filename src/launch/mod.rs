//! What to run, and what came back. Plain data: nothing here runs or draws anything.
//!
//! A [`Plan`] is kernels' sources, buffers and a list of launches over them. An engine answers with
//! an [`Outcome`]: counts of every launch, in total and by line, the buffers' final values, the
//! values inside a watched warp ([`Trace`]) and diagnostics. Both engines speak these types, and
//! so do lessons, the notebook and the reports. A [`Recording`] keeps what a real GPU gave.

mod float8;

mod element;

mod vectorised;

mod buffer;

mod counts;

mod timing;

mod tile;

mod plan;

mod visit;

mod values;

mod outcome;

mod ptx;

mod recording;

pub use buffer::{
    Agreement, BufferSpec, BufferValues, FillControl, Init, InitError, ResultCache, zeroed,
};
pub use counts::{
    AccessCounts, AccessKind, Amount, AtomicCounts, BranchCounts, ConstantCounts, CountedBoth,
    Counts, DramCounts, Evidence, Fp32Counts, GlobalCounts, HARDWARE_COUNTERS, HardwareCounter,
    L1Counts, L2Counts, LineCounts, Measure, Modelled, SharedCounts, TensorCounts,
};
pub use element::{ElementType, Value, ValueType, bf16_nearest, f16_nearest, odd_f32, odd_f64};
pub use float8::{E4M3, E5M2, Float8};
pub use outcome::{
    BufferFootprint, CompileReport, Ending, Engine, LaunchOutcome, Outcome, Progress, RealLaunch,
    Report,
};
pub use plan::{
    Argument, Dim3, KernelSource, Launch, Number, Plan, TensorMap, WARP_LANES, set_bits, volume,
};
pub use ptx::{PtxLine, ptx_lines, resources};
pub use recording::{
    Clocks, NoRecording, Provenance, RECORDING_FORMAT, Recorded, RecordedCell, RecordedLaunch,
    RecordedRun, Recording, recorded_counters,
};
pub use tile::{Holder, TileOptions, TileProgram, TileTensor};
pub use timing::{
    Baseline, BaselineError, BaselineOutcome, Matrix, Operation, Timing, Work, Yardsticks,
    time_text,
};
pub use values::{
    Captured, ComparedCounts, ComparedLanes, ComparedVariable, ComparedVisit, Difference,
    DifferingVisit, LaneValues, ROUNDING_ULPS, RecordedTrace, Relation, Trace, TraceComparison,
    TraceStep, TracedSite, TracedVariable, Watch, compare, relation,
};
pub use vectorised::{Vectorised, vectorised};
pub use visit::{BlockVisit, Tiling};
