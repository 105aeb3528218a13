//! Typed program to bytecode.
//!
//! 1. `optimise::passes` rewrite the typed program: loops are unrolled, arithmetic is narrowed.
//! 2. `lower` turns each kernel into instructions, statement by statement, and asks `optimise` at each
//!    what `nvcc` would load once, join, move or leave out. `emit` holds what is written.
//! 3. `cost` says which single-precision instructions do not cost what their operation does.
//!
//! Device functions are inlined, so a kernel is one list of instructions. Each function's variables
//! have registers of their own for the whole kernel (inlined copies share them, and calls of functions that call
//! themselves save them); temporaries live as long as their statement. Constants and thread coordinates are read
//! once, in a prologue.
//!
//! Where it changes what hardware counters say, this does as `nvcc` does. Stepping and values stay those
//! of the source: an access that `nvcc` makes elsewhere is made twice, and counts once.
//!
//! Nothing here knows the machine that runs the bytecode.

mod compiled;
mod tree;
mod analysis;
mod optimise;
mod emit;
mod lower;
mod cost;
mod program_kernels;

pub use compiled::{Compiled, Fidelity};
pub use program_kernels::ProgramKernels;
pub use tree::{access_widths, bodies, expressions, own_expressions, walk};

use std::borrow::Cow;

use crate::cuda::{self, Program, Type};
use crate::ir::{AccessRole, Kernel, Symbol};
use crate::source::{Diagnostic, SourceFile, Span, Work, on_deep_stack};
use crate::triton::{PART_OF_ACCESS, PREDICATED, UNCOUNTED};
use compiled::has_error;

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
    compile_within(file, defines, names, fidelity, &Work::default())
}

/// The same within `work`: an error says where that ends it, and what has grown so much.
pub fn compile_within(
    file: &SourceFile,
    defines: &[(String, String)],
    names: &[&str],
    fidelity: Fidelity,
    work: &Work,
) -> Compiled {
    let request = lower::Request {
        file,
        fidelity,
        is_generated: file.text().contains(PREDICATED),
        work,
    };
    on_deep_stack(|| compile_all(&request, defines, names))
}

fn compile_all(request: &lower::Request, defines: &[(String, String)], names: &[&str]) -> Compiled {
    let parsed = cuda::parse_kernels(request.file, defines, names);
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
        false => lower_all(&parsed.program, &wanted, request),
    };
    let own_name = |id: usize| parsed.program.functions[id].name.clone();
    let requests = parsed.requests.into_iter().zip(names);
    Compiled {
        kernels: made.kernels,
        symbols: made.symbols,
        diagnostics: [
            parsed.diagnostics,
            made.errors,
            Vec::from_iter(parsed.hardware_only.clone()),
        ]
        .concat(),
        unreached: parsed.unreached,
        respelt: made.respelt,
        requests: requests
            .map(|(made, name)| (name.to_string(), made.map(own_name)))
            .collect(),
        defined,
        templates: parsed.templates,
        hardware_only: parsed.hardware_only,
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

fn lower_all(program: &Program, wanted: &[usize], request: &lower::Request) -> Made {
    let program = &match request.fidelity {
        Fidelity::AsCompiled => {
            let mut program = optimise::passes(program, request.file);
            if request.is_generated {
                make_accesses_volatile(&mut program);
            }
            Cow::Owned(program)
        }
        Fidelity::AsWritten => Cow::Borrowed(program),
    };
    let mut made = Made {
        symbols: lower::symbols(program),
        respelt: lower::spelt_as_bits(program),
        ..Made::default()
    };
    for &id in wanted {
        match lower::lower(program, id, request) {
            Ok(kernel) => made.kernels.push(kernel),
            Err(error) => made.errors.push(*error),
        }
    }
    // One kernel that is refused makes the file fail: none of it runs.
    if !made.errors.is_empty() {
        made.kernels.clear();
    }
    let has_warp_groups = request.is_generated && request.file.text().contains(UNCOUNTED);
    for kernel in &mut made.kernels {
        kernel.source.is_generated = request.is_generated;
        if request.is_generated {
            leave_uncounted(kernel, request.file);
        }
        if request.fidelity == Fidelity::AsCompiled {
            cost::recost(kernel, has_warp_groups);
        }
    }
    made
}

/// Triton writes each access to global memory as volatile inline assembly, so that of a generated program every one is made
/// where it stands and as wide as it stands. Shared memory is left to the compiler.
fn make_accesses_volatile(program: &mut Program) {
    for function in program
        .functions
        .iter_mut()
        .filter(|function| function.is_kernel)
    {
        for parameter in &mut function.locals[..function.parameter_count] {
            parameter.is_volatile |= matches!(parameter.ty, Type::Pointer { .. });
        }
    }
}

/// Loads that the code which a generated program stands for does without count nothing; their lines say so.
fn leave_uncounted(kernel: &mut Kernel, file: &SourceFile) {
    let lines: Vec<&str> = file.whole().lines().collect();
    for site in &mut kernel.sites {
        let line = lines.get((site.line as usize).saturating_sub(1));
        let marks = [UNCOUNTED, PART_OF_ACCESS];
        if line.is_some_and(|line| marks.iter().any(|mark| line.ends_with(mark))) {
            site.role = AccessRole::Silent;
        }
    }
}
