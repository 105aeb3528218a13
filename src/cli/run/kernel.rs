//! `tutor run kernel`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::data::{Data, DataArguments, Variables};
use super::runner::Runner;
use crate::cli::options::RunArguments;
use crate::cli::output::{Output, Stop};
use crate::cli::value;
use crate::cli::value::KernelArgument;
use crate::compile::{Compiled, Fidelity, compile_within};
use crate::cuda::{including_file, is_unknown_name, read_source};
use crate::document::{self, KernelRun};
use crate::engine::{Checks, MOST_BUFFER_BYTES, Options};
use crate::ir::Kernel;
use crate::launch::{
    Argument, Baseline, BufferSpec, Dim3, Ending, Engine, KernelSource, Launch, Number, Outcome,
    Plan,
};
use crate::lesson::{guess_launch, template_instances};
use crate::source::{Severity, SourceFile, Span, Work};

const EXAMPLES: &str = "\
A pointer is given a buffer, TYPE[LENGTH]:INIT
  TYPE  f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 u64 i32 u32 i16 u16 i8 u8
  INIT  zero  one  arange  ramp  perm:P  mod:K  normal:SEED  uniform:SEED  rope_cos:K  rope_sin:K
        or a .npy file
A scalar takes a number. A struct or vector takes one argument for each of its members, in order, as if they
were parameters; one without members takes none. Variables at file scope begin with the value in the file,
as in `__constant__ float w[3] = {1, 2, 1};`, or with the value of --symbol. Host code, with its
cudaMemcpyToSymbol, does not run.

For a Triton kernel (FILE.py), --meta sets each constexpr and --warps the number of warps per program; every other
parameter takes one --arg. Host code in the file does not run.

If you leave part of a CUDA launch out, it is guessed from the kernel's signature and from the launches in the file,
and the guess is printed; so are the arguments of a template. Of a Triton kernel all is guessed that is not given if
there is no --arg. In `tutor open FILE` you can change all of it.

Example, which works in any directory:
  echo '__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
  }' > twice.cu
  tutor run kernel twice.cu --kernel twice --grid 4 --block 256 \\
    --arg 'f32[1000]:arange' --arg 'f32[1000]:zero' --arg 1000";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct KernelArguments {
    /// A file of kernels: .cu, or .py with Triton kernels.
    pub file: PathBuf,
    /// Which kernel to run, if the file has several.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Blocks in x, y and z; guessed if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = value::dim3)]
    pub grid: Option<Dim3>,
    /// Threads per block in x, y and z; guessed if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = value::dim3)]
    pub block: Option<Dim3>,
    /// Dynamic shared memory per block.
    #[arg(long, value_name = "BYTES")]
    pub shared: Option<u32>,
    #[command(flatten)]
    pub compilation: CompilationArguments,
    /// One for each parameter (or member of a struct), in order: a number, or TYPE[LENGTH]:INIT; guessed if all are
    /// left out.
    #[arg(long = "arg", value_name = "VALUE", allow_hyphen_values = true, value_parser = value::kernel_argument)]
    pub arguments: Vec<KernelArgument>,
    #[command(flatten)]
    pub simulation: SimulationArguments,
    /// On a real GPU, also time others for the same operation: cuDNN or cuBLAS (softmax, sgemm, bf16), PyTorch
    /// (torch-softmax), or Triton's own code for a kernel in Python (triton, without sizes; the file runs as native
    /// code). May be given several times.
    #[arg(long = "baseline", value_name = "OPERATION[:SIZExSIZE…]", value_parser = value::baseline)]
    pub baselines: Vec<Baseline>,
    #[command(flatten)]
    pub data: DataArguments,
    #[command(flatten)]
    pub run: RunArguments,
}

/// What the kernel is compiled with.
#[derive(Debug, Args)]
pub(crate) struct CompilationArguments {
    /// Define a macro; its value is 1 if none is given.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = value::define)]
    pub defines: Vec<(String, String)>,
    /// Also read headers from this folder, after the folder of the file; may be given several times.
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// For a Triton kernel: a constexpr, such as BLOCK=1024; may be given several times.
    #[arg(long = "meta", value_name = "NAME=VALUE", value_parser = value::define)]
    pub meta: Vec<(String, String)>,
    /// For a Triton kernel: warps per program; 4 if left out.
    #[arg(long, value_name = "N")]
    pub warps: Option<u32>,
    /// For a Triton kernel: pipeline stages for the loads in loops.
    #[arg(long, value_name = "N")]
    pub stages: Option<u32>,
    /// For a Triton kernel: do not specialise on its arguments, such as on divisibility by 16.
    #[arg(long)]
    pub no_specialise: bool,
}

/// What the simulated GPU does beside running the kernel.
#[derive(Debug, Args)]
pub(crate) struct SimulationArguments {
    /// Look for races, values that were never set, and addresses of variables that have ended.
    #[arg(long)]
    pub check: bool,
    /// Run warps and blocks in another legal order, and say which buffers depend on it.
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// Leave the model of L1, L2 and device memory out, which most of a large run's time goes to.
    #[arg(long)]
    pub no_caches: bool,
}

/// Runs the kernel and prints what it did.
pub(super) fn run_cuda_kernel(arguments: &KernelArguments, output: &Output) -> Result<bool, Stop> {
    let file = read(arguments)?;
    let chosen = chosen(arguments, &file)?;
    let compiled = &chosen.compiled;
    let kernel = kernel(arguments, &chosen.name, compiled)?;
    let mut plan = match kernel {
        Some(found) if is_guessed(arguments, found) => guessed(arguments, &file, &chosen, output)?,
        _ => {
            if chosen.is_guessed {
                output.message(&format!("guessed: --kernel '{}'", chosen.name));
            }
            plan(arguments, file, chosen.name.clone(), kernel)
        }
    };
    check_size(&plan.buffers)?;
    let read = |kernel| {
        let variables = Variables::of_kernel(&arguments.data, compiled, kernel, output)?;
        Data::new(&arguments.data, variables, &plan.buffers)
    };
    let data = kernel.map(read).transpose()?;
    if let Some(data) = &data {
        plan.symbols.clone_from(&data.symbols);
    }
    let outcome = run(arguments, &plan, output)?;
    let done = Done {
        plan,
        outcome,
        data,
        unreached: &compiled.unreached,
        has_compiled: !compiled.has_failed(),
    };
    let concluded = done.conclude(arguments, output);
    if compiled.diagnostics.iter().any(is_unknown_name) {
        name_including_file(arguments, &chosen.name, output);
    }
    concluded
}

/// Names the file that may define what is missing, if there is one.
fn name_including_file(arguments: &KernelArguments, kernel: &str, output: &Output) {
    if let Some(other) = including_file(&arguments.file) {
        let (own, other) = (arguments.file.display(), other.display());
        output.message(&format!(
            "{own} is included by another file, which may define what is missing\n  \
             tutor run kernel '{other}' --kernel '{kernel}'"
        ));
    }
}

/// A run that is over, whatever it came to.
pub(super) struct Done<'a> {
    pub plan: Plan,
    pub outcome: Outcome,
    /// What its buffers are held against, and where they go.
    pub data: Option<Data<'a>>,
    /// What of the file the kernel does not need.
    pub unreached: &'a [Span],
    /// Whether the file is right: what is refused then is the command line.
    pub has_compiled: bool,
}

impl Done<'_> {
    /// Prints what it did, and writes what was asked for. Whether everything is right.
    pub fn conclude(self, arguments: &KernelArguments, output: &Output) -> Result<bool, Stop> {
        let (plan, outcome) = (&self.plan, &self.outcome);
        // What a run leaves that did not end is of no use to anybody.
        let data = self.data.filter(|_| has_ended(outcome));
        let compare = |data: &Data| data.compare(outcome);
        let compared = data.as_ref().map_or_else(Vec::new, compare);
        let ok = succeeded(outcome) && compared.iter().all(|compared| compared.ok);
        let shown = KernelRun {
            plan,
            outcome,
            unreached: self.unreached,
            compared: &compared,
            ok,
        };
        print_kernel(arguments, &shown, output)?;
        let reports = outcome.reports.iter().map(|report| &report.diagnostic);
        output.diagnostics(&plan.sources[0].file, reports);
        if outcome.launches.is_empty() && self.has_compiled {
            return Err(Stop::Refused);
        }
        write(arguments, data, outcome, output)?;
        Ok(ok)
    }
}

/// Writes the buffers that are asked for.
fn write(
    arguments: &KernelArguments,
    data: Option<Data>,
    outcome: &Outcome,
    output: &Output,
) -> Result<(), Stop> {
    match data {
        Some(data) => data.write(outcome, output)?,
        None if arguments.data.out.is_empty() => {}
        None => output.message("--out: nothing is written, because the run did not end"),
    }
    Ok(())
}

pub(super) fn read(arguments: &KernelArguments) -> Result<SourceFile, Stop> {
    let name = arguments.file.display().to_string();
    read_source(&arguments.file, &arguments.compilation.includes)
        .map_err(|error| Stop::Usage(format!("{name}: {error}")))
}

/// Compiles the kernel called `name`; all that are no templates if that is empty.
fn compile(arguments: &KernelArguments, file: &SourceFile, name: &str) -> Compiled {
    let kernels: &[&str] = if name.is_empty() { &[] } else { &[name] };
    let work = Work::default().within(arguments.run.on.time_limit);
    let compiled = compile_within(
        file,
        &arguments.compilation.defines,
        kernels,
        Fidelity::AsCompiled,
        &work,
    );
    // Who runs it says what the simulated GPU does not have.
    compiled.for_hardware()
}

/// A kernel and what the file becomes for it.
struct Chosen {
    name: String,
    compiled: Arc<Compiled>,
    /// Whether its template arguments are a guess.
    is_guessed: bool,
}

/// The kernel that is asked for, or the only one of the file; a template with arguments that are guessed.
fn chosen(arguments: &KernelArguments, file: &SourceFile) -> Result<Chosen, Stop> {
    let name = kernel_name(arguments, file)?;
    let with = |name: &str, is_guessed| Chosen {
        name: name.to_owned(),
        compiled: Arc::new(compile(arguments, file, name)),
        is_guessed,
    };
    let mut asked = with(&name, false);
    if let Some(name) = asked.compiled.with_namespace(&name) {
        asked = with(&name, false);
    }
    if asked.compiled.kernel(&asked.name).is_ok() {
        return Ok(asked);
    }
    let instances = template_instances(file, &asked.compiled, &asked.name);
    let mut made = instances.iter().map(|instance| with(instance, true));
    // The first tells what is wrong if all of them are.
    let Some(first) = made.next() else {
        return Ok(asked);
    };
    let is_good = |made: &Chosen| made.compiled.kernel(&made.name).is_ok();
    if is_good(&first) {
        return Ok(first);
    }
    Ok(made.find(is_good).unwrap_or(first))
}

/// The name of the kernel that is asked for, or of the only one of the file.
fn kernel_name(arguments: &KernelArguments, file: &SourceFile) -> Result<String, Stop> {
    if let Some(name) = &arguments.kernel {
        return Ok(name.clone());
    }
    let compiled = compile(arguments, file, "");
    let defined = compiled
        .defined
        .iter()
        .map(|name| match compiled.kernel(name) {
            Ok(kernel) => signature(kernel),
            Err(_) => name.clone(),
        });
    let templates = compiled.template_names().map(|name| {
        let parameters = compiled.template_parameters(name).unwrap_or_default();
        format!("{name}<{parameters}>(…)")
    });
    let signatures: Vec<String> = defined.chain(templates).collect();
    let mut names = compiled.defined.iter().map(String::as_str);
    match (
        names.next().or_else(|| compiled.template_names().next()),
        &signatures[..],
    ) {
        (Some(only), [_]) => Ok(only.to_owned()),
        (Some(_), several) => Err(Stop::Usage(format!(
            "{} has several kernels: choose one with --kernel NAME\n  {}",
            file.name(),
            several.join("\n  ")
        ))),
        (None, _) => Err(Stop::Usage(format!(
            "{}: the file has no kernel\n  define one with `__global__ void`",
            file.name()
        ))),
    }
}

fn signature(kernel: &Kernel) -> String {
    let parameters = kernel.written_parameters().iter();
    let parameters: Vec<String> = parameters
        .map(|parameter| format!("{} {}", parameter.type_name, parameter.name))
        .collect();
    format!("{}({})", kernel.name, parameters.join(", "))
}

/// Whether something of the launch is left to be guessed.
fn is_guessed(arguments: &KernelArguments, kernel: &Kernel) -> bool {
    let takes_some = !kernel.written_parameters().is_empty();
    // Some but not all is a mistake, not a request to guess the rest.
    let has_none = arguments.arguments.is_empty() && takes_some;
    arguments.grid.is_none() || arguments.block.is_none() || has_none
}

/// The launch with what is left out guessed, which is said.
fn guessed(
    arguments: &KernelArguments,
    file: &SourceFile,
    chosen: &Chosen,
    output: &Output,
) -> Result<Plan, Stop> {
    let numbers = arguments.arguments.iter().map(|argument| match argument {
        KernelArgument::Number(Number::Integer(number)) => u64::try_from(*number).ok(),
        _ => None,
    });
    let numbers: Vec<Option<u64>> = numbers.collect();
    let Chosen { name, compiled, .. } = chosen;
    let guess = guess_launch(
        file,
        compiled,
        &arguments.compilation.defines,
        name,
        &numbers,
    );
    let guess = guess.map_err(|error| {
        output.diagnostics(file, [&*error]);
        Stop::Reported
    })?;
    let mut plan = guess.plan;
    plan.baselines.clone_from(&arguments.baselines);
    if !arguments.arguments.is_empty() {
        let kernel = compiled.kernel(name).ok();
        (plan.buffers, plan.launches[0].arguments) = buffers(arguments, &parameter_names(kernel));
    }
    let launch = &mut plan.launches[0];
    launch.grid = arguments.grid.unwrap_or(launch.grid);
    launch.block = arguments.block.unwrap_or(launch.block);
    launch.shared_bytes = arguments.shared.unwrap_or(launch.shared_bytes);
    let kernel = match chosen.is_guessed {
        true => format!("--kernel '{name}' "),
        false => String::new(),
    };
    output.message(&format!("guessed: {kernel}{}", guess.options));
    Ok(plan)
}

/// Runs the plan on the engine that is asked for.
pub(super) fn run(
    arguments: &KernelArguments,
    plan: &Plan,
    output: &Output,
) -> Result<Outcome, Stop> {
    let mut runner = Runner::new(&arguments.run.on, output)?;
    // Who asks for a baseline of a file has said that it may run.
    runner.runs_python = true;
    if arguments.simulation.check {
        runner.simulation.checks = Checks::ALL;
    }
    let options = Options {
        schedule: arguments.simulation.schedule,
        model_caches: !arguments.simulation.no_caches,
        ..runner.simulation.clone()
    };
    let outcome = runner.run(plan, &options, output)?;
    runner.check_watch(&outcome)?;
    if outcome.engine == Engine::Sim && !plan.baselines.is_empty() {
        output.message("baselines are measured on a real GPU only: none was used");
    }
    Ok(outcome)
}

fn print_kernel(arguments: &KernelArguments, run: &KernelRun, output: &Output) -> Result<(), Stop> {
    let (plan, outcome) = (run.plan, run.outcome);
    let with_ptx = arguments.run.on.ptx;
    if arguments.run.json {
        let shown = document::kernel_run_json(run, with_ptx);
        output.print_json(&shown)?;
    } else if !outcome.launches.is_empty() {
        output.print(&document::plain(&document::kernel_run(run)))?;
        if with_ptx {
            let files = plan.sources.iter().map(|source| &source.file);
            let blocks = document::ptx(outcome, &files.collect::<Vec<_>>());
            output.print(&document::plain(&blocks))?;
        }
    }
    Ok(())
}

/// The kernel; none of a file that does not compile, which a run reports.
fn kernel<'c>(
    arguments: &KernelArguments,
    name: &str,
    compiled: &'c Compiled,
) -> Result<Option<&'c Kernel>, Stop> {
    if compiled.has_failed() {
        return Ok(None);
    }
    match compiled.kernel(name) {
        Ok(kernel) => Ok(Some(kernel)),
        Err(error) => {
            let help = error.help.map(|help| format!("\n  {help}"));
            let (file, help) = (arguments.file.display(), help.unwrap_or_default());
            Err(Stop::Usage(format!("{file}: {}{help}", error.message)))
        }
    }
}

/// Whether its buffers hold what the kernel leaves. A real GPU may have run what was too large to simulate.
fn has_ended(outcome: &Outcome) -> bool {
    let is_uncounted = outcome.engine == Engine::Gpu && !outcome.is_counted();
    outcome.ending == Ending::Finished || is_uncounted
}

fn succeeded(outcome: &Outcome) -> bool {
    let mut reports = outcome.reports.iter();
    // A real GPU may have run what was too large to simulate.
    let ran = has_ended(outcome);
    ran && reports.all(|report| report.diagnostic.severity != Severity::Error)
}

/// One launch of the kernel over a buffer for each pointer, called as its parameter. The plan has
/// one source.
fn plan(
    arguments: &KernelArguments,
    file: SourceFile,
    name: String,
    kernel: Option<&Kernel>,
) -> Plan {
    let (buffers, values) = buffers(arguments, &parameter_names(kernel));
    Plan {
        baselines: arguments.baselines.clone(),
        sources: vec![KernelSource::new(
            file,
            arguments.compilation.defines.clone(),
        )],
        buffers,
        symbols: Vec::new(),
        launches: vec![Launch {
            kernel: name,
            source: 0,
            grid: arguments.grid.unwrap_or([1; 3]),
            block: arguments.block.unwrap_or([1; 3]),
            shared_bytes: arguments.shared.unwrap_or(0),
            arguments: values,
        }],
    }
}

/// The names of a kernel's parameters.
fn parameter_names(kernel: Option<&Kernel>) -> Vec<&str> {
    let parameters = kernel.map_or(&[][..], Kernel::written_parameters);
    let names = parameters.iter().map(|parameter| parameter.name.as_str());
    names.collect()
}

/// A buffer for each pointer, and what each of the parameters called `names` is given.
pub(super) fn buffers(
    arguments: &KernelArguments,
    names: &[&str],
) -> (Vec<BufferSpec>, Vec<Argument>) {
    let mut buffers: Vec<BufferSpec> = Vec::new();
    let mut values: Vec<Argument> = Vec::new();
    for (i, argument) in arguments.arguments.iter().enumerate() {
        values.push(match argument {
            KernelArgument::Number(number) => Argument::Number(*number),
            KernelArgument::Buffer(element, length, init) => {
                // Buffers are called as the parameters they go to; beyond these there are only numbers.
                let name = names.get(i).map(|&name| name.to_owned());
                buffers.push(BufferSpec {
                    name: name.unwrap_or_else(|| format!("argument {}", i + 1)),
                    element: *element,
                    length: *length,
                    init: init.clone(),
                });
                Argument::Buffer(buffers.len() - 1)
            }
        });
    }
    (buffers, values)
}

pub(super) fn check_size(buffers: &[BufferSpec]) -> Result<(), Stop> {
    // Before anything is allocated: a length of 2^60 must be a message, not an abort.
    let total = BufferSpec::total_bytes(buffers);
    if total > MOST_BUFFER_BYTES {
        let most = MOST_BUFFER_BYTES >> 30;
        return Err(Stop::Usage(format!(
            "together the buffers have {total} bytes; at most {most} GiB are simulated"
        )));
    }
    Ok(())
}
