//! One launch of a plan, held at its beginning, so that any of its blocks can be walked through.

use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::run::execute;
use crate::engine::build::{Built, Prepared};
use crate::engine::options::{Control, Options, RunError};
use crate::ir::Kernel;
use crate::launch::{BufferValues, Dim3, Ending, Launch, Outcome, Plan};
use crate::simt::{self, Cursor, GlobalMemory, History, Recording};
use crate::source::Diagnostic;

/// Most bytes that a history takes unless somebody asks for more: about half a million steps.
pub const HISTORY_BYTES: usize = 128 << 20;

/// A launch whose blocks can be recorded. It keeps the buffers as the launch begins with them.
#[derive(Debug)]
pub struct Stepper {
    kernel: Kernel,
    launch: Launch,
    arguments: Vec<u64>,
    memory: GlobalMemory,
    /// Buffers of the plan, which other buffers of the memory follow.
    buffers: usize,
    fuel: u64,
}

/// Why a launch cannot be walked through.
#[derive(Debug, Error)]
pub enum StepperError {
    /// The machine got something wrong.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The plan does not get as far: its outcome says why.
    #[error("the plan ended before the launch")]
    Ended(Box<Outcome>),
}

/// A launch whose turn it is.
pub(super) struct Begun<'a> {
    pub prepared: &'a Prepared<'a>,
    /// Memory as the launches before it left it.
    pub memory: GlobalMemory,
    /// Of the launches before it.
    pub outcome: Outcome,
}

/// Runs the launches of `plan` before launch `launch` with nobody looking, and gives `then` that one.
pub(super) fn run_before<T>(
    plan: &Plan,
    launch: usize,
    options: &Options,
    control: &Control,
    then: impl FnOnce(Begun) -> Result<T, StepperError>,
) -> Result<T, StepperError> {
    // Checks, traces and caches of the launches before would cost time and show nothing.
    let options = options.plain();
    let mut outcome = Outcome::blank(&options.gpu);
    let built = Built::new(plan, &options, control.cancel, &mut outcome);
    let ready = built.prepare(plan, &options, &mut outcome)?;
    let (Some(prepared), Ending::Finished) = (ready.launches.get(launch), outcome.ending) else {
        return Err(StepperError::Ended(Box::new(outcome)));
    };
    // They run whole, as the block begins with the memory that they leave.
    let before = &ready.launches[..launch];
    let memory = execute(
        ready.memory(control)?,
        before,
        &options,
        control,
        &mut outcome,
    )?;
    if outcome.ending != Ending::Finished {
        return Err(StepperError::Ended(Box::new(outcome)));
    }
    then(Begun {
        prepared,
        memory,
        outcome,
    })
}

/// Which warp to follow, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Following {
    /// Index of the block in its grid.
    pub block: Dim3,
    /// Index of the warp in the block.
    pub warp: u32,
    /// Most bytes that its history may take.
    pub most_bytes: usize,
}

impl Stepper {
    /// Runs the launches of `plan` before launch `launch`, and holds there.
    pub fn new(
        plan: &Plan,
        launch: usize,
        options: &Options,
        control: &Control,
    ) -> Result<Self, StepperError> {
        run_before(plan, launch, options, control, |begun| {
            Ok(Stepper {
                kernel: begun.prepared.kernel.clone(),
                launch: begun.prepared.launch.clone(),
                arguments: begun.prepared.arguments.clone(),
                memory: begun.memory,
                buffers: plan.buffers.len(),
                fuel: options.fuel,
            })
        })
    }

    /// The plan's buffers as the launch begins with them.
    pub fn begun(&self) -> Vec<BufferValues> {
        let buffers = 0..self.buffers;
        buffers
            .filter_map(|index| self.memory.buffer(index))
            .collect()
    }

    /// The history of one warp and its block; truncated where `cancel` becomes true. An error is
    /// that the launch has no such warp.
    pub fn record(
        &self,
        following: Following,
        cancel: &AtomicBool,
    ) -> Result<History, Box<Diagnostic>> {
        let launch = simt::Launch {
            kernel: &self.kernel,
            grid: self.launch.grid,
            block: self.launch.block,
            dynamic_shared_bytes: self.launch.shared_bytes,
            arguments: self.arguments.clone(),
        };
        let recording = Recording {
            block: following.block,
            warp: following.warp,
            most_bytes: following.most_bytes,
            fuel: self.fuel,
            cancel,
        };
        simt::record(&launch, &self.memory, &recording)
    }

    /// A buffer as the block of `history` sees it after the cursor's step; nothing if the plan has
    /// no such buffer.
    pub fn buffer(&self, index: usize, history: &History, cursor: Cursor) -> Option<BufferValues> {
        // As the launch found it, with what the history says was written on top: other blocks' stores are not in it.
        let mut buffer = self.memory.buffer(index)?;
        history.apply(cursor, index, &mut buffer);
        Some(buffer)
    }
}
