//! What the program and its worker process say to each other: why there is nothing to run on (`unavailable`), the steps of
//! the start (`startup`), jobs and what comes of them (`job`), the steps of a whole program (`program`), requests and
//! answers (`message`), how these are framed (`pipe`), and how what kernels print is told apart by launch (`printed`).

mod startup;
mod unavailable;
mod job;
mod program;
mod message;
pub(crate) mod pipe;
pub(crate) mod printed;

pub use job::{
    BaselineRun, CompiledPtx, DriverFacts, Facts, Failure, Finished, FoundGpu, FoundLibrary, Job,
    JobArgument, JobLaunch, JobSource, JobSymbol, JobValue, Ptx, PtxSource, TimingChoice,
};
pub use message::Stage;
pub(crate) use message::{Answer, Reporter, Request};
pub use pipe::answers_in;
pub use program::{LoadedProgram, RealRun};
pub(crate) use program::{ProgramStep, StepDone};
pub use startup::Startup;
pub(crate) use unavailable::LEAST_DRIVER;
pub use unavailable::Unavailable;
