//! `tutor run kernel` with a kernel in Python: its thread program runs, and what it did is told of the Python's lines.

use serde_json::json;

use super::data::Data;
use super::kernel::{
    KernelArguments, buffers, check_size, has_ended, print_kernel, read, run, run_cuda_kernel,
    succeeded, write,
};
use crate::cli::output::{Output, Stop};
use crate::cli::value::KernelArgument;
use crate::compile::{Compiled, Fidelity, compile_within};
use crate::document::{self, KernelRun};
use crate::ir::Kernel;
use crate::launch::{KernelSource, Launch, Outcome, Plan};
use crate::source::{Diagnostic, SourceFile, Work};
use crate::triton::{
    ArgumentFact, Launched, Options, ThreadProgram, USUAL_WARPS, is_python, kernels, thread_program,
};

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
    let report = |error: Box<Diagnostic>| {
        output.diagnostics(&file, [&*error]);
        Stop::Reported
    };
    let options = options(arguments, &file)?;
    let program = thread_program(&file, &options).map_err(report)?;
    output.diagnostics(&file, &program.warnings);
    let compiled = compiled(arguments, &program, &options);
    let kernel = compiled.kernel(&options.kernel).ok();
    let plan = plan(arguments, &program, &options, kernel);
    check_size(&plan.buffers)?;
    let data = data(arguments, &compiled, kernel, &plan, output)?;
    let outcome = run(arguments, &plan, output)?;
    let outcome = in_python(outcome, &file, &program);
    let plan = with_source(plan, &file);
    let data = data.filter(|_| has_ended(&outcome));
    let compared = data
        .as_ref()
        .map_or_else(Vec::new, |data| data.compare(&outcome));
    let ok = succeeded(&outcome) && compared.iter().all(|compared| compared.ok);
    let shown = KernelRun {
        plan: &plan,
        outcome: &outcome,
        unreached: &program.unreached,
        compared: &compared,
        ok,
    };
    print(arguments, &shown, &program, output)?;
    let reports = outcome.reports.iter().map(|report| &report.diagnostic);
    output.diagnostics(&file, reports);
    if outcome.launches.is_empty() && !compiled.has_failed() {
        return Err(Stop::Refused);
    }
    write(arguments, data, &outcome, output)?;
    Ok(ok)
}

fn compiled(arguments: &KernelArguments, program: &ThreadProgram, options: &Options) -> Compiled {
    let work = Work::default().within(arguments.run.on.time_limit);
    let names = [&options.kernel[..]];
    compile_within(&program.file, &[], &names, Fidelity::AsCompiled, &work)
}

fn data<'a>(
    arguments: &'a KernelArguments,
    compiled: &Compiled,
    kernel: Option<&Kernel>,
    plan: &Plan,
    output: &Output,
) -> Result<Option<Data<'a>>, Stop> {
    let read = |kernel| Data::new(&arguments.data, compiled, kernel, &plan.buffers, output);
    kernel.map(read).transpose()
}

/// What the kernel is compiled with.
fn options(arguments: &KernelArguments, file: &SourceFile) -> Result<Options, Stop> {
    if arguments.block.is_some() {
        return Err(Stop::Usage("--block: a Triton kernel has no threads of its own; say how many warps run a program with --warps N".to_owned()));
    }
    let warps = arguments.compilation.warps.unwrap_or(USUAL_WARPS);
    if !warps.is_power_of_two() || warps > MAX_WARPS {
        return Err(Stop::Usage(format!(
            "--warps {warps}: a power of two from 1 to {MAX_WARPS} is expected"
        )));
    }
    let facts = arguments.arguments.iter().map(|argument| match argument {
        KernelArgument::Number(number) => ArgumentFact::Number(*number),
        KernelArgument::Buffer(element, _, _) => ArgumentFact::Buffer(*element),
    });
    Ok(Options {
        kernel: kernel_name(arguments, file)?,
        warps,
        launched: Launched {
            meta: arguments.compilation.meta.clone(),
            arguments: facts.collect(),
            is_general: arguments.compilation.no_specialise,
        },
    })
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

fn plan(
    arguments: &KernelArguments,
    program: &ThreadProgram,
    options: &Options,
    kernel: Option<&Kernel>,
) -> Plan {
    let (all, values) = buffers(arguments, None);
    let mut named = all;
    let mut given = Vec::new();
    let parameters = kernel.map_or(&[][..], Kernel::written_parameters);
    for (at, &argument) in program.arguments.iter().enumerate() {
        let value = values[argument];
        if let (crate::launch::Argument::Buffer(buffer), Some(parameter)) =
            (value, parameters.get(at))
        {
            named[buffer].name.clone_from(&parameter.name);
        }
        given.push(value);
    }
    Plan {
        baselines: arguments.baselines.clone(),
        sources: vec![KernelSource {
            file: program.file.clone(),
            defines: Vec::new(),
        }],
        buffers: named,
        symbols: Vec::new(),
        launches: vec![Launch {
            kernel: options.kernel.clone(),
            source: 0,
            grid: arguments.grid.unwrap_or([1; 3]),
            block: [program.threads, 1, 1],
            shared_bytes: program.shared_bytes,
            arguments: given,
        }],
    }
}

/// The plan as if the Python had run.
fn with_source(mut plan: Plan, file: &SourceFile) -> Plan {
    plan.sources[0].file = file.clone();
    plan
}

/// What came back, with the Python's lines and places instead of the thread program's.
fn in_python(mut outcome: Outcome, file: &SourceFile, program: &ThreadProgram) -> Outcome {
    for launch in &mut outcome.launches {
        let mut lines: Vec<crate::launch::LineCounts> = Vec::new();
        for mut counted in std::mem::take(&mut launch.lines) {
            counted.line = program.line(counted.line);
            match lines.iter_mut().find(|known| known.line == counted.line) {
                Some(known) => known.counts += counted.counts,
                None => lines.push(counted),
            }
        }
        lines.sort_by_key(|counted| counted.line);
        launch.lines = lines;
        for access in &mut launch.accesses {
            access.span = program.place(file, access.span);
            access.line = program.line(access.line);
        }
    }
    for report in &mut outcome.reports {
        for label in &mut report.diagnostic.labels {
            label.span = program.place(file, label.span);
        }
    }
    outcome
}

fn print(
    arguments: &KernelArguments,
    run: &KernelRun,
    program: &ThreadProgram,
    output: &Output,
) -> Result<(), Stop> {
    if !arguments.run.json {
        return print_kernel(arguments, run, output);
    }
    let mut shown = document::kernel_run_json(run, arguments.run.on.ptx);
    let layouts = program.tensors.iter().map(|tensor| {
        json!({
            "tensor": tensor.name,
            "type": tensor.type_name,
            "layout": tensor.notation,
            "words": tensor.words,
            "registers": tensor.registers,
        })
    });
    shown["layouts"] = layouts.collect();
    shown["facts"] = json!(program.facts);
    shown["thread_program"] = json!({"text": program.file.text(), "lines": program.lines});
    Ok(output.print_json(&shown)?)
}
