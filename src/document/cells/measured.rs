//! What a real GPU gave: times, what the compiler made, and how far values are from the
//! simulated GPU's.

use crate::device::occupancy_text;
use crate::document::block::{Block, Table};
use crate::document::columns::{decimals, percent, thousands};
use crate::launch::{
    Agreement, CountedBoth, LaunchOutcome, Outcome, Recorded, Timing, TraceComparison, time_text,
};

/// The unit of short times.
pub(crate) const MICRO: &str = "µs";

/// Baselines and compile reports of the launches, and agreement of the buffers; nothing where there is neither
/// a real GPU nor a recording of one.
pub(crate) fn tables(outcome: &Outcome, recorded: Option<&Recorded>) -> Vec<Block> {
    let mut tables = Vec::new();
    tables.extend(baselines(outcome, recorded));
    tables.extend(reports(outcome, recorded));
    tables.extend(agreement(outcome, recorded));
    for launch in &outcome.launches {
        tables.extend(counters(launch, recorded));
        let both = launch.real.counted.as_ref();
        tables.extend(both.into_iter().flat_map(|both| counted(launch, both)));
        let both = launch.real.compared.as_ref();
        tables.extend(both.map(|both| values(launch, both)));
    }
    tables
}

/// What stands above [`timing_row`].
const TIMING: [&str; 8] = [
    "",
    "median",
    "20 %",
    "80 %",
    "GB/s",
    "of peak",
    "of a copy",
    "TFLOP/s",
];

/// How long something took, and how that compares with the GPU's peak and a copy.
fn timing_row(name: &str, timing: &Timing) -> Vec<String> {
    vec![
        name.to_owned(),
        time_text(timing.median_ms, MICRO),
        time_text(timing.p20_ms, MICRO),
        time_text(timing.p80_ms, MICRO),
        decimals(timing.gb_s, 0),
        percent(timing.share_of_peak_bandwidth),
        percent(timing.share_of_copy_bandwidth),
        decimals(timing.tflop_s, 3),
    ]
}

/// How long each launch took, and all together.
pub(crate) fn times(outcome: &Outcome, recorded: Option<&Recorded>) -> Option<Block> {
    let launches = outcome.launches.iter();
    let mut named: Vec<(&str, &Timing)> = launches
        .filter_map(|launch| Some((launch.kernel.as_str(), launch.real.timing.as_ref()?)))
        .collect();
    let (_, first) = named.first()?;
    // One launch was timed on one device at one time: the first says it of all.
    let how = match recorded {
        Some(recorded) => format!("recorded on {}, {}", first.device, recorded.provenance.date),
        None => format!("measured on {}", first.device),
    };
    let title = format!(
        "Times ({how}, median of {} runs, L2 {})",
        first.runs, first.l2
    );
    // The sum of one launch is that launch.
    if named.len() > 1 {
        named.extend(outcome.timing.as_ref().map(|timing| ("all", timing)));
    }
    let rows = named.into_iter();
    let mut rows: Vec<_> = rows
        .map(|(name, timing)| timing_row(name, timing))
        .collect();
    let graph_ms = outcome.timing.as_ref().and_then(|timing| timing.graph_ms);
    rows.extend(graph_ms.map(|ms| {
        let mut row = vec!["all, as one CUDA graph".to_owned(), time_text(ms, MICRO)];
        // A graph is timed as a whole: there is no spread, and no rate of its own.
        row.resize(TIMING.len(), String::new());
        row
    }));
    Some(Block::Table(Table::new(title, &TIMING, 1, rows)))
}

/// What libraries and compilers of others took in the same run, or why they did not run.
fn baselines(outcome: &Outcome, recorded: Option<&Recorded>) -> Vec<Block> {
    if outcome.baselines.is_empty() {
        return Vec::new();
    }
    let header = [&TIMING[..], &["ours takes", "largest error"]].concat();
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    for baseline in &outcome.baselines {
        let version = baseline.version.as_deref().unwrap_or_default();
        let name = format!("{} {version}", baseline.name);
        // A library that is not there, or refused the operation, is told below the table.
        let Some(timing) = &baseline.timing else {
            let why = baseline.reason.as_deref().unwrap_or("it did not run");
            missing.push(format!("{}: {why}", name.trim_end()));
            continue;
        };
        // Of the whole cell: a library's softmax is one call, whatever number of launches ours takes.
        let ours = baseline.slower_by(outcome.timing.as_ref());
        let error = baseline.max_abs_error;
        let mut row = timing_row(&name, timing);
        row.extend([
            ours.map_or_else(|| "-".to_owned(), |ours| format!("{ours:.2} ×")),
            error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1e}")),
        ]);
        rows.push(row);
    }
    let how = recorded.map_or("measured", |_| "recorded");
    let title = format!("Baselines ({how} in the same way in the same run)");
    let mut blocks = with_lines(Table::new(title, &header, 1, rows), missing);
    for baseline in &outcome.baselines {
        let title = format!(
            "What {} left in the buffers, beside ours ({how})",
            baseline.name
        );
        blocks.extend(agreements(&baseline.agreement, title));
    }
    blocks
}

/// A table and lines below it; the lines alone, under its title, where it has no rows.
fn with_lines(table: Table, lines: Vec<String>) -> Vec<Block> {
    if table.rows.is_empty() {
        return vec![Block::lines(table.title, lines)];
    }
    let lines = Some(lines).filter(|lines| !lines.is_empty());
    let lines = lines.map(|lines| Block::lines("", lines));
    std::iter::once(Block::Table(table)).chain(lines).collect()
}

fn reports(outcome: &Outcome, recorded: Option<&Recorded>) -> Option<Block> {
    let header = [
        "",
        "registers",
        "shared",
        "local",
        "blocks per SM",
        "occupancy",
        "limited by",
    ];
    let mut rows = Vec::new();
    for launch in &outcome.launches {
        if let Some(report) = &launch.real.compiled {
            rows.push(vec![
                launch.kernel.clone(),
                report.registers.to_string(),
                format!("{} B", thousands(report.static_shared_bytes.into())),
                format!("{} B", thousands(report.local_bytes.into())),
                report.blocks_per_sm.to_string(),
                report
                    .occupancy
                    .map_or_else(|| "-".to_owned(), occupancy_text),
                report.limited_by.join(", "),
            ]);
        }
    }
    let mut compiled = outcome
        .launches
        .iter()
        .filter_map(|l| l.real.compiled.as_ref());
    let first = compiled.next()?;
    let how = recorded.map_or("", |_| ", recorded");
    let title = format!("Compiled for it (by {}{how})", first.compiled_by);
    Some(Block::Table(Table::new(title, &header, 1, rows)))
}

/// The hardware's counters, those that are zero on both sides left out.
fn counters(launch: &LaunchOutcome, recorded: Option<&Recorded>) -> Option<Block> {
    if launch.real.hardware.is_empty() {
        return None;
    }
    let mut header = vec!["", "", "hardware", "ours", "ours / hardware"];
    header.extend((!launch.real.triton.is_empty()).then_some("Triton's own code"));
    let mut rows = Vec::new();
    for (at, (counter, hardware, ours)) in launch.hardware_and_ours().enumerate() {
        let (Some(hardware), Some(ours)) = (hardware, ours) else {
            continue;
        };
        // Most kernels leave most counters at zero: sixteen rows would hide those that say something.
        if hardware == 0 && ours == 0 {
            continue;
        }
        let mut row = vec![
            if hardware == ours { "=" } else { "≠" }.to_owned(),
            counter.name.to_owned(),
            thousands(hardware),
            thousands(ours),
            percent((hardware > 0).then(|| ours as f64 / hardware as f64)),
        ];
        let triton = launch.real.triton.get(at);
        row.extend(triton.map(|count| count.map_or_else(|| "-".to_owned(), thousands)));
        rows.push(row);
    }
    let how = recorded.map_or("measured", |_| "recorded");
    let title = format!(
        "Counters of the hardware in {} ({how} by Nsight Compute; caches empty before it, on both sides)",
        launch.kernel
    );
    Some(Block::Table(Table::new(title, &header, 2, rows)))
}

/// What both engines counted of the text as it is written; what is zero on both is left out.
fn counted(launch: &LaunchOutcome, both: &CountedBoth) -> Vec<Block> {
    let header = ["", "", "device", "simulated"];
    let mut rows = Vec::new();
    for (name, device, simulated) in both.pairs() {
        // As above: what neither counted is no news.
        if device + simulated > 0 {
            rows.push(vec![
                if device == simulated { "=" } else { "≠" }.to_owned(),
                name.to_owned(),
                thousands(device),
                thousands(simulated),
            ]);
        }
    }
    let title = format!(
        "Accesses of {} as it is written (counted on the device, and simulated)",
        launch.kernel
    );
    let uncounted = match both.uncounted {
        0 => Vec::new(),
        accesses => vec![format!(
            "{accesses} accesses in the source cannot be counted on the device"
        )],
    };
    with_lines(Table::new(title, &header, 2, rows), uncounted)
}

/// How the values of the watched warp compare, variable by variable.
fn values(launch: &LaunchOutcome, both: &TraceComparison) -> Block {
    let header = [
        "",
        "variable",
        "line",
        "values",
        "equal",
        "rounded",
        "different",
        "one side",
        "most ulp",
    ];
    let mut rows = Vec::new();
    for variable in &both.variables {
        // Rounding is no difference: the GPU contracts and reorders within the rules of the language.
        let differs = variable.counts.different + variable.counts.one_sided > 0;
        rows.push(vec![
            if differs { "≠" } else { "=" }.to_owned(),
            format!("{} {}", variable.type_name, variable.name),
            variable.line.to_string(),
            thousands(variable.counts.compared),
            thousands(variable.counts.equal),
            thousands(variable.counts.rounding),
            thousands(variable.counts.different),
            thousands(variable.counts.one_sided),
            thousands(variable.counts.largest_ulps),
        ]);
    }
    let title = format!(
        "Values in a warp of {} ({} on {}, and simulated)",
        launch.kernel,
        both.evidence.word(),
        both.device
    );
    Block::Table(Table::new(title, &header, 2, rows))
}

fn agreement(outcome: &Outcome, recorded: Option<&Recorded>) -> Option<Block> {
    let how = recorded.map_or("computed", |_| "recorded");
    let title = format!("Its values beside the simulated GPU's ({how})");
    agreements(&outcome.agreement, title)
}

/// A row for each buffer that is held against another; nothing of none.
fn agreements(buffers: &[Agreement], title: String) -> Option<Block> {
    if buffers.is_empty() {
        return None;
    }
    let header = ["", "elements", "same bits", "furthest apart", "difference"];
    let mut rows = Vec::new();
    for buffer in buffers {
        rows.push(vec![
            buffer.name.clone(),
            thousands(buffer.elements),
            thousands(buffer.equal),
            buffer
                .most_ulp
                .map_or_else(|| "-".to_owned(), |ulp| format!("{} ulp", thousands(ulp))),
            format!("{:.2e}", buffer.max_abs_difference),
        ]);
    }
    Some(Block::Table(Table::new(title, &header, 1, rows)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Work, Yardsticks};

    #[test]
    fn a_share_that_is_not_known_is_a_dash() {
        let yardsticks = Yardsticks {
            device: "NVIDIA H200".to_owned(),
            l2: "warm".to_owned(),
            peak_gb_s: None,
            copy_gb_s: Some(2.0),
        };
        let work = Work {
            distinct_bytes: 1_000_000,
            operations: 0,
        };
        let timing = Timing::measured(&[1.0], work, &yardsticks).expect("one run");
        assert_eq!(percent(timing.share_of_peak_bandwidth), "-");
        assert_eq!(percent(timing.share_of_copy_bandwidth), "50.0 %");
    }
}
