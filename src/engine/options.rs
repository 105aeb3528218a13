//! How to run a plan, how to follow it, and what the machine may get wrong.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::compile::Fidelity;
use crate::device::{DEFAULT_GPU, UnknownGpu};
use crate::engine::preparing::Preparing;
use crate::launch::{InitError, Progress, Watch};
use crate::simt::Checks;
use crate::source::NEVER;
use crate::source::Work;

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which GPU is simulated: an id of the GPU table, which may be cut at a hyphen.
    pub gpu: String,
    /// Which accesses are made and counted.
    pub fidelity: Fidelity,
    /// Whether the traffic between L1, L2 and device memory is modelled.
    pub model_caches: bool,
    /// Whether the model's caches are emptied before each launch, and not before the first one only.
    pub flush_caches: bool,
    /// Threads of the host that run blocks.
    pub threads: usize,
    /// Warp instructions that a launch may take before it counts as endless.
    pub fuel: u64,
    /// Steps that compiling may take, as [`Work`] counts them.
    pub compile_steps: u64,
    /// How long a launch may take beside that, if somebody has said so.
    pub time_limit: Option<Duration>,
    /// The warp whose values are kept.
    pub watch: Option<Watch>,
    /// Most steps of it to keep in each launch.
    pub trace_steps: usize,
    /// What is checked beyond what always is.
    pub checks: Checks,
    /// Seed of another legal order of blocks and warps.
    pub schedule: Option<u64>,
}

impl Options {
    /// The same, but nobody looks: no caches, traces, checks or other orders.
    pub(crate) fn plain(&self) -> Self {
        Options {
            model_caches: false,
            watch: None,
            checks: Checks::NONE,
            schedule: None,
            ..self.clone()
        }
    }
}

impl Default for Options {
    /// The usual GPU, every core of the host, fuel for some fifteen seconds of two cores, nothing watched.
    fn default() -> Self {
        Options {
            gpu: DEFAULT_GPU.to_owned(),
            fidelity: Fidelity::default(),
            model_caches: true,
            flush_caches: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            fuel: 1_000_000_000,
            compile_steps: Work::MOST,
            time_limit: None,
            watch: None,
            trace_steps: 20_000,
            checks: Checks::NONE,
            schedule: None,
        }
    }
}

/// How to follow a run, and to stop it.
pub struct Control<'a> {
    /// Set to stop the run; it ends within some ten milliseconds.
    pub cancel: &'a AtomicBool,
    /// Called some sixty times a second, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told, from any thread, what is done before the first launch where that takes long or much.
    pub preparing: &'a (dyn Fn(Preparing) + Sync),
}

impl Default for Control<'_> {
    /// Nobody follows the run, and nothing stops it.
    fn default() -> Self {
        Control {
            cancel: &NEVER,
            progress: &|_| {},
            preparing: &|_| {},
        }
    }
}

/// What the machine got wrong.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no such GPU.
    #[error(transparent)]
    Gpu(#[from] UnknownGpu),
    /// A buffer could not be filled.
    #[error("buffer `{name}`: {reason}")]
    Buffer {
        /// The buffer.
        name: String,
        /// Why.
        reason: InitError,
    },
}
