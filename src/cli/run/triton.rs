//! `tutor run kernel` with a kernel in Python.

use super::data::{Data, Variables};
use super::kernel::{Done, KernelArguments, buffers, check_size, read, run, run_cuda_kernel};
use crate::cli::output::{Output, Stop};
use crate::launch::{KernelSource, Launch, Plan, TileOptions};
use crate::lesson::{KnownLaunch, guess_triton_launch};
use crate::source::{SourceFile, is_python};
use crate::triton::{
    KernelParameter, USUAL_WARPS, first_configuration, kernel_parameters, kernels, signature,
};

/// Most warps of a block.
const MAX_WARPS: u32 = 32;

/// Runs a kernel, of whichever language, and prints what it did.
pub(crate) fn run_kernel(arguments: &KernelArguments, output: &Output) -> Result<bool, Stop> {
    match is_python(&arguments.file) {
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

/// Warps of a block; `tuned` where none are asked for.
fn warps(arguments: &KernelArguments, tuned: Option<u32>) -> Result<u32, Stop> {
    if arguments.block.is_some() {
        return Err(Stop::Usage("--block: a Triton kernel has no threads of its own; say how many warps run a program with --warps N".to_owned()));
    }
    let warps = arguments.compilation.warps.or(tuned);
    let warps = warps.unwrap_or(USUAL_WARPS);
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
            several
                .iter()
                .map(|name| signature(file, name))
                .collect::<Vec<_>>()
                .join("\n  ")
        ))),
    }
}

/// The constants, those that are not given from the kernel's first `triton.Config`, with its number of warps.
fn tuned(
    arguments: &KernelArguments,
    configuration: Vec<(String, String)>,
    parameters: &[KernelParameter],
    output: &Output,
) -> (Vec<(String, String)>, Option<u32>) {
    let mut meta = arguments.compilation.meta.clone();
    let mut warps = None;
    let mut taken = Vec::new();
    let constants = parameters.iter().filter(|of| of.is_constexpr);
    for (name, value) in configuration {
        let sets_warps = name == "num_warps" && arguments.compilation.warps.is_none();
        // The number of warps may be a constant of the kernel too.
        let sets_constant = constants.clone().any(|of| of.name == name)
            && meta.iter().all(|(given, _)| *given != name);
        if sets_warps || sets_constant {
            taken.push(format!("{name}={value}"));
        }
        if sets_warps {
            warps = value.parse().ok();
        }
        if sets_constant {
            meta.push((name, value));
        }
    }
    if !taken.is_empty() {
        output.message(&format!(
            "autotune: the first configuration is taken: {}; --meta and --warps take others",
            taken.join(" ")
        ));
    }
    (meta, warps)
}

/// The launch with what is left out guessed, which is said.
fn guessed(
    arguments: &KernelArguments,
    file: &SourceFile,
    kernel: &str,
    output: &Output,
) -> Result<Plan, Stop> {
    let is_said = arguments.block.is_some() || arguments.compilation.warps.is_some();
    let known = KnownLaunch {
        constants: &arguments.compilation.meta,
        warps: is_said.then(|| warps(arguments, None)).transpose()?,
        grid: arguments.grid,
        tiles: tile_options(arguments),
    };
    let guess = guess_triton_launch(file, kernel, &known).map_err(|error| {
        output.diagnostics(file, [&*error]);
        Stop::Reported
    })?;
    output.message(&format!("guessed: {}", guess.options));
    let mut plan = guess.plan;
    plan.baselines.clone_from(&arguments.baselines);
    Ok(plan)
}

fn tile_options(arguments: &KernelArguments) -> TileOptions {
    TileOptions {
        is_general: arguments.compilation.no_specialise,
        stages: arguments.compilation.stages,
    }
}

/// One launch of the kernel over a buffer for each pointer, called as its parameter.
fn plan(arguments: &KernelArguments, file: &SourceFile, output: &Output) -> Result<Plan, Stop> {
    let kernel = kernel_name(arguments, file)?;
    let parameters = kernel_parameters(file, &kernel).map_err(|error| {
        output.diagnostics(file, [&*error]);
        Stop::Reported
    })?;
    // Some arguments but not all are a mistake, not a request to guess the rest.
    if arguments.arguments.is_empty() && parameters.iter().any(|of| !of.is_constexpr) {
        return guessed(arguments, file, &kernel, output);
    }
    let configuration = first_configuration(file, &kernel);
    let (meta, tuned_warps) = tuned(arguments, configuration, &parameters, output);
    let warps = warps(arguments, tuned_warps)?;
    // Each `--arg` is for one of those that are no constants.
    let is_known = |name: &str| meta.iter().any(|(given, _)| given == name);
    let given = parameters
        .iter()
        .filter(|parameter| !parameter.is_constexpr && !is_known(&parameter.name));
    let names: Vec<&str> = given.map(|parameter| parameter.name.as_str()).collect();
    let (buffers, values) = buffers(arguments, &names);
    Ok(Plan {
        baselines: arguments.baselines.clone(),
        sources: vec![KernelSource {
            tiles: tile_options(arguments),
            ..KernelSource::new(file.clone(), meta)
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
