//! What is asked of the worker process, and what it says while it works and in the end.

use serde::{Deserialize, Serialize};

use super::job::{
    BaselineRun, CompiledPtx, Facts, Failure, Finished, Job, PtxSource, TimingChoice,
};
use super::program::{LoadedProgram, ProgramStep, StepDone};
use super::startup::Startup;
use super::unavailable::Unavailable;
use crate::launch::Baseline;

/// What is asked of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Say what there is; whether to look for the baselines' libraries as well.
    Probe(bool),
    /// Run a plan.
    Run(Box<Job>),
    /// Load the kernels of a program, for the steps that follow.
    LoadProgram(Box<Job>),
    /// Do a step of the program that is loaded.
    Step(ProgramStep),
    /// Compile the kernels of texts for an architecture, as in `compute_75`; needs no GPU.
    CompileToPtx(Vec<PtxSource>, String),
    /// Time an operation of NVIDIA's libraries.
    Time(Baseline, TimingChoice),
}

/// What a worker says. A request is answered by any number of stages and buffers, and one of the
/// others at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// It goes on; the limit of time begins anew.
    Stage(Stage),
    /// Bytes of a buffer follow: of a job its final ones, first the plan's in order, then the symbols of each source.
    Buffer,
    /// What there is.
    Probed(Box<Facts>),
    /// The plan ran.
    Finished(Box<Finished>),
    /// The program is loaded.
    LoadedProgram(Box<LoadedProgram>),
    /// A step of it is done.
    StepDone(StepDone),
    /// The texts compile.
    CompiledToPtx(CompiledPtx),
    /// What came of a baseline.
    Timed(BaselineRun),
    /// There is nothing to run on.
    Unavailable(Unavailable),
    /// The plan cannot run, or failed.
    Failed(Failure),
}

/// How a worker says how far it is. Who asked may be gone: nothing is said of that here, since the next
/// `receive` ends the process.
pub(crate) struct Reporter<'a> {
    send: &'a mut dyn FnMut(Answer, &[u8]),
}

impl<'a> Reporter<'a> {
    pub fn new(send: &'a mut dyn FnMut(Answer, &[u8])) -> Self {
        Reporter { send }
    }

    /// A stage begins.
    pub fn stage(&mut self, stage: Stage) {
        (self.send)(Answer::Stage(stage), &[]);
    }

    /// The final bytes of a buffer, or of a symbol.
    pub fn buffer(&mut self, bytes: &[u8]) {
        (self.send)(Answer::Buffer, bytes);
    }
}

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// NVIDIA's software starts, which takes a moment, or never returns on a machine whose driver is stuck.
    Starting(Startup),
    /// The first GPU is being opened.
    Opening,
    /// A source is being compiled.
    Compiling(usize),
    /// Buffers are being allocated and filled.
    Filling,
    /// A launch runs for its result.
    Running(usize),
    /// So many timed runs are done.
    Timing(u32),
    /// An operation of NVIDIA's libraries is being timed.
    Baseline,
}
