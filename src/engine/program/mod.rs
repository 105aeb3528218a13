//! The GPU of a whole program: memory and caches that live from launch to launch, and what each launch did.

mod modelled_time;

mod pointees;

mod inputs;

mod repeated_launches;

mod device;

mod real_memory;

mod real_job;

mod real_device;

mod run;

pub use device::{Keeps, LaunchDuration, ProgramLaunch, SimulatedDevice};
pub use inputs::LaunchInputs;
pub use run::{ProgramEngine, ProgramOutcome, ProgramRun, run_program};
