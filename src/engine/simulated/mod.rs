//! Launches on the simulated GPU: a whole plan ([`run`]), one launch to be stepped through ([`Stepper`]), and
//! what each block of one visits ([`block_visits`]), and who stored an element ([`stored_by`]).

mod schedule;

mod caches;

mod run;

mod stepper;

mod visits;

mod stored_by;

pub(crate) use caches::{CacheState, Caches};
pub(crate) use run::{Simulated, is_left_to_hardware, launch_outcome, leave_to_hardware, simulate};
pub use run::{run, run_compiled};
pub use schedule::ORDER_DEPENDENT;
pub use stepper::{Following, HISTORY_BYTES, Stepper, StepperError};
pub use stored_by::{StoredBy, stored_by};
pub use visits::{Watched, block_visits};
