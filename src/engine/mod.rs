//! One door to whatever runs a plan, and the verification of what came back.
//!
//! [`run`] compiles a plan's kernels, checks that launches and arguments fit them, and launches
//! them in turn on the simulated GPU. What a learner got wrong is in the outcome's reports; only
//! what the machine got wrong (a file that cannot be read) is an error. [`run_on_gpu`] does the same
//! on a real GPU, with the simulated one beside it; [`recorded_lesson`] knows what one gave earlier. A
//! [`Stepper`] holds one of the
//! launches at its beginning, and gives the history of any of its blocks.

mod preparing;

mod options;

mod build;

mod simulated;

mod real;

mod program;

mod reference;

mod verify;

mod recordings;

pub use crate::simt::Checks;
pub use build::MOST_BUFFER_BYTES;
pub use options::{Control, Options, RunError};
pub use preparing::Preparing;
pub use program::{
    Keeps, LaunchDuration, LaunchInputs, ProgramEngine, ProgramLaunch, ProgramOutcome, ProgramRun,
    SimulatedDevice, run_program,
};
pub use real::{
    InstrumentedError, InstrumentedRun, OnGpu, SHIPPED_MARK, ShipError, ShippedFile, ptx_to_ship,
    run_on_gpu, shipped_files, shipped_ptx,
};
pub use recordings::{FOLDER_VARIABLE, recorded_lesson, recording_files, recording_folder};
pub use reference::{Reference, RowsAlone, reference, reference_names};
pub use simulated::{
    Following, HISTORY_BYTES, ORDER_DEPENDENT, Stepper, StepperError, StoredBy, Watched,
    block_visits, run, run_compiled, stored_by,
};
pub use verify::{Expected, Verified, WrongElement, compare_with, expected, first_wrong, verify};
