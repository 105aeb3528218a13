//! A job on the device: load, allocate, launch, read back, time.

use std::collections::BTreeMap;

use cudarc::driver::DriverError;
use cudarc::driver::sys::{CUfunction_attribute as Attribute, CUresult};

use super::compile;
use super::device::{Device, Function, Memory, RESERVE_BYTES};
use super::failures;
use super::load::{self, Loaded};
use super::nvrtc::Nvrtc;
use super::timing;
use super::timing::{Timed, Times};
use crate::device::{compute_capability, occupancy};
use crate::gpu::protocol::Unavailable;
use crate::gpu::protocol::printed;
use crate::gpu::protocol::{
    Answer, Failure, Finished, FoundGpu, Job, JobLaunch, JobValue, Stage, Tell,
};
use crate::launch::CompileReport;

/// Runs `job`.
pub(crate) fn execute(
    job: &Job,
    device: &Device,
    gpu: &FoundGpu,
    nvrtc: &Result<Nvrtc, Unavailable>,
    tell: Tell,
) -> Result<Finished, Failure> {
    let modules = load::sources(job, (device, gpu), nvrtc, tell)?;
    tell(Answer::Stage(Stage::Filling), Vec::new());
    let buffers = allocate(job, device)?;
    let initial = initial(job, device, &buffers)?;
    let mut launches = Vec::new();
    for (index, launch) in job.launches.iter().enumerate() {
        let prepared = prepare(launch, &modules[&launch.source], &buffers, gpu);
        launches.push(prepared.map_err(|error| failures::of_launch(job, index, error, None))?);
    }
    printed::mark(None);
    for (index, launch) in launches.iter_mut().enumerate() {
        tell(Answer::Stage(Stage::Running(index)), Vec::new());
        let ran = launch.launch(device).and_then(|()| device.wait());
        printed::mark(Some(index));
        ran.map_err(|error| failures::of_launch(job, index, error, Some(&launch.report)))?;
    }
    read_back(job, &modules, &buffers, tell).map_err(failures::of_driver)?;
    let times = measure(
        (job, device, gpu),
        (&buffers, &initial),
        &mut launches,
        tell,
    )?;
    let copy = job.timing.map(|_| timing::copy_bytes_per_s(device));
    let copy = copy.transpose().map_err(failures::of_driver)?;
    Ok(Finished {
        gpu: gpu.clone(),
        reports: launches.into_iter().map(|launch| launch.report).collect(),
        addresses: buffers.iter().map(|buffer| buffer.address).collect(),
        launch_ms: times.launch_ms,
        plan_ms: times.plan_ms,
        copy_bytes_per_s: copy.flatten(),
    })
}

/// The job's buffers, filled; refused before anything is allocated if there is no room.
fn allocate(job: &Job, device: &Device) -> Result<Vec<Memory>, Failure> {
    let wanted: usize = job.buffers.iter().map(|buffer| buffer.size_bytes()).sum();
    let free = device.free_bytes().map_err(failures::of_driver)?;
    if wanted.saturating_add(RESERVE_BYTES) > free {
        return Err(failures::of_memory(wanted, free));
    }
    let filled = job.buffers.iter().map(|spec| {
        let values = spec.fill();
        let values = values.map_err(|error| failures::of_buffer(&spec.name, &error))?;
        let memory = Memory::new(device, spec.size_bytes()).map_err(failures::of_driver)?;
        memory.write(&values.bytes).map_err(failures::of_driver)?;
        Ok(memory)
    });
    let buffers = filled.collect::<Result<_, _>>()?;
    // A copy from the host may still be under way when it returns, and launches do not wait for it.
    device.context.synchronize().map_err(failures::of_driver)?;
    Ok(buffers)
}

/// A launch that is ready.
struct Prepared {
    function: Function,
    shape: ([u32; 3], [u32; 3]),
    shared_bytes: u32,
    parameters: Vec<u8>,
    report: CompileReport,
}

fn prepare(
    launch: &JobLaunch,
    loaded: &Loaded,
    buffers: &[Memory],
    gpu: &FoundGpu,
) -> Result<Prepared, DriverError> {
    let name = loaded.names.get(&launch.kernel);
    let name = name.ok_or(DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
    let function = loaded.module.function(name)?;
    if launch.shared_bytes > 0 {
        function.allow_shared(launch.shared_bytes)?;
    }
    Ok(Prepared {
        function,
        shape: (launch.grid, launch.block),
        shared_bytes: launch.shared_bytes,
        parameters: parameters(launch, buffers),
        report: report(launch, function, gpu, (loaded, name))?,
    })
}

/// What the compiler made of a launch's kernel, and how many of its blocks an SM holds.
fn report(
    launch: &JobLaunch,
    function: Function,
    gpu: &FoundGpu,
    (loaded, name): (&Loaded, &str),
) -> Result<CompileReport, DriverError> {
    let threads = launch.block.iter().product();
    let registers = function.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
    let static_shared_bytes = function.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
    let shared_bytes = static_shared_bytes + launch.shared_bytes;
    let limits = compute_capability(&gpu.compute_capability);
    let occupied = limits.map(|cc| occupancy(cc, threads, registers, shared_bytes));
    let limited_by = occupied.iter().flat_map(|o| &o.limiting_factors);
    Ok(CompileReport {
        compiled_by: loaded.compiled_by.clone(),
        registers,
        static_shared_bytes,
        local_bytes: function.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        constant_bytes: function.attribute(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        max_threads: function.attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        blocks_per_sm: function.blocks_per_sm(threads, launch.shared_bytes)?,
        limited_by: limited_by.map(|limit| limit.name().to_owned()).collect(),
        occupancy: occupied.map(|occupied| occupied.fraction),
        ptx: compile::of_kernel(&loaded.ptx, name),
    })
}

/// The bytes of all parameters, as the kernel finds them.
fn parameters(launch: &JobLaunch, buffers: &[Memory]) -> Vec<u8> {
    let ends = launch
        .arguments
        .iter()
        .map(|a| a.offset_bytes + a.size_bytes);
    let mut bytes = vec![0; ends.max().unwrap_or_default() as usize];
    for argument in &launch.arguments {
        let bits = match argument.value {
            JobValue::Bits(bits) => bits,
            JobValue::Buffer(buffer) => buffers[buffer].address,
        };
        let (at, size) = (argument.offset_bytes as usize, argument.size_bytes as usize);
        bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    bytes
}

impl Prepared {
    fn launch(&mut self, device: &Device) -> Result<(), DriverError> {
        let (function, shape) = (self.function, self.shape);
        function.launch(device, shape, self.shared_bytes, &mut self.parameters)
    }
}

fn read_back(
    job: &Job,
    modules: &BTreeMap<usize, Loaded>,
    buffers: &[Memory],
    tell: Tell,
) -> Result<(), DriverError> {
    for memory in buffers {
        tell(Answer::Buffer, memory.read()?);
    }
    for (index, source) in job.sources.iter().enumerate() {
        for symbol in &source.symbols {
            if let Some(loaded) = modules.get(&index) {
                let bytes = loaded.module.symbol(&symbol.name, symbol.size_bytes)?;
                tell(Answer::Buffer, bytes);
            }
        }
    }
    Ok(())
}

/// The plan, to be run again and again over the same buffers.
struct Repeated<'a, 'b> {
    device: &'a Device,
    buffers: &'a [Memory],
    /// What the buffers begin with, on the device.
    initial: &'a [Memory],
    launches: &'a mut [Prepared],
    tell: Tell<'b>,
}

impl Timed for Repeated<'_, '_> {
    fn restore(&self) -> Result<(), DriverError> {
        let pairs = self.buffers.iter().zip(self.initial);
        for (buffer, initial) in pairs {
            buffer.copy_from(initial, self.device)?;
        }
        Ok(())
    }

    fn launch(&mut self, index: usize) -> Result<(), DriverError> {
        self.launches[index].launch(self.device)
    }

    fn launches(&self) -> usize {
        self.launches.len()
    }

    fn told(&mut self, runs: u32) {
        (self.tell)(Answer::Stage(Stage::Timing(runs)), Vec::new());
    }
}

/// Where the buffers do not fit twice, they are timed as they are left.
fn measure(
    (job, device, gpu): (&Job, &Device, &FoundGpu),
    (buffers, initial): (&[Memory], &[Memory]),
    launches: &mut [Prepared],
    tell: Tell,
) -> Result<Times, Failure> {
    let Some(choice) = job.timing else {
        return Ok(Times::default());
    };
    let mut timed = Repeated {
        device,
        buffers,
        initial,
        launches,
        tell,
    };
    let times = timing::time(device, choice, gpu.l2_bytes, &mut timed);
    times.map_err(|error| failures::of_launch(job, job.launches.len() - 1, error, None))
}

/// Copies of the buffers as they begin, for a job that is timed and where there is room for them.
fn initial(job: &Job, device: &Device, buffers: &[Memory]) -> Result<Vec<Memory>, Failure> {
    let copy = |buffer: &Memory| {
        let copy = Memory::new(device, buffer.size_bytes)?;
        copy.copy_from(buffer, device)?;
        Ok(copy)
    };
    let wanted: usize = job.buffers.iter().map(|buffer| buffer.size_bytes()).sum();
    let wanted = wanted.saturating_mul(2).saturating_add(RESERVE_BYTES);
    let fits = wanted <= device.free_bytes().map_err(failures::of_driver)?;
    let copied = buffers.iter().filter(|_| fits && job.timing.is_some());
    let copied: Result<_, DriverError> = copied.map(copy).collect();
    copied.map_err(failures::of_driver)
}
