//! A whole program's kernels and memory on the device, one request after the other.

use std::collections::BTreeMap;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::device::{Device, DeviceMemory, KernelParameters, write};
use super::execute::PreparedLaunch;
use super::failures;
use super::load::{LoadedSource, OpenGpu, load_sources};
use super::timing;
use crate::gpu::protocol::{
    Failure, Job, JobLaunch, LoadedProgram, ProgramStep, RealRun, Reporter, Stage, StepDone,
    printed,
};

/// A program that is loaded.
pub(crate) struct OpenProgram {
    /// Its kernels; nothing for a program that launches none.
    source: Option<LoadedSource>,
    /// What it has allocated, by address.
    memory: BTreeMap<u64, DeviceMemory>,
}

impl OpenProgram {
    /// Loads the kernels of a program's job.
    pub fn load(
        job: &Job,
        on: &OpenGpu,
        report: &mut Reporter,
    ) -> Result<(Self, LoadedProgram), Failure> {
        let mut sources = load_sources(job, on, report)?;
        let program = OpenProgram {
            source: sources.remove(&0),
            memory: BTreeMap::new(),
        };
        let compiled = |launch| {
            let ready = program.prepared(launch, KernelParameters::default(), on)?;
            Ok(ready.report)
        };
        let kernels: Result<_, _> = job.launches.iter().map(compiled).collect();
        let symbols = job.sources.iter().flat_map(|source| &source.symbols);
        let place = |name: &str| {
            let source = program.source.as_ref().ok_or_else(not_found)?;
            source.module.global(source.linked_name(name))
        };
        let variables: Result<_, _> = symbols.map(|symbol| place(&symbol.name)).collect();
        let loaded = LoadedProgram {
            kernels: kernels.map_err(failures::of_driver)?,
            variables: variables.map_err(failures::of_driver)?,
        };
        Ok((program, loaded))
    }

    fn prepared(
        &self,
        launch: &JobLaunch,
        parameters: KernelParameters,
        on: &OpenGpu,
    ) -> Result<PreparedLaunch, DriverError> {
        let source = self.source.as_ref().ok_or_else(not_found)?;
        PreparedLaunch::new(launch, source, parameters, &on.gpu)
    }

    /// Does a step; `bytes` came with it.
    pub fn step(
        &mut self,
        step: &ProgramStep,
        bytes: Vec<u8>,
        on: &OpenGpu,
        report: &mut Reporter,
    ) -> Result<StepDone, Failure> {
        if let ProgramStep::Launch(launch) = step {
            return self.launch(launch, bytes, on, report);
        }
        self.use_memory(step, &bytes, &on.device, report)
            .map_err(failures::of_driver)
    }

    fn use_memory(
        &mut self,
        step: &ProgramStep,
        bytes: &[u8],
        device: &Device,
        report: &mut Reporter,
    ) -> Result<StepDone, DriverError> {
        match *step {
            ProgramStep::Allocate(size_bytes) => {
                return self.allocate(size_bytes, device).map(StepDone::Allocated);
            }
            ProgramStep::Free(address) => drop(self.memory.remove(&address)),
            ProgramStep::Write(address) => {
                write(address, bytes)?;
                device.wait_for_copies()?;
            }
            ProgramStep::Read {
                address,
                size_bytes,
            } => report.buffer(&super::device::read(address, size_bytes as usize)?),
            ProgramStep::Launch(_) => {}
        }
        Ok(StepDone::Done)
    }

    /// New memory, all zero; nothing where there is no room for it.
    fn allocate(&mut self, size_bytes: u64, device: &Device) -> Result<Option<u64>, DriverError> {
        let size_bytes = size_bytes as usize;
        if !device.has_room(size_bytes)? {
            return Ok(None);
        }
        let memory = DeviceMemory::new(device, size_bytes)?;
        memory.fill(0, device)?;
        device.wait_for_copies()?;
        let address = memory.address;
        self.memory.insert(address, memory);
        Ok(Some(address))
    }

    fn launch(
        &mut self,
        launch: &JobLaunch,
        bytes: Vec<u8>,
        on: &OpenGpu,
        report: &mut Reporter,
    ) -> Result<StepDone, Failure> {
        let parameters = KernelParameters {
            bytes,
            starts: Vec::new(),
        };
        let prepared = self.prepared(launch, parameters, on);
        let failed = |error| failures::of_kernel(launch, error, None);
        let mut prepared = prepared.map_err(failed)?;
        printed::mark(None);
        report.stage(Stage::Running(0));
        let ms = timing::once(&on.device, || prepared.launch(&on.device));
        printed::mark(Some(0));
        let compiled = prepared.report;
        match ms {
            Ok(ms) => Ok(StepDone::Launched(Box::new(RealRun {
                ms,
                report: compiled,
            }))),
            Err(error) => Err(failures::of_kernel(launch, error, Some(&compiled))),
        }
    }
}

fn not_found() -> DriverError {
    DriverError(CUresult::CUDA_ERROR_NOT_FOUND)
}
