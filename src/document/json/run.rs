//! What a run did, as JSON.

use serde_json::{Value, json};

use super::recorded;
use crate::document::cells::KernelRun;
use crate::launch::{
    AccessCounts, BufferValues, CountedBoth, Evidence, LaunchOutcome, Outcome, Report, TileTensor,
    TraceComparison, WARP_LANES, ptx_lines,
};
use crate::lesson::{CellResult, RunCell};
use crate::source::{SourceFile, Style, render};

/// Elements at the beginning of a buffer that are printed.
const HEAD: usize = 8;

/// A cell that ran.
pub(crate) fn run_cell(cell: &RunCell, result: &CellResult, with_ptx: bool) -> Value {
    let (outcome, of_gpu) = (&result.outcome, result.recorded.as_ref());
    let launches: Vec<Value> = outcome
        .launches
        .iter()
        .map(|launched| {
            let mut shown = launch(launched, outcome.is_counted(), &cell.source);
            if with_ptx {
                shown["ptx_lines"] = ptx(launched);
            }
            shown["timing"] = recorded::timing(launched.real.timing.as_ref(), of_gpu);
            shown
        })
        .collect();
    json!({
        "id": cell.id,
        "kind": "run",
        "engine": outcome.engine,
        "title": cell.title,
        "sizes": result.sizes,
        "ok": result.ok,
        "verdict": result.verdict(false),
        "launches": launches,
        "counts": outcome.is_counted().then(|| outcome.counts()),
        "timing": recorded::timing(outcome.timing.as_ref(), of_gpu),
        "recorded": of_gpu.map(recorded::recorded),
        "baselines": baselines(outcome),
        "agreement": outcome.agreement,
        "formulas": result.formulas,
        "verified": result.verified,
        "diagnostics": diagnostics(&outcome.reports, &[&cell.source]),
    })
}

/// A kernel that ran on its own.
pub fn kernel_run_json(run: &KernelRun, with_ptx: bool) -> Value {
    let (plan, outcome) = (run.plan, run.outcome);
    // One launch today; the field is a string by contract, so several would be joined.
    let names = plan.launches.iter().map(|launch| &launch.kernel);
    // `tutor run kernel` has one launch and one source.
    let lines = outcome.launches.first().map(|launch| &launch.lines);
    let sums = BufferValues::sums(&outcome.buffers);
    let buffers = outcome.buffers.iter().zip(sums);
    let buffers: Vec<Value> = buffers.map(|(values, sum)| buffer(values, sum)).collect();
    let files: Vec<&SourceFile> = plan.sources.iter().map(|source| &source.file).collect();
    let mut shown = json!({
        "kernel": names.map(String::as_str).collect::<Vec<_>>().join(", "),
        "engine": outcome.engine,
        "gpu": outcome.gpu,
        "simulated": outcome.simulated,
        "ok": run.ok,
        "expected": run.compared,
        "counts": outcome.is_counted().then(|| outcome.counts()),
        "evidence": evidence(),
        "lines": lines.cloned().unwrap_or_default(),
        "accesses": accesses(&outcome.accesses(0), &plan.sources[0].file),
        "buffers": buffers,
        "printed": outcome.printed().collect::<Vec<_>>(),
        "timing": outcome.timing,
        "baselines": baselines(outcome),
        "agreement": outcome.agreement,
        "diagnostics": diagnostics(&outcome.reports, &files),
    });
    if with_ptx {
        shown["ptx_lines"] = json!(outcome.launches.first().map(ptx));
    }
    let tiles = outcome.launches.first().and_then(|of| of.tiles.as_deref());
    if let Some(tiles) = tiles {
        shown["layouts"] = tiles.tensors.iter().map(layout).collect();
        shown["facts"] = json!(tiles.facts);
        shown["thread_program"] = json!({"text": tiles.file.text(), "lines": tiles.lines});
    }
    with_gpu(shown, outcome.launches.first())
}

/// Who holds the elements of a Triton kernel's tensor.
fn layout(tensor: &TileTensor) -> Value {
    json!({
        "tensor": tensor.name,
        "type": tensor.type_name,
        "layout": tensor.notation,
        "words": tensor.words,
        "registers": tensor.registers,
    })
}

/// What NVIDIA's libraries took, and how many times as long as that ours takes.
fn baselines(outcome: &Outcome) -> Vec<Value> {
    let baselines = outcome.baselines.iter();
    let shown = baselines.map(|baseline| {
        let mut shown = json!(baseline);
        shown["slower_by"] = json!(baseline.slower_by(outcome.timing.as_ref()));
        shown
    });
    shown.collect()
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

fn launch(launch: &LaunchOutcome, is_counted: bool, file: &SourceFile) -> Value {
    let shown = json!({
        "kernel": launch.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "counts": is_counted.then_some(launch.counts),
        "lines": launch.lines,
        "accesses": accesses(&launch.accesses, file),
        "printed": launch.printed,
        "timing": launch.real.timing,
    });
    with_gpu(shown, Some(launch))
}

/// `shown` with what only a real GPU gives of a launch.
fn with_gpu(mut shown: Value, launch: Option<&LaunchOutcome>) -> Value {
    let counted = launch.and_then(|launch| launch.real.counted.as_ref());
    let compared = launch.and_then(|launch| launch.real.compared.as_ref());
    shown["compiled"] = json!(launch.and_then(|launch| launch.real.compiled.as_ref()));
    shown["hardware"] = json!(launch.map(hardware));
    shown["counted_on_gpu"] = json!(counted.map(counted_both));
    shown["values"] = json!(compared.map(values));
    shown
}

/// The lines of a launch's PTX, each with its line of the source.
fn ptx(launch: &LaunchOutcome) -> Value {
    let compiled = launch.real.compiled.as_ref();
    json!(compiled.map(|report| ptx_lines(&report.ptx)))
}

/// The hardware's counters beside ours, where they were read.
fn hardware(launch: &LaunchOutcome) -> Value {
    let both = launch.hardware_and_ours().enumerate();
    both.map(|(at, (counter, hardware, ours))| {
        let mut shown = json!({"name": counter.name, "hardware": hardware, "ours": ours});
        if let Some(triton) = launch.real.triton.get(at) {
            shown["triton"] = json!(triton);
        }
        shown
    })
    .collect()
}

/// What both engines counted of the text as it is written.
fn counted_both(counted: &CountedBoth) -> Value {
    let pairs = counted.pairs().into_iter();
    let pairs = pairs.map(
        |(name, device, simulated)| json!({"name": name, "device": device, "simulated": simulated}),
    );
    json!({
        "equal": counted.agrees(),
        "uncounted_accesses": counted.uncounted,
        "counts": pairs.collect::<Vec<_>>(),
    })
}

/// The values of a warp on both engines: each variable, and each visit lane by lane.
fn values(compared: &TraceComparison) -> Value {
    let variables = compared.variables.iter().map(|variable| {
        json!({
            "name": variable.name,
            "type": variable.type_name,
            "line": variable.line,
            "compared": variable.counts.compared,
            "equal": variable.counts.equal,
            "rounding": variable.counts.rounding,
            "different": variable.counts.different,
            "only_one_side": variable.counts.one_sided,
            "largest_ulps": variable.counts.largest_ulps,
        })
    });
    let visits = compared.visits.iter().map(|visit| {
        let of = compared.variables.get(visit.variable);
        let value_type = of.map(|variable| variable.value_type);
        // A lane that took no part, or that one side has no value of, is null.
        let lanes = |bits: &[Option<u64>; WARP_LANES]| -> Vec<Value> {
            let value = |bits: u64| value_type.map(|ty| json!(ty.value(bits)));
            let lanes = bits.iter().map(|bits| json!(bits.and_then(value)));
            lanes.collect()
        };
        json!({
            "line": visit.line,
            "variable": of.map(|variable| &variable.name),
            "visit": visit.visit,
            "simulated": lanes(&visit.simulated),
            "real": lanes(&visit.real),
            "classes": visit.classes,
        })
    });
    json!({
        "device": compared.device,
        "evidence": compared.evidence,
        "agree": compared.agrees(),
        "variables": variables.collect::<Vec<_>>(),
        "visits": visits.collect::<Vec<_>>(),
    })
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
fn buffer(buffer: &BufferValues, sum: f64) -> Value {
    json!({
        "name": buffer.name,
        "type": buffer.element,
        "length": buffer.len(),
        "sum": sum,
        "sha256": buffer.sha256(),
        "head": buffer.values().take(HEAD).map(|value| json!(value)).collect::<Vec<_>>(),
    })
}

/// Diagnostics with their place, and as text.
pub(super) fn diagnostics(reports: &[Report], files: &[&SourceFile]) -> Vec<Value> {
    let of = |report: &Report| {
        // A report of a file that is not the plan's cannot be shown at its place.
        let file = files.get(report.source)?;
        let diagnostic = &report.diagnostic;
        let (line, column) = file.line_column(diagnostic.span().start);
        Some(json!({
            "severity": diagnostic.severity.word(),
            "message": diagnostic.message,
            "file": file.file_of(diagnostic.span().start).0,
            "line": line,
            "column": column,
            "notes": diagnostic.notes,
            "help": diagnostic.help,
            "rendered": render(diagnostic, file, Style::Plain),
        }))
    };
    reports.iter().filter_map(of).collect()
}
