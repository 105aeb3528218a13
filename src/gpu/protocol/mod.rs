//! What the program and its worker process say to each other: jobs and answers as data (`job`), the steps of
//! the start (`startup`), why there is nothing to run on (`unavailable`), how messages are framed (`pipe`), and how what kernels
//! print is told apart by launch (`printed`).

mod startup;
mod unavailable;
mod job;
pub(crate) mod pipe;
pub(crate) mod printed;

pub(crate) use job::{Answer, Reporter, Request};
pub use job::{
    BaselineRun, CompiledPtx, DriverFacts, Facts, Failure, Finished, FoundGpu, FoundLibrary, Job,
    JobArgument, JobLaunch, JobSource, JobSymbol, JobValue, Ptx, PtxSource, Stage, TimingChoice,
};
pub use pipe::answers_in;
pub use startup::Startup;
pub(crate) use unavailable::LEAST_DRIVER;
pub use unavailable::Unavailable;
