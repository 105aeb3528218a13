//! What is recorded of a cell: where it comes from, and the sizes there are.

use super::measured::MICRO;
use crate::document::block::{Block, Table};
use crate::document::columns::{decimals, thousands};
use crate::launch::{Recorded, RecordedRun, time_text};

/// Where the recording comes from, and its times at every size where those of this run are not among them.
pub(crate) fn section_of(of: &Recorded) -> Vec<Block> {
    let mut lines = vec![source(of)];
    if of.is_stale {
        lines.push("\u{2717} STALE: the kernel has changed since".to_owned());
    }
    lines.extend(of.cell.notes.iter().cloned());
    match at_other_sizes(of) {
        Some(times) => vec![times, Block::lines("", lines)],
        None => vec![Block::lines("Recording", lines)],
    }
}

/// `NVIDIA H200, 2026-11-20, driver 580.95.05, CUDA 13.0, NVRTC 13.0, SMs at 1,980 of 1,980 MHz`.
fn source(of: &Recorded) -> String {
    let from = &of.provenance;
    let mut parts = vec![from.device.clone(), from.date.clone()];
    parts.extend(
        from.driver
            .as_ref()
            .map(|driver| format!("driver {driver}")),
    );
    parts.push(format!("CUDA {}", from.cuda));
    parts.push(format!("NVRTC {}", from.nvrtc));
    let mhz = |mhz: u32| thousands(mhz.into());
    // Clocks below their limit explain times above the expected: both are told where both are known.
    parts.extend(match (from.clocks_mhz.sm, from.clocks_mhz.sm_max) {
        (Some(sm), Some(most)) => Some(format!("SMs at {} of {} MHz", mhz(sm), mhz(most))),
        (None, Some(most)) => Some(format!("SMs at most at {} MHz", mhz(most))),
        _ => None,
    });
    parts.join(", ")
}

fn at_other_sizes(of: &Recorded) -> Option<Block> {
    // Where this run's sizes were recorded, its times stand in the table of times already.
    let first = of.cell.runs.first().filter(|_| of.run.is_none())?;
    let names = first.sizes.keys().map(String::as_str);
    let header: Vec<&str> = names.chain(["median", "20 %", "80 %", "GB/s"]).collect();
    let title = format!(
        "Times at other sizes (recorded on {}, {}; none at these)",
        of.provenance.device, of.provenance.date
    );
    let rows: Vec<Vec<String>> = of.cell.runs.iter().filter_map(row).collect();
    Some(Block::Table(Table::new(title, &header, 0, rows)))
}

fn row(run: &RecordedRun) -> Option<Vec<String>> {
    let timing = run.timing.as_ref()?;
    let mut row: Vec<String> = run.sizes.values().map(|&size| thousands(size)).collect();
    let times = [timing.median_ms, timing.p20_ms, timing.p80_ms];
    row.extend(times.map(|ms| time_text(ms, MICRO)));
    row.push(decimals(timing.gb_s, 0));
    Some(row)
}
