//! Calls of functions that cannot run here.

use std::rc::Rc;

use crate::source::{Diagnostic, Span};

use crate::cuda::builtin::unsupported;
use crate::cuda::resolve::{BodyState, Checker, RunsOn, Side, Signature};
use crate::cuda::typed::FunctionId;

/// What to do about a function that is only declared.
pub const DEFINE_IT: &str =
    "define it in this file, or name the file that does, too: `tutor run program FILE.cu OTHER.cu`";

impl Checker {
    /// Reports a function that cannot run here.
    pub fn refuse_call(&mut self, signature: &Signature, at: Span) -> Option<()> {
        if signature.function.traits.is_deleted {
            let message = format!("`{}` is deleted", signature.name);
            let error = Diagnostic::error(at, message).also(signature.span, "here");
            return self.refuse(error);
        }
        let is_host = signature.runs_on == RunsOn::Host && self.frame.side != Side::Gpu;
        if is_host && signature.is_defined() {
            self.frame.uses_host = true;
            return Some(());
        }
        if self.frame.side != Side::Gpu && !is_host {
            return self.refuse_call_by_host(signature, at);
        }
        if let Some((what, help)) = unsupported::refused(&signature.name)
            && signature.is_prototype_of_library()
        {
            return self.refuse(Diagnostic::error(at, what).help(help));
        }
        let (message, help) = if signature.runs_on == RunsOn::Kernel {
            (
                "is a kernel: a kernel cannot call it",
                "make what they share a `__device__` function",
            )
        } else if signature.runs_on == RunsOn::Host && !is_host {
            (
                "runs on the host: a kernel cannot call it",
                instead_of(signature),
            )
        } else if !signature.is_defined() {
            ("is declared but defined nowhere", DEFINE_IT)
        } else {
            return Some(());
        };
        let error = Diagnostic::error(at, format!("`{}` {message}", signature.name))
            .also(signature.span, "declared here");
        self.refuse(error.help(help))
    }

    /// The number of a function that may be called here: one for both sides may do what only the host does.
    pub fn for_this_side(&mut self, id: FunctionId, index: usize, at: Span) -> Option<FunctionId> {
        let signature = &self.functions.signatures[index];
        let is_host = self.program.functions[id].is_host && signature.runs_on == RunsOn::Device;
        if is_host && self.frame.side == Side::Gpu {
            return self.body_for_gpu(index, at);
        }
        self.frame.uses_host |= is_host;
        Some(id)
    }

    /// A function of both sides once more, for kernels alone: texts, calls of itself and the like are others there.
    fn body_for_gpu(&mut self, index: usize, at: Span) -> Option<FunctionId> {
        let second = match self.functions.for_gpu.get(&index) {
            Some(second) => *second,
            None => {
                let mut signature = self.functions.signatures[index].clone();
                let mut function = (*signature.function).clone();
                function.specifiers.host = None;
                (signature.function, signature.state) = (Rc::new(function), BodyState::New);
                let second = self.functions.add(signature);
                self.functions.for_gpu.insert(index, second);
                second
            }
        };
        if self.functions.signatures[second].state == BodyState::Open {
            return Some(self.number_of_open(second));
        }
        let id = self.body_of(second)?;
        if !self.program.functions[id].is_host {
            return Some(id);
        }
        let signature = &self.functions.signatures[index];
        let message = format!("`{}` does what only the host can do", signature.name);
        let error = Diagnostic::error(at, message).also(signature.span, "declared here");
        self.refuse(
            error.help("leave out what needs the host: `std::`, `new` of the host, exceptions"),
        )
    }

    /// Reports a function that the host cannot call.
    fn refuse_call_by_host(&mut self, signature: &Signature, at: Span) -> Option<()> {
        let is_for_both = signature.function.specifiers.host.is_some();
        let (message, help) = match signature.runs_on {
            RunsOn::Kernel => ("is a kernel", "launch it: `kernel<<<grid, block>>>(…)`"),
            _ if !signature.is_defined() => ("is declared but defined nowhere", DEFINE_IT),
            // What an algorithm of a library calls runs on the GPU: the host only stands in for it here.
            RunsOn::Device if is_algorithm(&self.frame.function.name) => return Some(()),
            RunsOn::Device if !is_for_both && self.frame.side == Side::Host => (
                "runs on the GPU: the host cannot call it",
                "put `__host__` before it",
            ),
            _ => return Some(()),
        };
        let error = Diagnostic::error(at, format!("`{}` {message}", signature.name))
            .also(signature.span, "declared here");
        self.refuse(error.help(help))
    }
}

/// What to do about a kernel's call of a function of the host.
fn instead_of(signature: &Signature) -> &'static str {
    match signature.is_library() {
        true => "call it in code of the host, and pass the kernel what it gives",
        false => "put `__device__` before it",
    }
}

/// Whether a function belongs to one of the libraries whose algorithms run on the GPU.
fn is_algorithm(function: &str) -> bool {
    // Thrust's texts call those of the standard library.
    let libraries = ["thrust::", "cub::", "std::"];
    libraries
        .iter()
        .any(|library| function.starts_with(library))
}
