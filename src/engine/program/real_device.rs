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
use crate::gpu::{self, GpuError, JobLaunch, LoadedProgram, RealRun};
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

    /// Makes a launch: what it took, and what it printed, or what kept it from its end.
    fn run(
        &self,
        launch: &KernelLaunch,
    ) -> Result<(RealRun, String), (DeviceFault, Box<Diagnostic>)> {
        if !self.kernels.contains_key(&launch.kernel) {
            let error = of_library(self.program, launch.kernel);
            return Err((DeviceFault::NotCompiled, Box::new(error)));
        }
        let of_job = JobLaunch {
            grid: launch.grid,
            block: launch.block,
            shared_bytes: u32::try_from(launch.shared_bytes).unwrap_or(u32::MAX),
            is_cooperative: launch.is_cooperative,
            ..kernel_of_job(self.program, launch.kernel)
        };
        let mut memory = self.memory.borrow_mut();
        let ran = memory.launch(of_job, &launch.arguments, self.control.cancel);
        ran.map_err(|error| {
            let fault = fault(&error);
            let error = diagnostic(error, launch.span).label("on the real GPU");
            (fault, Box::new(error))
        })
    }

    /// Keeps what is known of a launch.
    fn keep(
        &self,
        launch: &KernelLaunch,
        end: &LaunchEnd,
        report: Option<CompileReport>,
        error: Option<Diagnostic>,
    ) {
        let name = &self.program.functions[launch.kernel].name;
        let mut outcome = LaunchOutcome::blank(&plan_launch(name, launch));
        outcome.printed = end.printed.lines().map(str::to_owned).collect();
        outcome.real.compiled = report;
        self.launches.borrow_mut().push(ProgramLaunch {
            span: launch.span,
            outcome,
            reports: error.into_iter().collect(),
            duration: LaunchDuration::Measured(end.takes_ns),
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

impl Device for RealDevice<'_> {
    fn gpu(&self) -> &'static Gpu {
        self.row
    }

    fn allocate(&mut self, _: &str, size_bytes: u64) -> Option<u64> {
        self.memory.get_mut().allocate(size_bytes)
    }

    fn free(&mut self, address: u64) -> bool {
        self.memory.get_mut().free(address)
    }

    fn buffer_at(&self, address: u64) -> Option<(u64, u64)> {
        self.memory.borrow().buffer_at(address)
    }

    fn symbol(&self, variable: FileVariableId) -> Option<(u64, u64)> {
        let address = self.variables.get(variable).copied().flatten()?;
        self.memory.borrow().buffer_at(address)
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
        match self.run(launch) {
            Ok((run, printed)) => {
                let end = LaunchEnd {
                    fault: None,
                    printed,
                    // Events tell milliseconds.
                    takes_ns: (f64::from(run.ms) * 1e6) as u64,
                };
                self.keep(launch, &end, Some(run.report), None);
                end
            }
            Err((fault, error)) => {
                let end = LaunchEnd {
                    fault: Some(fault),
                    ..LaunchEnd::default()
                };
                self.keep(launch, &end, None, Some(*error));
                end
            }
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
