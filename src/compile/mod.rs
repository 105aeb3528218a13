//! Typed program to bytecode.
//!
//! Device functions are inlined, so a kernel is one list of instructions. Each function's variables
//! have registers of their own for the whole kernel (nothing recurses, so inlined copies share
//! them); temporaries live as long as their statement. Constants and thread coordinates are read
//! once, in a prologue.
//!
//! Where it changes what hardware counters say, this does as `nvcc` does: loops of known length are
//! unrolled (`unroll`), what is known is not loaded again and neighbouring loads and stores are joined
//! (`reuse`, `loads`, `stores`, `symbols`, `spot`, `region`), what a loop does not change is done
//! before it (`effects`), what it only changes stays in a register (`carry`), what only some lanes
//! need is loaded where they need it (`sink`), products become part of sums (`contract`), and
//! arithmetic that `nvcc` does elsewhere or not at all keeps its place but changes its cost
//! (`recost`). Stepping and values stay those of the source: an access that `nvcc` makes elsewhere is
//! made twice, and counts once.
//!
//! Nothing here knows the machine that runs the bytecode.

mod emit;
mod analysis;
mod cost;
mod lower;
mod optimise;
mod tree;

pub use self::lower::access_widths;
pub use self::tree::{Part, bodies, everything, expressions};

use std::borrow::Cow;

use crate::cuda::{self, Program};
use crate::ir::{Kernel, Symbol};
use crate::source::{Diagnostic, Severity, SourceFile, Span, nearest};

/// Which accesses and operations the bytecode has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Those that `nvcc`'s code has, as far as is known: what hardware counters count.
    #[default]
    AsCompiled,
    /// Those that the source writes, each where and as often as it stands there: no loop is
    /// unrolled, nothing is joined, kept or moved.
    AsWritten,
}

/// What compiling gave: kernels of a file, or none if there is an error among the diagnostics.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernels that were asked for, in order of definition; all that are no templates if none were.
    pub kernels: Vec<Kernel>,
    /// Variables at file scope, to which kernels refer by their number.
    pub symbols: Vec<Symbol>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What of the text is for the host and was skipped.
    pub skipped: Vec<Span>,
    /// Values that NVRTC does not take as they are written: where they stand, and what it takes there.
    pub respelt: Vec<(Span, String)>,
    /// The names that were asked for, with the kernel's own name or what is wrong.
    requests: Vec<(String, Result<String, Diagnostic>)>,
    /// Names of the kernels that the file defines, but for templates.
    pub defined: Vec<String>,
    /// Templates of kernels: their names and parameters.
    templates: Vec<(String, String)>,
}

impl Compiled {
    /// Whether there is an error among the diagnostics.
    pub fn has_failed(&self) -> bool {
        has_error(&self.diagnostics)
    }

    /// The kernel called `name`, or an error that lists those there are. One made from a template is
    /// found by the name that was asked for, as in `softmax<float, 4>`.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, Box<Diagnostic>> {
        let by_name = |name: &str| self.kernels.iter().find(|kernel| kernel.name == name);
        if let Some(kernel) = by_name(name) {
            return Ok(kernel);
        }
        let request = self.requests.iter().find(|request| request.0 == name);
        if let Some((_, Ok(own))) = request
            && let Some(kernel) = by_name(own)
        {
            return Ok(kernel);
        }
        let plain = name.split('<').next().unwrap_or(name).trim();
        if let Some((template, parameters)) = self.templates.iter().find(|t| t.0 == plain) {
            let message = match request {
                Some((_, Err(error))) => error.message.clone(),
                _ => format!("`{template}` is a template"),
            };
            let help = format!("launch it as `{template}<…>`, of <{parameters}>");
            return Err(Box::new(
                Diagnostic::error(Span::default(), message).help(help),
            ));
        }
        let is_defined = self.defined.iter().any(|name| name == plain);
        if let Some((_, Err(error))) = request
            && (name.contains('<') && is_defined)
        {
            return Err(Box::new(error.clone()));
        }
        Err(Box::new(self.unknown(name)))
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let kernels = self.defined.iter().map(String::as_str);
        let templates = self.templates.iter().map(|template| template.0.as_str());
        let names: Vec<&str> = kernels.chain(templates).collect();
        let error = Diagnostic::error(Span::default(), format!("no kernel is called `{name}`"));
        let near = nearest(name, names.iter().copied());
        match (near.first(), names.is_empty()) {
            (Some(near), _) => error.help(format!("did you mean `{near}`?")),
            (None, false) => error.help(format!("the file defines {}", names.join(", "))),
            (None, true) => error.help("define one with `__global__ void`"),
        }
    }
}

/// Compiles every kernel of `file` that is no template, with the macros `defines`.
pub fn compile(file: &SourceFile, defines: &[(String, String)]) -> Compiled {
    compile_kernels(file, defines, &[], Fidelity::AsCompiled)
}

/// Like [`compile`], with the kernels called `names` made from their templates.
pub fn compile_kernels(
    file: &SourceFile,
    defines: &[(String, String)],
    names: &[&str],
    fidelity: Fidelity,
) -> Compiled {
    let parsed = cuda::parse_kernels(file, defines, names);
    let functions = &parsed.program.functions;
    let ids = 0..functions.len();
    let kernels: Vec<usize> = ids.filter(|&id| functions[id].is_kernel).collect();
    let defined = kernels.iter().map(|&id| functions[id].name.clone());
    let defined = defined.collect();
    let asked: Vec<usize> = parsed.requests.iter().flatten().copied().collect();
    let is_wanted = |id: &usize| names.is_empty() || asked.contains(id);
    let wanted: Vec<usize> = kernels.into_iter().filter(is_wanted).collect();
    let made = match has_error(&parsed.diagnostics) {
        true => Made::default(),
        false => lower_all(&parsed.program, &wanted, file, fidelity),
    };
    let own_name = |id: usize| parsed.program.functions[id].name.clone();
    let requests = parsed.requests.into_iter().zip(names);
    Compiled {
        kernels: made.kernels,
        symbols: made.symbols,
        diagnostics: [parsed.diagnostics, made.errors].concat(),
        skipped: parsed.skipped,
        respelt: made.respelt,
        requests: requests
            .map(|(made, name)| (name.to_string(), made.map(own_name)))
            .collect(),
        defined,
        templates: parsed.templates,
    }
}

/// What lowering gives.
#[derive(Default)]
struct Made {
    kernels: Vec<Kernel>,
    symbols: Vec<Symbol>,
    errors: Vec<Diagnostic>,
    respelt: Vec<(Span, String)>,
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn lower_all(program: &Program, wanted: &[usize], file: &SourceFile, fidelity: Fidelity) -> Made {
    let program = &match fidelity {
        Fidelity::AsCompiled => {
            let mut program = self::optimise::unroll::unrolled(program, file);
            self::optimise::narrowing::narrow(&mut program);
            self::optimise::returned_references::unchain(&mut program);
            Cow::Owned(program)
        }
        Fidelity::AsWritten => Cow::Borrowed(program),
    };
    let mut made = Made {
        symbols: self::lower::file_scope::symbols(program),
        respelt: self::lower::file_scope::spelt_as_bits(program),
        ..Made::default()
    };
    for &id in wanted {
        match self::lower::kernel::lower(program, id, file, fidelity) {
            Ok(kernel) => made.kernels.push(kernel),
            Err(error) => made.errors.push(*error),
        }
    }
    if !made.errors.is_empty() {
        made.kernels.clear();
    }
    made
}
