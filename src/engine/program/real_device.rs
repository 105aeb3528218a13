//! A real GPU under a whole program, whose host code runs here.
//!
//! Memory is allocated there, and addresses are the real ones, so that pointers may stand in memory and in structs. What
//! code of the host reads or writes byte by byte (managed memory) goes through a copy of the buffer: fetched whole at the
//! first read behind a launch, sent whole before the next launch if it was written.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::device::{LaunchDuration, ProgramLaunch, plan_launch};
use super::real_job::{RealProgram, is_on_gpu, job, kernel_of_job};
use super::real_memory::RealMemory;
use crate::cuda::{FileVariableId, FunctionId, Program};
use crate::device::Gpu;
use crate::engine::options::Control;
use crate::engine::real::failure_diagnostic;
use crate::gpu::{self, GpuError, JobLaunch, LoadedProgram};
use crate::host::{Device, DeviceFault, KernelFacts, KernelLaunch, LaunchEnd};
use crate::launch::{CompileReport, LaunchOutcome};
use crate::source::{Diagnostic, Span};

/// A real GPU for one run of a program.
pub(super) struct RealDevice<'a> {
    row: &'static Gpu,
    memory: RefCell<RealMemory<'a>>,
    program: &'a Program,
    control: &'a Control<'a>,
    /// What the compiler made of each kernel that is loaded.
    kernels: BTreeMap<FunctionId, CompileReport>,
    /// By variable of the program: where it lies, if on the GPU.
    variables: Vec<Option<u64>>,
    launches: Rc<RefCell<Vec<ProgramLaunch>>>,
}

impl<'a> RealDevice<'a> {
    /// The same, whose launches go there.
    pub fn keeping(mut self, launches: Rc<RefCell<Vec<ProgramLaunch>>>) -> Self {
        self.launches = launches;
        self
    }

    /// A GPU with the program's kernels and variables, described by this row of the table of GPUs.
    ///
    /// # Errors
    /// What the compilers do not take, or what keeps the GPU from running.
    pub fn new(
        of: &RealProgram<'a, '_>,
        row: &'static Gpu,
        gpu: &'a mut gpu::Gpu,
        control: &'a Control<'a>,
    ) -> Result<Self, Vec<Diagnostic>> {
        // Kernels of our headers stand for those of NVIDIA's libraries.
        let is_own = |id: &&FunctionId| !of.program.functions[**id].is_library;
        let kernels: Vec<FunctionId> = of.kernels.iter().filter(is_own).copied().collect();
        let job = job(of, &kernels, control)?;
        let loaded = gpu.load_program(&job, control.cancel);
        let loaded = loaded.map_err(|error| vec![diagnostic(error, Span::default())])?;
        let mut memory = RealMemory::new(gpu);
        Ok(RealDevice {
            row,
            program: of.program,
            control,
            variables: place_variables(of.program, &loaded, &mut memory),
            memory: RefCell::new(memory),
            kernels: kernels.into_iter().zip(loaded.kernels).collect(),
            launches: Rc::default(),
        })
    }

    /// Makes a launch of a kernel that is loaded.
    fn run(&self, launch: &KernelLaunch) -> Result<(gpu::RealRun, String), GpuError> {
        let mut memory = self.memory.borrow_mut();
        memory.send_written()?;
        let of_job = JobLaunch {
            grid: launch.grid,
            block: launch.block,
            shared_bytes: u32::try_from(launch.shared_bytes).unwrap_or(u32::MAX),
            is_cooperative: launch.is_cooperative,
            ..kernel_of_job(self.program, launch.kernel)
        };
        let ran = memory
            .gpu
            .launch(of_job, &launch.arguments, self.control.cancel);
        memory.is_lost |= ran.is_err();
        // Any buffer may have been written: which ones, nobody tells.
        memory.forget();
        ran
    }

    /// Keeps what is known of a launch.
    fn keep(&self, launch: &KernelLaunch, made: Made) {
        let name = &self.program.functions[launch.kernel].name;
        let mut outcome = LaunchOutcome::blank(&plan_launch(name, launch));
        outcome.printed = made.printed.lines().map(str::to_owned).collect();
        outcome.real.compiled = made.report;
        self.launches.borrow_mut().push(ProgramLaunch {
            span: launch.span,
            outcome,
            reports: made.error.into_iter().collect(),
            duration: LaunchDuration::Measured(made.ns),
            buffers: Vec::new(),
            inputs: None,
        });
    }
}

/// Where each variable of a program lies, if on the GPU.
fn place_variables(
    program: &Program,
    loaded: &LoadedProgram,
    memory: &mut RealMemory,
) -> Vec<Option<u64>> {
    let mut places = loaded.variables.iter();
    let place = |variable| {
        let &(address, size_bytes) = is_on_gpu(variable).then(|| places.next())??;
        memory.place_variable(address, size_bytes);
        Some(address)
    };
    program.variables.iter().map(place).collect()
}

/// What came of a launch.
#[derive(Default)]
struct Made {
    ns: u64,
    report: Option<CompileReport>,
    printed: String,
    error: Option<Diagnostic>,
}

impl Device for RealDevice<'_> {
    fn gpu(&self) -> &'static Gpu {
        self.row
    }

    fn allocate(&mut self, _: &str, size_bytes: u64) -> Option<u64> {
        self.memory.get_mut().allocate(size_bytes)
    }

    fn free(&mut self, address: u64) -> bool {
        let memory = self.memory.get_mut();
        let found = memory.buffers.get(&address);
        if found.is_none_or(|buffer| buffer.is_variable) || memory.is_lost {
            return false;
        }
        memory.buffers.remove(&address);
        let freed = memory.gpu.free(address);
        memory.asked(freed).is_some()
    }

    fn buffer_at(&self, address: u64) -> Option<(u64, u64)> {
        let memory = self.memory.borrow();
        let (&first, buffer) = memory.buffers.range(..=address).next_back()?;
        (address <= first + buffer.size_bytes).then_some((first, buffer.size_bytes))
    }

    fn symbol(&self, variable: FileVariableId) -> Option<(u64, u64)> {
        let address = self.variables.get(variable).copied().flatten()?;
        let memory = self.memory.borrow();
        Some((address, memory.buffers.get(&address)?.size_bytes))
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.borrow_mut().read(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.get_mut().write(address, bytes)
    }

    fn kernel(&mut self, kernel: FunctionId) -> Result<KernelFacts, Box<Diagnostic>> {
        let report = self.kernels.get(&kernel);
        let report = report.ok_or_else(|| Box::new(of_library(self.program, kernel)))?;
        Ok(KernelFacts {
            static_shared_bytes: report.static_shared_bytes,
            local_bytes: report.local_bytes,
            registers: report.registers,
            max_threads: Some(report.max_threads),
        })
    }

    fn launch(&mut self, launch: &KernelLaunch) -> LaunchEnd {
        let (made, fault) = match self.kernels.contains_key(&launch.kernel) {
            true => made(self.run(launch), launch.span),
            false => {
                let error = Some(of_library(self.program, launch.kernel));
                let made = Made {
                    error,
                    ..Made::default()
                };
                (made, Some(DeviceFault::NotCompiled))
            }
        };
        let end = LaunchEnd {
            fault,
            printed: made.printed.clone(),
            takes_ns: made.ns,
        };
        self.keep(launch, made);
        end
    }
}

/// What came of a launch, and what kept it from its end.
fn made(ran: Result<(gpu::RealRun, String), GpuError>, span: Span) -> (Made, Option<DeviceFault>) {
    match ran {
        Ok((run, printed)) => {
            let made = Made {
                // Events tell milliseconds.
                ns: (f64::from(run.ms) * 1e6) as u64,
                report: Some(run.report),
                printed,
                error: None,
            };
            (made, None)
        }
        Err(error) => {
            let fault = fault(&error);
            let error = Some(diagnostic(error, span).label("on the real GPU"));
            let made = Made {
                error,
                ..Made::default()
            };
            (made, Some(fault))
        }
    }
}

/// What a launch's error is to the program, by the numbers of `CUresult` in cuda.h.
fn fault(error: &GpuError) -> DeviceFault {
    let GpuError::Failed(failure) = error else {
        return DeviceFault::Cancelled;
    };
    match failure.driver_error {
        Some(700) => DeviceFault::IllegalAddress,
        Some(710) => DeviceFault::Assert,
        Some(716) => DeviceFault::MisalignedAddress,
        Some(_) => DeviceFault::Other,
        // Only a worker that is stopped says nothing of the driver's.
        None => DeviceFault::TooLong,
    }
}

fn diagnostic(error: GpuError, span: Span) -> Diagnostic {
    match error {
        GpuError::Failed(failure) => failure_diagnostic(failure, span),
        GpuError::Unavailable(why) => Diagnostic::error(span, why.to_string()).help(why.help()),
        GpuError::Cancelled => Diagnostic::error(span, "stopped"),
    }
}

/// A kernel of our own that stands for one of NVIDIA's libraries.
fn of_library(program: &Program, kernel: FunctionId) -> Diagnostic {
    let function = &program.functions[kernel];
    let message = "kernels of Thrust, CUB and curand run on the simulated GPU only";
    let error = Diagnostic::error(function.span, message);
    error.help("leave `--engine gpu` out")
}
