//! Launches on a real GPU, through its worker process, with the simulated one beside it: results and times
//! ([`run_on_gpu`]), values inside a warp and counts by
//! code that counts ([`InstrumentedRun`]).

mod nvrtc_text;

mod shipped;

mod jobs;

mod baselines;

mod run;

mod instrumented;

pub use instrumented::{InstrumentedError, InstrumentedRun};
pub(crate) use nvrtc_text::{nvrtc_headers, nvrtc_text};
pub(crate) use run::failure_diagnostic;
pub use run::{OnGpu, run_on_gpu};
pub use shipped::{SHIPPED_MARK, ShipError, ShippedFile, ptx_to_ship, shipped_files, shipped_ptx};
