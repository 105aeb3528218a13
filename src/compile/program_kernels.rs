//! The kernels of a whole program, each compiled when it is first launched.

use std::collections::HashMap;
use std::sync::Arc;

use super::cost;
use super::lower;
use super::optimise;
use crate::compile::compiled::Fidelity;
use crate::cuda::{FunctionId, Program};
use crate::ir::{Kernel, Symbol};
use crate::source::{Diagnostic, SourceFile, Work, on_deep_stack};

/// The kernels of a typed program without errors.
pub struct ProgramKernels {
    program: Program,
    file: SourceFile,
    fidelity: Fidelity,
    symbols: Vec<Symbol>,
    compiled: HashMap<FunctionId, Result<Arc<Kernel>, Box<Diagnostic>>>,
}

impl ProgramKernels {
    /// Those of `program`, which was made of `file`.
    pub fn new(program: &Program, file: &SourceFile, fidelity: Fidelity) -> Self {
        let program = on_deep_stack(|| {
            let device = without_host(program);
            match fidelity {
                Fidelity::AsCompiled => optimise::passes(&device, file),
                Fidelity::AsWritten => device,
            }
        });
        ProgramKernels {
            symbols: lower::symbols(&program),
            program,
            file: file.clone(),
            fidelity,
            compiled: HashMap::new(),
        }
    }

    /// Variables at file scope, by their numbers in the program.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// A kernel of the program.
    ///
    /// # Errors
    /// What the compiler does not take of it.
    pub fn kernel(&mut self, id: FunctionId) -> Result<Arc<Kernel>, Box<Diagnostic>> {
        if let Some(known) = self.compiled.get(&id) {
            return known.clone();
        }
        let request = lower::Request {
            file: &self.file,
            fidelity: self.fidelity,
            is_generated: false,
            work: &Work::default(),
        };
        let made = on_deep_stack(|| lower::lower(&self.program, id, &request)).map(|mut kernel| {
            if self.fidelity == Fidelity::AsCompiled {
                cost::recost(&mut kernel, false);
            }
            Arc::new(kernel)
        });
        self.compiled.insert(id, made.clone());
        made
    }
}

/// The program with the bodies of host functions left out: no pass has to know what only they hold.
fn without_host(program: &Program) -> Program {
    let mut program = program.clone();
    for function in program.functions.iter_mut().filter(|f| f.is_host) {
        function.body.clear();
        function.locals.clear();
        function.parameter_count = 0;
    }
    program
}
