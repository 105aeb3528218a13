//! From a typed program to one that is ready to run.

use crate::cuda::{self, FunctionId};
use crate::source::Diagnostic;

use super::library::native;
use super::lower::lower;
use super::machine::{Function, Library, Program};

/// Makes a program ready to run: what `main` reaches, and `roots`, such as functions that are called from outside.
///
/// # Errors
/// What it calls that no library has, and functions too large to run.
pub fn load(
    program: &cuda::Program,
    library: &dyn Library,
    roots: &[FunctionId],
) -> Result<Program, Vec<Diagnostic>> {
    let image = lower(program, roots)?;
    let mut diagnostics = Vec::new();
    let mut functions = Vec::new();
    for called in &image.sites.names {
        let name = &called.name;
        if let Some(function) = native(name).or_else(|| library.native(name)) {
            functions.push(Function::Native(function));
        } else if let Some(number) = library.find(name) {
            functions.push(Function::Other(number));
        } else {
            let message = format!("`{name}` is not known here");
            let error = Diagnostic::error(called.span, message);
            let error = error.label("a program that runs here cannot call it");
            diagnostics.push(error);
        }
    }
    match diagnostics.is_empty() {
        true => Ok(Program { image, functions }),
        false => Err(diagnostics),
    }
}
