//! `tutor run kernel` with a kernel in Python.

use super::data::{Data, Variables};
use super::kernel::{Done, KernelArguments, buffers, check_size, read, run, run_cuda_kernel};
use crate::cli::output::{Output, Stop};
use crate::launch::{KernelSource, Launch, Plan, TileOptions};
use crate::source::SourceFile;
use crate::triton::{USUAL_WARPS, is_python, kernel_parameters, kernels};

/// Most warps of a block.
const MAX_WARPS: u32 = 32;

/// Runs a kernel, of whichever language, and prints what it did.
pub(crate) fn run_kernel(arguments: &KernelArguments, output: &Output) -> Result<bool, Stop> {
    match arguments.file.to_str().is_some_and(is_python) {
        true => run_triton(arguments, output),
        false => run_cuda_kernel(arguments, output),
    }
}

fn run_triton(arguments: &KernelArguments, output: &Output) -> Result<bool, Stop> {
    let file = read(arguments)?;
    let plan = plan(arguments, &file, output)?;
    check_size(&plan.buffers)?;
    if let Some((name, _)) = arguments.data.symbols.first() {
        return Err(Stop::Usage(format!(
            "--symbol {name}: a Triton kernel has no variables of its file; --meta NAME=VALUE sets a constexpr"
        )));
    }
    let data = Data::new(&arguments.data, Variables::default(), &plan.buffers)?;
    let outcome = run(arguments, &plan, output)?;
    let tiles = outcome
        .launches
        .first()
        .and_then(|launch| launch.tiles.clone());
    let done = Done {
        plan,
        outcome,
        data: Some(data),
        unreached: tiles.as_ref().map_or(&[], |tiles| &tiles.unreached),
        // Tracing binds arguments, too: what it refuses it has said at the place.
        has_compiled: tiles.is_some(),
    };
    done.conclude(arguments, output)
}

/// Warps of a block.
fn warps(arguments: &KernelArguments) -> Result<u32, Stop> {
    if arguments.block.is_some() {
        return Err(Stop::Usage("--block: a Triton kernel has no threads of its own; say how many warps run a program with --warps N".to_owned()));
    }
    let warps = arguments.compilation.warps.unwrap_or(USUAL_WARPS);
    match warps.is_power_of_two() && warps <= MAX_WARPS {
        true => Ok(warps),
        false => Err(Stop::Usage(format!(
            "--warps {warps}: a power of two from 1 to {MAX_WARPS} is expected"
        ))),
    }
}

/// The kernel that is asked for, or the only one of the file.
fn kernel_name(arguments: &KernelArguments, file: &SourceFile) -> Result<String, Stop> {
    if let Some(name) = &arguments.kernel {
        return Ok(name.clone());
    }
    // What is no Python is said when the kernel is read.
    let names = kernels(file).unwrap_or_default();
    match &names[..] {
        [only] => Ok(only.clone()),
        [] => Err(Stop::Usage(format!(
            "{}: there is no function under `@triton.jit`",
            file.name()
        ))),
        several => Err(Stop::Usage(format!(
            "{} has several functions under `@triton.jit`: choose one with --kernel NAME\n  {}",
            file.name(),
            several.join("\n  ")
        ))),
    }
}

/// One launch of the kernel over a buffer for each pointer, called as its parameter.
fn plan(arguments: &KernelArguments, file: &SourceFile, output: &Output) -> Result<Plan, Stop> {
    let warps = warps(arguments)?;
    let kernel = kernel_name(arguments, file)?;
    let parameters = kernel_parameters(file, &kernel).map_err(|error| {
        output.diagnostics(file, [&*error]);
        Stop::Reported
    })?;
    // Each `--arg` is for one of those that are no constants.
    let given = parameters
        .iter()
        .filter(|parameter| !parameter.is_constexpr);
    let names: Vec<&str> = given.map(|parameter| parameter.name.as_str()).collect();
    let (buffers, values) = buffers(arguments, &names);
    Ok(Plan {
        baselines: arguments.baselines.clone(),
        sources: vec![KernelSource {
            tiles: TileOptions {
                is_general: arguments.compilation.no_specialise,
            },
            ..KernelSource::new(file.clone(), arguments.compilation.meta.clone())
        }],
        buffers,
        symbols: Vec::new(),
        launches: vec![Launch {
            kernel,
            source: 0,
            grid: arguments.grid.unwrap_or([1; 3]),
            block: [warps * 32, 1, 1],
            // Found by the compiler.
            shared_bytes: 0,
            arguments: values,
        }],
    })
}
