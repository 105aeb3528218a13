//! The GPU of a whole program: memory and caches that live from launch to launch, and what each launch did.

mod modelled_time;

mod pointees;

mod inputs;

mod device;

mod run;

pub use device::{Keeps, ProgramLaunch, SimulatedDevice};
pub use inputs::LaunchInputs;
pub use run::{ProgramOutcome, ProgramRun, run_program};
