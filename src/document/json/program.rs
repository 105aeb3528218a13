//! A whole program that ran, as JSON.

use serde_json::{Value, json};

use super::run::{diagnostics, kernel_run_json};
use crate::document::cells::KernelRun;
use crate::engine::{LaunchDuration, ProgramLaunch, ProgramOutcome};
use crate::launch::{Ending, Engine, KernelSource, Launch, Outcome, Plan, Report};
use crate::source::{Diagnostic, SourceFile};

/// What is to be known of a run of a program beside what came of it.
pub struct ProgramShown<'a> {
    /// Its text.
    pub source: &'a KernelSource,
    /// The GPU that ran its kernels, or was simulated.
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
    let reports = reports(&shown.outcome.reports);
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
    let outcome = outcome(shown, of);
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
    let (name, ns) = match of.duration {
        LaunchDuration::Modelled(ns) => ("modelled_ms", ns),
        LaunchDuration::Measured(ns) => ("measured_ms", ns),
    };
    value[name] = json!(ns as f64 / 1e6);
    value
}

/// What a plan of this launch alone would have given.
fn outcome(shown: &ProgramShown, of: &ProgramLaunch) -> Outcome {
    let (engine, finished) = match of.duration {
        LaunchDuration::Modelled(_) => (Engine::Sim, Ending::Finished),
        // A real GPU counts nothing.
        LaunchDuration::Measured(_) => (Engine::Gpu, Ending::HardwareOnly),
    };
    Outcome {
        engine,
        ending: match of.has_errors() {
            true => Ending::Failed,
            false => finished,
        },
        launches: vec![of.outcome.clone()],
        buffers: of.buffers.clone(),
        reports: reports(&of.reports),
        ..Outcome::blank(shown.gpu)
    }
}

/// Reports of the one source.
fn reports(diagnostics: &[Diagnostic]) -> Vec<Report> {
    let reports = diagnostics.iter().cloned();
    let reports = reports.map(|diagnostic| Report {
        source: 0,
        diagnostic,
    });
    reports.collect()
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
