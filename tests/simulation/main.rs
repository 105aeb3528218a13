//! The compiler and the simulated GPU, from outside: kernels that must be read or refused, what they compute, count and
//! print, and what is shown of them step by step; whole programs, the answers to exercises that are kept, and how much
//! memory a run takes.
//!
//! `cargo test --release --test simulation` runs them: without optimisation they take ten minutes.

mod case;
mod checks;
mod corpora;
mod counters;
mod declarations;
mod differential;
mod execution;
mod exercises;
mod frontend;
mod growth;
mod headers;
mod invariants;
mod levels;
mod memory;
mod stepping;
mod symbols;
mod targets;
mod tensor_cores;
mod traces;
mod triton;
mod triton_counters;
mod triton_factors;
mod triton_language;
mod triton_numbers;
mod whole_programs;

#[path = "../tutor/files.rs"]
mod files;
#[path = "../tutor/program.rs"]
mod program;

use tutor::launch::{Outcome, Plan};
use tutor::source::{Style, render};

/// What was reported of a plan of one file, as a user sees it.
fn rendered_reports(plan: &Plan, outcome: &Outcome) -> String {
    let file = &plan.sources[0].file;
    let reports = outcome.reports.iter();
    let reports = reports.map(|report| render(&report.diagnostic, file, Style::Plain));
    reports.collect::<Vec<_>>().join("\n")
}
