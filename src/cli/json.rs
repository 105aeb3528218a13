//! What a run did, as JSON. Fields may be added; those here keep their names and meanings.

use serde_json::{Value, json};

use crate::launch::{
    AccessCounts, BufferValues, Evidence, HARDWARE_COUNTERS, LaunchOutcome, Outcome, Plan, Report,
};
use crate::lesson::{CellResult, RunCell};
use crate::source::{Severity, SourceFile, Style, render};

/// Elements at the beginning of a buffer that are printed.
const HEAD: usize = 8;

/// A cell that ran.
pub(super) fn cell(cell: &RunCell, result: &CellResult) -> Value {
    let outcome = &result.outcome;
    let launches: Vec<Value> = outcome
        .launches
        .iter()
        .map(|launched| launch(launched, &cell.source))
        .collect();
    json!({
        "id": cell.id,
        "kind": "run",
        "title": cell.title,
        "sizes": result.sizes,
        "ok": result.ok,
        "launches": launches,
        "counts": outcome.counts(),
        "timing": outcome.timing,
        "agreement": outcome.agreement,
        "formulas": result.formulas,
        "verified": result.verified,
        "diagnostics": diagnostics(&outcome.reports, &[&cell.source]),
    })
}

/// A kernel that ran on its own.
pub(super) fn kernel(plan: &Plan, outcome: &Outcome, ok: bool) -> Value {
    let names = plan.launches.iter().map(|launch| &launch.kernel);
    let lines = outcome.launches.first().map(|launch| &launch.lines);
    let buffers: Vec<Value> = outcome.buffers.iter().map(buffer).collect();
    let files: Vec<&SourceFile> = plan.sources.iter().map(|source| &source.file).collect();
    json!({
        "kernel": names.map(String::as_str).collect::<Vec<_>>().join(", "),
        "engine": outcome.engine,
        "gpu": outcome.gpu,
        "simulated": outcome.simulated,
        "ok": ok,
        "counts": outcome.counts(),
        "evidence": evidence(),
        "lines": lines.cloned().unwrap_or_default(),
        "accesses": accesses(&outcome.accesses(0), &plan.sources[0].file),
        "buffers": buffers,
        "printed": outcome.printed().collect::<Vec<_>>(),
        "timing": outcome.timing,
        "agreement": outcome.agreement,
        "compiled": outcome.launches.first().and_then(|launch| launch.compiled.as_ref()),
        "hardware": outcome.launches.first().map(hardware),
        "diagnostics": diagnostics(&outcome.reports, &files),
    })
}

/// How the counts came to be, where they are there.
fn evidence() -> Value {
    json!({
        "counts": Evidence::Counted,
        "l1": Evidence::Modelled,
        "l2": Evidence::Modelled,
        "dram": Evidence::Modelled,
    })
}

fn launch(launch: &LaunchOutcome, file: &SourceFile) -> Value {
    json!({
        "kernel": launch.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "counts": launch.counts,
        "lines": launch.lines,
        "accesses": accesses(&launch.accesses, file),
        "printed": launch.printed,
        "timing": launch.timing,
        "compiled": launch.compiled,
        "hardware": hardware(launch),
    })
}

/// The hardware's counters beside ours, where they were read.
fn hardware(launch: &LaunchOutcome) -> Value {
    let pairs = HARDWARE_COUNTERS.iter().zip(&launch.hardware);
    pairs
        .map(|(counter, hardware)| {
            let ours = (counter.ours)(&launch.counts);
            json!({"name": counter.name, "hardware": hardware, "ours": ours})
        })
        .collect()
}

/// Each load and store of the source.
fn accesses(accesses: &[AccessCounts], file: &SourceFile) -> Value {
    let of = |access: &AccessCounts| {
        json!({
            "line": access.line,
            "source": file.slice(access.span),
            "kind": access.kind,
            "global": access.global,
            "shared": access.shared,
        })
    };
    accesses.iter().map(of).collect()
}

/// `sum` is null where it is no number: JSON has none for NaN and infinity.
fn buffer(buffer: &BufferValues) -> Value {
    json!({
        "name": buffer.name,
        "type": buffer.element,
        "length": buffer.len(),
        "sum": buffer.sum(),
        "sha256": buffer.sha256(),
        "head": buffer.values().take(HEAD).map(|value| json!(value)).collect::<Vec<_>>(),
    })
}

/// Diagnostics with their place, and as text.
pub(super) fn diagnostics(reports: &[Report], files: &[&SourceFile]) -> Vec<Value> {
    let of = |report: &Report| {
        let file = files.get(report.source)?;
        let diagnostic = &report.diagnostic;
        let (line, column) = file.line_column(diagnostic.span().start);
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        Some(json!({
            "severity": severity,
            "message": diagnostic.message,
            "file": file.name(),
            "line": line,
            "column": column,
            "notes": diagnostic.notes,
            "help": diagnostic.help,
            "rendered": render(diagnostic, file, Style::Plain),
        }))
    };
    reports.iter().filter_map(of).collect()
}
