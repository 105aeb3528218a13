//! Typed program to bytecode.
//!
//! Device functions are inlined, so a kernel is one list of instructions. Each function's variables
//! have registers of their own for the whole kernel (nothing recurses, so inlined copies share
//! them); temporaries live as long as their statement. Constants and thread coordinates are read
//! once, in a prologue. Multiplications that feed additions contract to fused multiply-adds within
//! an expression, and what was just loaded is not loaded again, as with `nvcc`.
//!
//! Nothing here knows the machine that runs the bytecode.

mod access;
mod analysis;
mod assign;
mod call;
mod contract;
mod convert;
mod emit;
mod expression;
mod inlined;
mod layout;
mod lower;
mod operator;
mod place;
mod reuse;
mod scope;
mod simple;
mod special;
mod statement;
mod tables;

use crate::cuda::{self, Program};
use crate::ir::Kernel;
use crate::source::{Diagnostic, Severity, SourceFile, Span, nearest};

/// What compiling gave: all kernels of a file, or none if there is an error among the diagnostics.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Kernels in order of definition.
    pub kernels: Vec<Kernel>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compiled {
    /// The kernel called `name`, or an error that lists those there are.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, Box<Diagnostic>> {
        self.kernels
            .iter()
            .find(|kernel| kernel.name == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self
                    .kernels
                    .iter()
                    .map(|kernel| kernel.name.as_str())
                    .collect();
                let error =
                    Diagnostic::error(Span::default(), format!("no kernel is called `{name}`"));
                let near = nearest(name, names.iter().copied());
                Box::new(match (near.first(), names.is_empty()) {
                    (Some(near), _) => error.help(format!("did you mean `{near}`?")),
                    (None, false) => error.help(format!("the file defines {}", names.join(", "))),
                    (None, true) => error.help("define one with `__global__ void`"),
                })
            })
    }
}

/// Compiles every kernel of `file` with the macros `defines`.
pub fn compile(file: &SourceFile, defines: &[(String, String)]) -> Compiled {
    let parsed = cuda::parse(file, defines);
    if has_error(&parsed.diagnostics) {
        return Compiled {
            kernels: Vec::new(),
            diagnostics: parsed.diagnostics,
        };
    }
    let mut compiled = lower_all(&parsed.program, file);
    compiled.diagnostics.splice(0..0, parsed.diagnostics);
    compiled
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn lower_all(program: &Program, file: &SourceFile) -> Compiled {
    let (mut kernels, mut diagnostics) = (Vec::new(), Vec::new());
    for (id, function) in program.functions.iter().enumerate() {
        if function.is_kernel {
            match lower::lower(program, id, file) {
                Ok(kernel) => kernels.push(kernel),
                Err(error) => diagnostics.push(*error),
            }
        }
    }
    if has_error(&diagnostics) {
        kernels.clear();
    }
    Compiled {
        kernels,
        diagnostics,
    }
}
