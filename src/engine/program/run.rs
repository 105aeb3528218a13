//! A whole program: code of the host on its machine, kernels on the simulated GPU.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use super::device::{Keeps, ProgramLaunch, SimulatedDevice};
use crate::cuda::Program;
use crate::device::gpu;
use crate::engine::options::{Control, Options, RunError};
use crate::host::{self, Exit, Io, Machine, Runtime, RuntimeOptions, Setup, SharedRuntime};
use crate::simt::Checks;
use crate::source::{Diagnostic, SourceFile};

/// A program to run.
pub struct ProgramRun<'a> {
    /// Its text.
    pub file: &'a SourceFile,
    /// What the checker made of it, without errors.
    pub program: &'a Program,
    /// Its name and its arguments.
    pub arguments: &'a [&'a str],
    /// What of its buffers each launch keeps.
    pub keeps: Keeps,
    /// How many jumps and calls code of the host has made, told now and then.
    pub operations: &'a AtomicU64,
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
    io: Box<dyn Io + 'a>,
    options: &'a Options,
    control: &'a Control<'a>,
) -> Result<Result<ProgramOutcome, Vec<Diagnostic>>, RunError> {
    let launches = Rc::new(RefCell::new(Vec::new()));
    let device = SimulatedDevice::new(run.program, run.file, options, control)?;
    let device = device.keeping(launches.clone(), run.keeps);
    let check = options.checks != Checks::NONE;
    let schedule = options.schedule;
    let gpu = gpu(&options.gpu)?;
    let runtime = SharedRuntime::new(Runtime::new(
        run.program,
        gpu,
        RuntimeOptions { schedule, check },
    ));
    let loaded = match host::load(run.program, &runtime, &[]) {
        Ok(loaded) => loaded,
        Err(errors) => return Ok(Err(errors)),
    };
    let setup = Setup {
        io,
        device: Box::new(device),
        library: Box::new(runtime.clone()),
        cancel: control.cancel,
        progress: run.operations,
        check,
    };
    let exit = Machine::new(&loaded, setup).run(run.arguments);
    let runtime = runtime.0.borrow();
    Ok(Ok(outcome(exit, &runtime, launches.take())))
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
