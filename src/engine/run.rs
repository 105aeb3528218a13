//! A plan run on the simulated GPU.

use std::sync::atomic::AtomicBool;

use thiserror::Error;

use crate::launch::{InitError, Outcome, Plan, Progress, Watch};

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which GPU is simulated: an id of the GPU table.
    pub gpu: String,
    /// Threads of the host that run blocks.
    pub threads: usize,
    /// Warp instructions that a launch may take before it counts as endless.
    pub fuel: u64,
    /// The warp whose values are kept.
    pub watch: Option<Watch>,
    /// Most steps of it to keep in each launch.
    pub trace_steps: usize,
}

/// How to follow a run, and to stop it.
pub struct Control<'a> {
    /// Set to stop the run; it ends within some ten milliseconds.
    pub cancel: &'a AtomicBool,
    /// Called some sixty times a second, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// What the machine got wrong.
#[derive(Debug, Error)]
pub enum RunError {
    /// A buffer could not be filled.
    #[error("buffer `{name}`: {reason}")]
    Buffer {
        /// The buffer.
        name: String,
        /// Why.
        reason: InitError,
    },
}

/// Runs every launch of `plan` in order, until one fails.
pub fn run(plan: &Plan, options: &Options, control: &Control) -> Result<Outcome, RunError> {
    let _ = (plan, options, control);
    unimplemented!("written next")
}
