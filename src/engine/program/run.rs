//! A whole program: code of the host on its machine, kernels on the simulated GPU.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use super::device::{Keeps, ProgramLaunch, SimulatedDevice};
use super::real_device::RealDevice;
use super::real_job::RealProgram;
use crate::cuda::{FunctionId, Program};
use crate::device::gpu;
use crate::engine::options::{Control, Options, RunError};
use crate::gpu::Gpu;
use crate::host::{self, Device, Exit, Io, Machine, Runtime, RuntimeOptions, Setup, SharedRuntime};
use crate::launch::KernelSource;
use crate::simt::Checks;
use crate::source::{Diagnostic, SourceFile};

/// A program to run.
pub struct ProgramRun<'a> {
    /// Its text.
    pub file: &'a SourceFile,
    /// The macros that it was checked with.
    pub defines: &'a [(String, String)],
    /// What the checker made of it, without errors.
    pub program: &'a Program,
    /// Its name and its arguments.
    pub arguments: &'a [&'a str],
    /// What of its buffers each launch keeps.
    pub keeps: Keeps,
    /// How many jumps and calls code of the host has made, told now and then.
    pub operations: &'a AtomicU64,
}

/// What runs a program's kernels.
pub enum ProgramEngine<'a> {
    /// The simulated GPU.
    Simulated,
    /// A real one; the options name its row of the table of GPUs, or the one that its properties are taken from.
    Real(&'a mut Gpu),
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramOutcome {
    /// Its exit code, as a shell has it.
    pub code: i32,
    /// Whether somebody stopped it.
    pub is_cancelled: bool,
    /// Its launches, in the order in which they ran.
    pub launches: Vec<ProgramLaunch>,
    /// What is to be said of its host's code: why it could not go on, and errors that it never looked at.
    pub reports: Vec<Diagnostic>,
    /// Whether it asked how long launches took, which a model has answered.
    pub has_modelled_times: bool,
}

/// Runs a program to its end.
///
/// # Errors
/// That the options name no GPU, or what the program calls that is not known here.
pub fn run_program<'a>(
    run: &ProgramRun<'a>,
    engine: ProgramEngine<'a>,
    io: Box<dyn Io + 'a>,
    options: &'a Options,
    control: &'a Control<'a>,
) -> Result<Result<ProgramOutcome, Vec<Diagnostic>>, RunError> {
    let launches = Rc::new(RefCell::new(Vec::new()));
    let (check, schedule) = (options.checks != Checks::NONE, options.schedule);
    let gpu = gpu(&options.gpu)?;
    let asked = RuntimeOptions { schedule, check };
    let runtime = SharedRuntime::new(Runtime::new(run.program, gpu, asked));
    let loaded = match host::load(run.program, &runtime, &[]) {
        Ok(loaded) => loaded,
        Err(errors) => return Ok(Err(errors)),
    };
    let device: Box<dyn Device + 'a> = match engine {
        ProgramEngine::Simulated => {
            let device = SimulatedDevice::new(run.program, run.file, options, control)?;
            Box::new(device.keeping(launches.clone(), run.keeps))
        }
        ProgramEngine::Real(real) => {
            let of = real_program(run, &loaded.image.kernels);
            match RealDevice::new(&of, gpu, real, control) {
                Ok(device) => Box::new(device.keeping(launches.clone())),
                Err(errors) => return Ok(Err(errors)),
            }
        }
    };
    let setup = Setup {
        io,
        device,
        library: Box::new(runtime.clone()),
        cancel: control.cancel,
        progress: run.operations,
        check,
    };
    let exit = Machine::new(&loaded, setup).run(run.arguments);
    Ok(Ok(outcome(exit, &runtime.0.borrow(), launches.take())))
}

/// What of a program goes to a real GPU, with the kernels that it launches.
fn real_program<'a, 'k>(run: &ProgramRun<'a>, kernels: &'k [FunctionId]) -> RealProgram<'a, 'k> {
    RealProgram {
        program: run.program,
        source: KernelSource::new(run.file.clone(), run.defines.to_vec()),
        kernels,
    }
}

/// What came of a program that has ended so.
fn outcome(exit: Exit, runtime: &Runtime<'_>, launches: Vec<ProgramLaunch>) -> ProgramOutcome {
    let mut reports: Vec<_> = exit.fault.into_iter().chain(exit.warnings).collect();
    // Of a program that was stopped nobody knows what it would still have looked at or given back.
    if !exit.is_cancelled {
        reports.extend(runtime.reports(exit.code));
    }
    ProgramOutcome {
        code: exit.code,
        is_cancelled: exit.is_cancelled,
        launches,
        reports,
        has_modelled_times: runtime.has_modelled_times(),
    }
}
