//! A whole program that ran, as JSON.

use serde_json::{Value, json};

use super::run::{diagnostics, kernel_run_json};
use crate::document::cells::KernelRun;
use crate::engine::{ProgramLaunch, ProgramOutcome};
use crate::launch::{Ending, KernelSource, Launch, Outcome, Plan, Report};
use crate::source::SourceFile;

/// What is to be known of a run of a program beside what came of it.
pub struct ProgramShown<'a> {
    /// Its text.
    pub source: &'a KernelSource,
    /// The GPU that was simulated.
    pub gpu: &'a str,
    /// What it wrote to standard output.
    pub stdout: &'a [u8],
    /// What came of it.
    pub outcome: &'a ProgramOutcome,
}

/// A program that ran; its launches are those of `tutor run kernel`, with where and how they were made.
pub fn program_json(shown: &ProgramShown) -> Value {
    let launches = shown.outcome.launches.iter();
    let launches: Vec<Value> = launches.map(|of| launch(shown, of)).collect();
    let reports = shown.outcome.reports.iter().cloned();
    let reports: Vec<Report> = reports
        .map(|diagnostic| Report {
            source: 0,
            diagnostic,
        })
        .collect();
    json!({
        "program": shown.source.file.name(),
        "exit": shown.outcome.code,
        "stdout": String::from_utf8_lossy(shown.stdout),
        "gpu": shown.gpu,
        "launches": launches,
        "diagnostics": diagnostics(&reports, &[&shown.source.file]),
    })
}

fn launch(shown: &ProgramShown, of: &ProgramLaunch) -> Value {
    let plan = Plan {
        sources: vec![shown.source.clone()],
        launches: vec![planned(of)],
        ..Plan::default()
    };
    let reports = of.reports.iter().cloned();
    let reports = reports.map(|diagnostic| Report {
        source: 0,
        diagnostic,
    });
    let outcome = Outcome {
        ending: match of.has_errors() {
            true => Ending::Failed,
            false => Ending::Finished,
        },
        launches: vec![of.outcome.clone()],
        buffers: of.buffers.clone(),
        reports: reports.collect(),
        ..Outcome::blank(shown.gpu)
    };
    let run = KernelRun {
        plan: &plan,
        outcome: &outcome,
        compared: &[],
        unreached: &[],
        ok: !of.has_errors(),
    };
    let mut value = kernel_run_json(&run, false);
    value["grid"] = json!(of.outcome.grid);
    value["block"] = json!(of.outcome.block);
    value["launched_at"] = json!(place(&shown.source.file, of));
    value["modelled_ms"] = json!(of.modelled_ns as f64 / 1e6);
    value
}

/// The launch as a plan has it; its arguments are the program's own.
fn planned(of: &ProgramLaunch) -> Launch {
    Launch {
        kernel: of.outcome.kernel.clone(),
        source: 0,
        grid: of.outcome.grid,
        block: of.outcome.block,
        shared_bytes: 0,
        arguments: Vec::new(),
    }
}

/// The line of the launch.
fn place(file: &SourceFile, of: &ProgramLaunch) -> u32 {
    file.line(of.span.start)
}
