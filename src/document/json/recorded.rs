//! What is recorded of a cell, as JSON.

use serde_json::{Value, json};

use crate::launch::{Evidence, Recorded, RecordedRun, Timing};

/// Times; of recorded ones also when that was, and whether the kernel has changed since.
pub(super) fn timing(timing: Option<&Timing>, recorded: Option<&Recorded>) -> Value {
    let mut shown = json!(timing);
    // A time that was measured just now cannot be stale, though a recording stands beside it.
    let is_recorded = timing.is_some_and(|timing| timing.evidence == Evidence::Recorded);
    if let Some(recorded) = recorded.filter(|_| is_recorded) {
        shown["stale"] = json!(recorded.is_stale);
        shown["recorded_on"] = json!(recorded.provenance.date);
    }
    shown
}

/// Where and when a cell was recorded, and how long it took at each size.
pub(super) fn recorded(of: &Recorded) -> Value {
    let run = |(at, run): (usize, &RecordedRun)| {
        let launches = run.launches.iter().map(|launch| {
            let median_ms = launch.timing.as_ref().map(|timing| timing.median_ms);
            json!({"kernel": launch.kernel, "median_ms": median_ms})
        });
        let all = run.timing.as_ref();
        json!({
            "sizes": run.sizes,
            "these_sizes": of.run == Some(at),
            "median_ms": all.map(|timing| timing.median_ms),
            "p20_ms": all.map(|timing| timing.p20_ms),
            "p80_ms": all.map(|timing| timing.p80_ms),
            "gb_s": all.and_then(|timing| timing.gb_s),
            "max_abs_error": run.max_abs_error,
            "launches": launches.collect::<Vec<_>>(),
        })
    };
    let runs = of.cell.runs.iter().enumerate().map(run);
    let mut shown = json!(*of.provenance);
    shown["source"] = json!(of.cell.source);
    shown["sha256"] = json!(of.cell.sha256);
    shown["stale"] = json!(of.is_stale);
    shown["notes"] = json!(of.cell.notes);
    shown["runs"] = runs.collect();
    shown
}
