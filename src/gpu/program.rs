//! The program's side of a whole program on the GPU: its kernels are loaded once, its memory and launches follow step by
//! step.

use std::sync::atomic::AtomicBool;

use super::client::{Gpu, GpuError};
use super::protocol::{
    Answer, Job, JobLaunch, LoadedProgram, ProgramStep, RealRun, Request, StepDone, printed,
};

impl Gpu {
    /// Compiles and loads a program's kernels: a job of one source, with a launch of each.
    pub fn load_program(
        &mut self,
        job: &Job,
        cancel: &AtomicBool,
    ) -> Result<LoadedProgram, GpuError> {
        let request = Request::LoadProgram(Box::new(job.clone()));
        match self.ask_with(&request, &[], cancel, &mut |_| {})?.0 {
            Answer::LoadedProgram(loaded) => Ok(*loaded),
            other => Err(self.unexpected(&other)),
        }
    }

    /// The address of so many bytes of memory, all zero; nothing where there is no room for them.
    pub fn allocate(&mut self, size_bytes: u64) -> Result<Option<u64>, GpuError> {
        match self.step(ProgramStep::Allocate(size_bytes), &[], &NEVER)?.0 {
            StepDone::Allocated(address) => Ok(address),
            other => Err(self.unexpected(&Answer::StepDone(other))),
        }
    }

    /// Frees what begins at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), GpuError> {
        self.step(ProgramStep::Free(address), &[], &NEVER).map(drop)
    }

    /// Writes memory of the program.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.step(ProgramStep::Write(address), bytes, &NEVER)
            .map(drop)
    }

    /// Reads memory of the program.
    pub fn read(&mut self, address: u64, size_bytes: u64) -> Result<Vec<u8>, GpuError> {
        let step = ProgramStep::Read {
            address,
            size_bytes,
        };
        let (done, read) = self.step(step, &[], &NEVER)?;
        match read.into_iter().next() {
            Some(bytes) if bytes.len() as u64 == size_bytes => Ok(bytes),
            _ => Err(self.unexpected(&Answer::StepDone(done))),
        }
    }

    /// Runs a kernel with the bytes of its parameters, to its end; what it printed, to the byte, stands beside.
    pub fn launch(
        &mut self,
        launch: JobLaunch,
        parameters: &[u8],
        cancel: &AtomicBool,
    ) -> Result<(RealRun, String), GpuError> {
        let (done, _) = self.step(ProgramStep::Launch(launch), parameters, cancel)?;
        match (done, &self.worker) {
            (StepDone::Launched(run), Some(worker)) => {
                let printed = printed::by_launch(worker.printed(), 1).concat();
                Ok((*run, printed))
            }
            (other, _) => Err(self.unexpected(&Answer::StepDone(other))),
        }
    }

    fn step(
        &mut self,
        step: ProgramStep,
        bytes: &[u8],
        cancel: &AtomicBool,
    ) -> Result<(StepDone, Vec<Vec<u8>>), GpuError> {
        match self.ask_with(&Request::Step(step), bytes, cancel, &mut |_| {})? {
            (Answer::StepDone(done), read) => Ok((done, read)),
            (other, _) => Err(self.unexpected(&other)),
        }
    }
}

/// What memory is asked for is short enough to wait for.
static NEVER: AtomicBool = AtomicBool::new(false);
