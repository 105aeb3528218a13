//! What a real GPU gave, as text: times, what the compiler made, and how far values are from the
//! simulated GPU's.

use super::super::table::{columns, decimals, headed, percent, thousands};
use super::section;
use crate::launch::{Comparison, CountedBoth, LaunchOutcome, Outcome, Recorded, Timing, time_text};

/// The unit of short times.
pub(super) const MICRO: &str = "µs";

/// Times and compile reports of the launches, and agreement of the buffers; nothing where there is neither
/// a real GPU nor a recording of one.
pub(super) fn tables(outcome: &Outcome, recorded: Option<&Recorded>) -> String {
    let mut text = times(outcome, recorded);
    text += &baselines(outcome, recorded);
    text += &reports(outcome, recorded);
    text += &agreement(outcome, recorded);
    for launch in &outcome.launches {
        text += &counters(launch, recorded);
        let both = launch.counted.as_ref();
        text += &both.map_or_else(String::new, |both| counted(launch, both));
        let both = launch.compared.as_ref();
        text += &both.map_or_else(String::new, |both| values(launch, both));
    }
    text
}

fn times(outcome: &Outcome, recorded: Option<&Recorded>) -> String {
    let launches = outcome.launches.iter();
    let mut named: Vec<(&str, &Timing)> = launches
        .filter_map(|launch| Some((launch.kernel.as_str(), launch.timing.as_ref()?)))
        .collect();
    let Some((_, first)) = named.first() else {
        return String::new();
    };
    let how = match recorded {
        Some(recorded) => format!("recorded on {}, {}", first.device, recorded.provenance.date),
        None => format!("measured on {}", first.device),
    };
    let title = format!(
        "Times ({how}, median of {} runs, L2 {})",
        first.runs, first.l2
    );
    if named.len() > 1 {
        named.extend(outcome.timing.as_ref().map(|timing| ("all", timing)));
    }
    let header = [
        "",
        "median",
        "20 %",
        "80 %",
        "GB/s",
        "of peak",
        "of a copy",
        "TFLOP/s",
    ];
    let mut rows = headed(header);
    for (name, timing) in named {
        rows.push(vec![
            name.to_owned(),
            time_text(timing.median_ms, MICRO),
            time_text(timing.p20_ms, MICRO),
            time_text(timing.p80_ms, MICRO),
            decimals(timing.gb_s, 0),
            percent(timing.share_of_peak_bandwidth),
            percent(timing.share_of_copy_bandwidth),
            decimals(timing.tflop_s, 3),
        ]);
    }
    format!("{}{}", section(&title), columns(&rows, 1))
}

/// What NVIDIA's libraries took in the same run, or why they did not run.
fn baselines(outcome: &Outcome, recorded: Option<&Recorded>) -> String {
    if outcome.baselines.is_empty() {
        return String::new();
    }
    let header = [
        "",
        "median",
        "20 %",
        "80 %",
        "GB/s",
        "of peak",
        "of a copy",
        "TFLOP/s",
        "ours takes",
        "largest error",
    ];
    let mut rows = headed(header);
    let mut missing = String::new();
    for baseline in &outcome.baselines {
        let version = baseline.version.as_deref().unwrap_or_default();
        let name = format!("{} {version}", baseline.name);
        let Some(timing) = &baseline.timing else {
            let why = baseline.reason.as_deref().unwrap_or("it did not run");
            missing += &format!("  {}: {why}\n", name.trim_end());
            continue;
        };
        let ours = baseline.slower_by(outcome.timing.as_ref());
        let error = baseline.max_abs_error;
        rows.push(vec![
            name,
            time_text(timing.median_ms, MICRO),
            time_text(timing.p20_ms, MICRO),
            time_text(timing.p80_ms, MICRO),
            decimals(timing.gb_s, 0),
            percent(timing.share_of_peak_bandwidth),
            percent(timing.share_of_copy_bandwidth),
            decimals(timing.tflop_s, 3),
            ours.map_or_else(|| "-".to_owned(), |ours| format!("{ours:.2} ×")),
            error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1e}")),
        ]);
    }
    let table = match rows.len() {
        1 => String::new(),
        _ => columns(&rows, 1),
    };
    let how = recorded.map_or("measured", |_| "recorded");
    let title = format!("Baselines (NVIDIA's libraries, {how} in the same way in the same run)");
    format!("{}{table}{missing}", section(&title))
}

fn reports(outcome: &Outcome, recorded: Option<&Recorded>) -> String {
    let header = [
        "",
        "registers",
        "shared",
        "local",
        "blocks an SM",
        "occupancy",
        "limited by",
    ];
    let mut rows = headed(header);
    for launch in &outcome.launches {
        if let Some(report) = &launch.compiled {
            rows.push(vec![
                launch.kernel.clone(),
                report.registers.to_string(),
                format!("{} B", thousands(report.static_shared_bytes.into())),
                format!("{} B", thousands(report.local_bytes.into())),
                report.blocks_per_sm.to_string(),
                percent(report.occupancy),
                report.limited_by.join(", "),
            ]);
        }
    }
    let mut compiled = outcome.launches.iter().filter_map(|l| l.compiled.as_ref());
    compiled.next().map_or_else(String::new, |first| {
        let how = recorded.map_or("", |_| ", recorded");
        let title = format!("Compiled for it (by {}{how})", first.compiled_by);
        format!("{}{}", section(&title), columns(&rows, 1))
    })
}

/// The hardware's counters, those that are zero on both sides left out.
fn counters(launch: &LaunchOutcome, recorded: Option<&Recorded>) -> String {
    if launch.hardware.is_empty() {
        return String::new();
    }
    let header = ["", "", "hardware", "ours", "ours / hardware"];
    let mut rows = headed(header);
    for (counter, hardware, ours) in launch.hardware_and_ours() {
        let (Some(hardware), Some(ours)) = (hardware, ours) else {
            continue;
        };
        if hardware == 0 && ours == 0 {
            continue;
        }
        rows.push(vec![
            if hardware == ours { "=" } else { "≠" }.to_owned(),
            counter.name.to_owned(),
            thousands(hardware),
            thousands(ours),
            percent((hardware > 0).then(|| ours as f64 / hardware as f64)),
        ]);
    }
    let how = recorded.map_or("measured", |_| "recorded");
    let title = format!(
        "Counters of the hardware in {} ({how} by Nsight Compute; caches empty before it, on both sides)",
        launch.kernel
    );
    format!("{}{}", section(&title), columns(&rows, 2))
}

/// What both engines counted of the text as it is written; what is zero on both is left out.
fn counted(launch: &LaunchOutcome, both: &CountedBoth) -> String {
    let header = ["", "", "device", "simulated"];
    let mut rows = headed(header);
    for (name, device, simulated) in both.pairs() {
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
        0 => String::new(),
        accesses => format!("  {accesses} accesses of the text cannot be counted on the device\n"),
    };
    format!("{}{}{uncounted}", section(&title), columns(&rows, 2))
}

/// How the values of the watched warp compare, variable by variable.
fn values(launch: &LaunchOutcome, both: &Comparison) -> String {
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
    let mut rows = headed(header);
    for variable in &both.variables {
        let differs = variable.different + variable.one_sided > 0;
        rows.push(vec![
            if differs { "≠" } else { "=" }.to_owned(),
            format!("{} {}", variable.type_name, variable.name),
            variable.line.to_string(),
            thousands(variable.compared),
            thousands(variable.equal),
            thousands(variable.rounding),
            thousands(variable.different),
            thousands(variable.one_sided),
            thousands(variable.largest_ulps),
        ]);
    }
    let title = format!(
        "Values in a warp of {} ({} on {}, and simulated)",
        launch.kernel,
        both.evidence.word(),
        both.device
    );
    format!("{}{}", section(&title), columns(&rows, 2))
}

fn agreement(outcome: &Outcome, recorded: Option<&Recorded>) -> String {
    if outcome.agreement.is_empty() {
        return String::new();
    }
    let header = ["", "elements", "same bits", "furthest apart", "difference"];
    let mut rows = headed(header);
    for buffer in &outcome.agreement {
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
    let title = match recorded {
        Some(_) => "Its values beside the simulated GPU's (recorded)",
        None => "Its values beside the simulated GPU's (computed)",
    };
    format!("{}{}", section(title), columns(&rows, 1))
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
