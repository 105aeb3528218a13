//! What to run, and what came back. Plain data: nothing here runs or draws anything.
//!
//! A [`Plan`] is kernels' sources, buffers and a list of launches over them. An engine answers with
//! an [`Outcome`]: counts of every launch, in total and by line, the buffers' final values, the
//! values inside a watched warp ([`Trace`]) and diagnostics. Both engines speak these types, and
//! so do lessons, the notebook and the reports. A [`Recording`] keeps what a real GPU gave.

mod agreement;
mod baseline;
mod buffer;
mod class;
mod compare;
mod compared_at;
mod counted;
mod counts;
mod element;
mod hardware;
mod memo;
mod npy;
mod outcome;
mod plan;
mod ptx;
mod random;
mod recorded_trace;
mod recording;
mod timing;
mod trace;
mod visit;

pub use agreement::Agreement;
pub use baseline::{Baseline, BaselineError, BaselineOutcome, Matrix, Operation};
pub use buffer::{BufferSpec, BufferValues, Init, InitError};
pub use class::{Class, ROUNDING_ULPS, class};
pub use compare::{
    Captured, ComparedVariable, ComparedVisit, Comparison, Difference, TracedSite, compare,
};
pub use compared_at::{ComparedLanes, DifferingVisit};
pub use counted::CountedBoth;
pub use counts::{
    AccessCounts, AccessKind, AtomicCounts, BranchCounts, ConstantCounts, Counts, DramCounts,
    Evidence, Fp32Counts, GlobalCounts, L1Counts, L2Counts, LineCounts, Modelled, SharedCounts,
    TensorCounts,
};
pub use element::{ElementType, Value, ValueType, bf16_nearest, f16_nearest, odd_f64};
pub use hardware::{HARDWARE_COUNTERS, HardwareCounter};
pub use memo::Memo;
pub use outcome::{
    BufferFootprint, CompileReport, Ending, Engine, LaunchOutcome, Outcome, Progress, Report,
};
pub use plan::{Argument, Dim3, KernelSource, Launch, Number, Plan};
pub use ptx::{PtxLine, ptx_lines, resources};
pub use recorded_trace::RecordedTrace;
pub use recording::{
    Clocks, NoRecording, Provenance, RECORDING_FORMAT, Recorded, RecordedCell, RecordedLaunch,
    RecordedRun, Recording,
};
pub use timing::{Timing, Work, Yardsticks, time_text};
pub use trace::{LaneValues, Trace, TraceStep, TracedVariable, Watch};
pub use visit::{BlockVisit, Tiling};

/// Lanes in a warp, on every NVIDIA GPU so far.
pub const WARP_LANES: usize = 32;
