//! A job on the device: load, allocate, launch, read back, time.

use std::collections::BTreeMap;

use cudarc::driver::DriverError;
use cudarc::driver::sys::{CUfunction_attribute as Attribute, CUresult};

use super::compile;
use super::device::{Device, DeviceMemory, KernelParameters, LaunchShape, LoadedKernel};
use super::failures;
use super::load::{LoadedSource, OpenGpu, load_sources};
use super::tensor_map;
use super::timing::{self, Timed, Times};
use crate::device::{compute_capability, occupancy};
use crate::gpu::protocol::{
    Failure, Finished, FoundGpu, Job, JobLaunch, JobValue, Reporter, Stage, printed,
};
use crate::launch::CompileReport;

/// Runs `job`.
pub(crate) fn execute(job: &Job, on: &OpenGpu, report: &mut Reporter) -> Result<Finished, Failure> {
    let sources = load_sources(job, on, report)?;
    report.stage(Stage::Filling);
    set_variables(job, &sources)?;
    let buffers = allocate(job, &on.device)?;
    // Before the launches change them.
    let initial = copies(job, &on.device, &buffers)?;
    // All before the first runs: a launch that cannot be made must not leave half a result.
    let prepared = job.launches.iter().enumerate().map(|(index, launch)| {
        let source = &sources[&launch.source];
        let prepared = parameters(job, launch, &buffers)
            .and_then(|bytes| PreparedLaunch::new(launch, source, bytes, &on.gpu));
        prepared.map_err(|error| failures::of_launch(job, index, error, None))
    });
    let mut launches = prepared.collect::<Result<Vec<_>, _>>()?;
    run_launches(job, &on.device, &mut launches, report)?;
    // Before timing, which runs the plan again and again over the same buffers.
    read_back(job, &sources, &buffers, report).map_err(failures::of_driver)?;
    let mut repeated = RepeatedPlan {
        device: &on.device,
        buffers,
        initial,
        launches,
        report,
    };
    let times = repeated.time(job, on.gpu.l2_bytes)?;
    // On this very GPU: what a copy reaches is a fairer yardstick than the data sheet's peak.
    let copy = job.timing.map(|_| timing::copy_bytes_per_s(&on.device));
    let copy = copy.transpose().map_err(failures::of_driver)?;
    let reports = repeated.launches.into_iter().map(|launch| launch.report);
    Ok(Finished {
        gpu: on.gpu.clone(),
        reports: reports.collect(),
        addresses: repeated.buffers.iter().map(|b| b.address).collect(),
        launch_ms: times.launch_ms,
        plan_ms: times.plan_ms,
        graph_ms: times.graph_ms,
        copy_bytes_per_s: copy.flatten(),
    })
}

/// The bytes that the job's buffers take.
fn buffer_bytes(job: &Job) -> usize {
    job.buffers.iter().map(|buffer| buffer.size_bytes()).sum()
}

/// The job's buffers, filled; refused before anything is allocated if there is no room.
fn allocate(job: &Job, device: &Device) -> Result<Vec<DeviceMemory>, Failure> {
    let wanted = buffer_bytes(job);
    if !device.has_room(wanted).map_err(failures::of_driver)? {
        let no_room = device.no_room(wanted).map_err(failures::of_driver)?;
        return Err(failures::of_memory(&no_room));
    }
    let filled = job.buffers.iter().map(|spec| {
        let values = spec.fill();
        let values = values.map_err(|error| failures::of_buffer(&spec.name, &error))?;
        device.filled(&values.bytes).map_err(failures::of_driver)
    });
    let buffers = filled.collect::<Result<_, _>>()?;
    device.wait_for_copies().map_err(failures::of_driver)?;
    Ok(buffers)
}

/// Gives variables at file scope what the job says; [`allocate`] waits for the copies.
fn set_variables(job: &Job, sources: &BTreeMap<usize, LoadedSource>) -> Result<(), Failure> {
    for (index, source) in job.sources.iter().enumerate() {
        let Some(loaded) = sources.get(&index) else {
            continue;
        };
        for spec in &source.set {
            let values = spec.fill();
            let values = values.map_err(|error| failures::of_buffer(&spec.name, &error))?;
            let name = loaded.linked_name(&spec.name);
            let set = loaded.module.set_symbol(name, &values.bytes);
            set.map_err(failures::of_driver)?;
        }
    }
    Ok(())
}

/// Copies of the buffers as they begin, for a job that is timed; none where they do not fit twice.
fn copies(
    job: &Job,
    device: &Device,
    buffers: &[DeviceMemory],
) -> Result<Vec<DeviceMemory>, Failure> {
    let copy = |buffer: &DeviceMemory| {
        let copy = DeviceMemory::new(device, buffer.size_bytes)?;
        copy.copy_from(buffer, device)?;
        Ok(copy)
    };
    let wanted = buffer_bytes(job).saturating_mul(2);
    let fits = device.has_room(wanted).map_err(failures::of_driver)?;
    let copied = buffers.iter().filter(|_| fits && job.timing.is_some());
    let copied: Result<_, DriverError> = copied.map(copy).collect();
    copied.map_err(failures::of_driver)
}

/// Runs each launch once, for its result.
fn run_launches(
    job: &Job,
    device: &Device,
    launches: &mut [PreparedLaunch],
    report: &mut Reporter,
) -> Result<(), Failure> {
    // What was printed is cut at marks: the driver gives one stream of text for all launches.
    printed::mark(None);
    for (index, launch) in launches.iter_mut().enumerate() {
        report.stage(Stage::Running(index));
        // A fault is told by the wait, not by the launch, which only queues the kernel.
        let ran = launch.launch(device).and_then(|()| device.wait());
        printed::mark(Some(index));
        ran.map_err(|error| failures::of_launch(job, index, error, Some(&launch.report)))?;
    }
    Ok(())
}

fn read_back(
    job: &Job,
    sources: &BTreeMap<usize, LoadedSource>,
    buffers: &[DeviceMemory],
    report: &mut Reporter,
) -> Result<(), DriverError> {
    for memory in buffers {
        report.buffer(&memory.read()?);
    }
    for (index, source) in job.sources.iter().enumerate() {
        for symbol in &source.symbols {
            if let Some(loaded) = sources.get(&index) {
                let name = loaded.linked_name(&symbol.name);
                report.buffer(&loaded.module.symbol(name, symbol.size_bytes)?);
            }
        }
    }
    Ok(())
}

/// A launch that is ready.
pub(crate) struct PreparedLaunch {
    kernel: LoadedKernel,
    shape: LaunchShape,
    parameters: KernelParameters,
    pub report: CompileReport,
}

impl PreparedLaunch {
    pub fn new(
        launch: &JobLaunch,
        source: &LoadedSource,
        parameters: KernelParameters,
        gpu: &FoundGpu,
    ) -> Result<Self, DriverError> {
        let name = source.names.get(&launch.kernel);
        let name = name.ok_or(DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
        let kernel = source.module.kernel(name)?;
        if launch.shared_bytes > 0 {
            // Above 48 KB a kernel must opt in (`cuFuncSetAttribute`; Programming Guide, shared memory).
            kernel.allow_shared(launch.shared_bytes)?;
        }
        Ok(PreparedLaunch {
            kernel,
            shape: LaunchShape {
                grid: launch.grid,
                block: launch.block,
                shared_bytes: launch.shared_bytes,
                is_cooperative: launch.is_cooperative,
            },
            parameters,
            report: compile_report(launch, kernel, gpu, source, name)?,
        })
    }

    pub fn launch(&mut self, device: &Device) -> Result<(), DriverError> {
        self.kernel.launch(device, self.shape, &mut self.parameters)
    }
}

/// What the compiler made of a launch's kernel, and how many of its blocks an SM holds.
fn compile_report(
    launch: &JobLaunch,
    kernel: LoadedKernel,
    gpu: &FoundGpu,
    source: &LoadedSource,
    linked_name: &str,
) -> Result<CompileReport, DriverError> {
    let threads = launch.block.iter().product();
    let registers = kernel.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
    let static_shared_bytes = kernel.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
    let shared_bytes = static_shared_bytes + launch.shared_bytes;
    // The driver says how many blocks fit, but not why: the limiting factors are those of our table.
    let limits = compute_capability(&gpu.compute_capability);
    let occupied = limits.map(|cc| occupancy(cc, threads, registers, shared_bytes));
    let limited_by = occupied.iter().flat_map(|o| &o.limiting_factors);
    Ok(CompileReport {
        compiled_by: source.compiled_by.clone(),
        registers,
        static_shared_bytes,
        local_bytes: kernel.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        constant_bytes: kernel.attribute(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        max_threads: kernel.attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        blocks_per_sm: kernel.blocks_per_sm(threads, launch.shared_bytes)?,
        limited_by: limited_by.map(|limit| limit.name().to_owned()).collect(),
        occupancy: occupied.map(|occupied| occupied.fraction),
        ptx: compile::ptx_of_kernel(&source.ptx, linked_name),
    })
}

/// The bytes of all parameters, as the kernel finds them. `(float* x, int n)` is 12 bytes: the address of
/// `x` at 0, `n` at 8.
fn parameters(
    job: &Job,
    launch: &JobLaunch,
    buffers: &[DeviceMemory],
) -> Result<KernelParameters, DriverError> {
    let arguments = || launch.arguments.iter();
    let ends = arguments().map(|argument| argument.offset_bytes + argument.size_bytes);
    let mut bytes = vec![0; ends.max().unwrap_or_default() as usize];
    for argument in arguments() {
        let (at, size) = (argument.offset_bytes as usize, argument.size_bytes as usize);
        let to = &mut bytes[at..at + size];
        match argument.value {
            JobValue::Bits(bits) => to.copy_from_slice(&bits.to_le_bytes()[..size]),
            JobValue::Buffer(buffer) => {
                to.copy_from_slice(&buffers[buffer].address.to_le_bytes()[..size]);
            }
            JobValue::TensorMap(map) => {
                let element = job.buffers[map.buffer].element;
                let address = buffers[map.buffer].address;
                to.copy_from_slice(&tensor_map::encoded(map, element, address)?);
            }
        }
    }
    let mut values = arguments().map(|argument| &argument.value);
    let starts = match values.any(|value| matches!(value, JobValue::TensorMap(_))) {
        true => arguments()
            .map(|argument| argument.offset_bytes as usize)
            .collect(),
        false => Vec::new(),
    };
    Ok(KernelParameters { bytes, starts })
}

/// The plan, to be run again and again over the same buffers.
struct RepeatedPlan<'a, 'b> {
    device: &'a Device,
    buffers: Vec<DeviceMemory>,
    /// What the buffers begin with, on the device. Where they do not fit twice it is empty, and they are
    /// timed as they are left.
    initial: Vec<DeviceMemory>,
    launches: Vec<PreparedLaunch>,
    report: &'a mut Reporter<'b>,
}

impl RepeatedPlan<'_, '_> {
    fn time(&mut self, job: &Job, l2_bytes: u64) -> Result<Times, Failure> {
        let Some(choice) = job.timing else {
            return Ok(Times::default());
        };
        let times = timing::time(self.device, choice, l2_bytes, self);
        times.map_err(|error| failures::of_launch(job, job.launches.len() - 1, error, None))
    }
}

impl Timed for RepeatedPlan<'_, '_> {
    fn restore(&self) -> Result<(), DriverError> {
        let mut pairs = self.buffers.iter().zip(&self.initial);
        pairs.try_for_each(|(buffer, initial)| buffer.copy_from(initial, self.device))
    }

    fn launch(&mut self, index: usize) -> Result<(), DriverError> {
        self.launches[index].launch(self.device)
    }

    fn launches(&self) -> usize {
        self.launches.len()
    }

    fn after_run(&mut self, runs: u32) {
        self.report.stage(Stage::Timing(runs));
    }
}
