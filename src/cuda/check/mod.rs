//! Tree to typed program: names, types, conversions, constants.
//!
//! Two passes over a file. The first declares what stands at file scope and orders the functions,
//! callees first; the second checks bodies, and makes what templates are asked for when it comes to
//! a call. A part that is wrong becomes nothing (`None`) and reports why, each time that it is met;
//! whatever contains it becomes nothing as well.

mod calls;

mod builtin_calls;

mod objects;

mod expressions;

mod statements;

mod templates;

mod declarations;

use crate::source::{Diagnostic, Span};

use super::ast::{Path, Unit};
use super::resolve::{Checker, listed};
use super::typed::{FunctionId, Program};

/// What checking gave.
pub struct Checked {
    /// The program.
    pub program: Program,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The kernel that each request names, or what is wrong with it.
    pub requests: Vec<Result<FunctionId, Diagnostic>>,
    /// Templates of kernels: their names and their parameters.
    pub templates: Vec<(String, String)>,
    /// Where what is left to the host stands.
    pub left_to_host: Vec<Span>,
}

/// The program of a file with the kernels that `requests` name, and what is wrong with it besides
/// what was `found` when it was read.
pub fn check(unit: &Unit, requests: &[Path], found: &[Diagnostic]) -> Checked {
    let mut checker = Checker::new(found, false);
    checker.aside.is_used = !requests.is_empty();
    checker.file(unit);
    checked(checker, unit, requests)
}

/// The program of a file from its `main` on, and what is wrong with what that reaches.
pub fn check_program(unit: &Unit, found: &[Diagnostic]) -> Checked {
    let mut checker = Checker::new(found, true);
    checker.whole_program(unit);
    checked(checker, unit, &[])
}

fn checked(mut checker: Checker, unit: &Unit, requests: &[Path]) -> Checked {
    checker.names.go_to(unit.items.len(), "");
    let requests = requests.iter().map(|path| checker.request(path)).collect();
    checker.finish_launched();
    checker.finish_dispatchers();
    checker.warn_of_unreached();
    let kernels = checker.functions.templates.iter().filter(|template| {
        let specifiers = &template.function.specifiers;
        specifiers.global.is_some()
    });
    let templates = kernels.map(|t| (t.name.to_string(), listed(&t.params)));
    Checked {
        templates: templates.collect(),
        program: checker.program,
        diagnostics: checker.reports.into_diagnostics(),
        left_to_host: checker.host.left_out,
        requests,
    }
}
