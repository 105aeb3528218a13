//! From a Python file and a launch to the thread program.

use super::analysis::Axes;
use super::lower::lower;
use super::python::{FunctionName, Python, span_of};
use super::trace::{ArgumentFact, Launched, is_constexpr, trace, unknown_kernel};
use super::tuned::{self, Configuration};
use super::uses::{ParameterUse, called_functions, parameter_uses};
use crate::launch::TileTensor;
use crate::source::{Diagnostic, SourceFile, Span, on_deep_stack};

/// What a kernel is compiled with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The kernel's name.
    pub kernel: String,
    /// Warps of a block: a power of two.
    pub warps: u32,
    /// Stages that loads of loops are spread over where the loop does not say how many.
    pub stages: u32,
    /// Constants and arguments.
    pub launched: Launched,
}

/// What one thread does.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadProgram {
    /// CUDA C++ with one kernel.
    pub file: SourceFile,
    /// What that is called: as in the Python, less the name of a class.
    pub kernel: String,
    /// For each of its lines, the line of the Python that it came from; 0 for none.
    pub lines: Vec<u32>,
    /// For each of its parameters, the argument that it is given.
    pub arguments: Vec<usize>,
    /// Threads of a block.
    pub threads: u32,
    /// Shared memory that the launch asks for, beside that of the program's own arrays.
    pub shared_bytes: u32,
    /// How its tensors lie.
    pub tensors: Vec<TileTensor>,
    /// What the compiler knows of the arguments, in words.
    pub facts: Vec<String>,
    /// What of the file it does not need.
    pub unreached: Vec<Span>,
    /// What ought to be said although it runs.
    pub warnings: Vec<Diagnostic>,
}

impl ThreadProgram {
    /// The line of the Python that a line of the thread program came from: of the next that came from any.
    pub fn line(&self, line: u32) -> u32 {
        let from = (line as usize).saturating_sub(1).min(self.lines.len());
        let (before, behind) = self.lines.split_at(from);
        let mut near = behind.iter().chain(before.iter().rev());
        near.find(|&&line| line > 0).copied().unwrap_or(1)
    }

    /// The place in the Python of a place in the thread program: the line it came from.
    pub fn place(&self, python: &SourceFile, span: Span) -> Span {
        let line = self.line(self.file.line(span.start)) as usize;
        let mut start = 0;
        for (at, text) in python.whole().split_inclusive('\n').enumerate() {
            if at + 1 == line {
                let indent = text.len() - text.trim_start().len();
                return Span::new(start + indent, start + text.trim_end().len());
            }
            start += text.len();
        }
        Span::default()
    }
}

/// Warps per program where nothing is said.
pub const USUAL_WARPS: u32 = 4;

/// Stages of loops where nothing is said (`CUDAOptions` of Triton 3.6).
pub const USUAL_STAGES: u32 = 3;

/// Where the kernel called `name` is written, from its decorator to its last statement; an error lists those there are.
pub fn kernel_place(file: &SourceFile, name: &str) -> Result<Span, Box<Diagnostic>> {
    on_deep_stack(|| {
        let python = Python::read(file)?;
        match python.function(name) {
            Some(definition) => Ok(span_of(definition)),
            None => Err(unknown_kernel(&python, name)),
        }
    })
}

/// A parameter of a kernel, as the text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    /// Its name.
    pub name: String,
    /// Whether it has to be known when the kernel is compiled.
    pub is_constexpr: bool,
    /// The whole number that it is where nothing is said.
    pub default: Option<u64>,
    /// What the kernel uses it as.
    pub used: ParameterUse,
}

/// The parameters of the kernel called `name`.
pub fn kernel_parameters(
    file: &SourceFile,
    name: &str,
) -> Result<Vec<KernelParameter>, Box<Diagnostic>> {
    on_deep_stack(|| {
        let python = Python::read(file)?;
        let definition = python
            .function(name)
            .ok_or_else(|| unknown_kernel(&python, name))?;
        // What autotuning sets comes before a default that the signature writes.
        let tuned = tuned::first_configuration(&python, definition);
        let function = FunctionName {
            module: 0,
            name: name.to_owned(),
        };
        let uses = parameter_uses(&python, &function);
        let parameters = definition.parameters.iter_non_variadic_params();
        let read = parameters.map(|of| {
            let name = of.parameter.name.to_string();
            let default = of.default.as_deref().map(|default| python.text(default));
            let tuned = tuned.iter().find(|(known, _)| *known == name);
            let text = tuned.map(|(_, text)| &text[..]).or(default);
            KernelParameter {
                is_constexpr: of.parameter.annotation.as_deref().is_some_and(is_constexpr),
                default: text.and_then(whole_number),
                used: uses.get(&name).copied().unwrap_or_default(),
                name,
            }
        });
        Ok(read.collect())
    })
}

/// A whole number as Python writes it: `True` is 1.
pub fn whole_number(text: &str) -> Option<u64> {
    match text {
        "True" => Some(1),
        "False" | "None" => Some(0),
        _ => text.parse().ok(),
    }
}

/// What `@triton.autotune` would try first for the kernel called `name`: constants, `num_warps` and its kin.
pub fn first_configuration(file: &SourceFile, name: &str) -> Configuration {
    on_deep_stack(|| {
        let python = Python::read(file).ok()?;
        let definition = python.function(name)?;
        Some(tuned::first_configuration(&python, definition))
    })
    .unwrap_or_default()
}

/// A kernel with its parameters, as the text has them.
pub fn signature(file: &SourceFile, name: &str) -> String {
    let parameters = on_deep_stack(|| {
        let python = Python::read(file).ok()?;
        let parameters = python.function(name)?.parameters.iter_non_variadic_params();
        let words = parameters.map(|of| {
            let text = python.text(of);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        Some(words.collect::<Vec<_>>().join(", "))
    });
    format!("{name}({})", parameters.unwrap_or_default())
}

/// The names of a file's functions under `@triton.jit`.
pub fn kernels(file: &SourceFile) -> Result<Vec<String>, Box<Diagnostic>> {
    on_deep_stack(|| Ok(Python::read(file)?.functions().map(str::to_owned).collect()))
}

/// The functions of [`kernels`] that no other calls, or that host code of the file launches, `kernel[grid](…)`.
pub fn launched_kernels(file: &SourceFile) -> Result<Vec<String>, Box<Diagnostic>> {
    on_deep_stack(|| {
        let python = Python::read(file)?;
        let called = called_functions(&python);
        let is_launched =
            |name: &&str| !called.contains(*name) || file.text().contains(&format!("{name}["));
        let launched = python.functions().filter(is_launched);
        Ok(launched.map(str::to_owned).collect())
    })
}

/// What one thread does of a kernel as it is launched.
pub fn thread_program(
    file: &SourceFile,
    options: &Options,
) -> Result<ThreadProgram, Box<Diagnostic>> {
    on_deep_stack(|| compile(file, options))
}

fn compile(file: &SourceFile, options: &Options) -> Result<ThreadProgram, Box<Diagnostic>> {
    let python = Python::read(file)?;
    let (function, warnings) = trace(file, &python, &options.kernel, &options.launched)?;
    let axes = Axes::of(&function);
    let text = lower(file, &function, &axes, options.warps, options.stages);
    let name = file.name().strip_suffix(".py").unwrap_or(file.name());
    let parameters = function.parameters.iter();
    Ok(ThreadProgram {
        file: SourceFile::new(&format!("{name}.cu"), &text.text),
        unreached: python.unneeded(file, &text.lines),
        lines: text.lines,
        kernel: function.name.clone(),
        arguments: parameters
            .clone()
            .map(|parameter| parameter.argument)
            .collect(),
        threads: options.warps * 32,
        shared_bytes: text.shared_bytes,
        tensors: text.tensors,
        facts: facts(options, &function.parameters, text.has_warp_groups),
        warnings,
    })
}

/// What is known of each argument, and what of the launch is not as on the GPU.
fn facts(
    options: &Options,
    parameters: &[super::tile::Parameter],
    has_warp_groups: bool,
) -> Vec<String> {
    let mut facts = Vec::new();
    for (at, fact) in options.launched.arguments.iter().enumerate() {
        let parameter = parameters.iter().find(|parameter| parameter.argument == at);
        facts.push(match (parameter, fact) {
            // Triton compiles a 1 in as a constant, so that no parameter is left.
            (None, _) => format!("argument {at}: 1, so it is compiled in"),
            (Some(known), ArgumentFact::Buffer(_)) if known.divisibility >= 16 => {
                format!(
                    "{}: aligned to 16 bytes, so accesses may be 16 bytes wide",
                    known.name
                )
            }
            (Some(known), ArgumentFact::Number(_)) if known.divisibility >= 16 => {
                format!(
                    "{}: a multiple of 16, so a mask that ends there leaves wide accesses whole",
                    known.name
                )
            }
            (Some(known), _) => format!(
                "{}: nothing is known, so a mask that ends there may take wide accesses apart",
                known.name
            ),
        });
    }
    if has_warp_groups {
        facts.push(
            "tl.dot: Triton uses wgmma, which reads shared memory itself; mma.sync stands for it here, and its loads of the factors are not counted"
                .to_owned(),
        );
    }
    facts
}
