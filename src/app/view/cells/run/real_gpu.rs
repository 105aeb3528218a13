//! What a real GPU gave: times, what the compiler made, and how far its values are from ours.

use ratatui::text::Line;

use crate::app::state::{FinishedRun, RunState};
use crate::app::view::widgets::Canvas;
use crate::device::{grouped, percent};
use crate::document::{Role, pad};
use crate::launch::{
    Agreement, CompileReport, Evidence, LaunchOutcome, Outcome, Recorded, RecordedRun, Timing,
    time_text,
};
use crate::lesson::sizes_named;

/// Share of the peak below which a rate of bytes is not of the memory.
const LEAST_BANDWIDTH: f64 = 0.01;
/// Width of the names, before the space behind them.
const NAMES: usize = 13;
/// The same of counters.
const COUNTERS: usize = 22;

/// The lines of the launch on screen, or of all; none where there is neither a real GPU nor a recording.
pub(crate) fn lines(canvas: &Canvas, state: &RunState, ran: &FinishedRun) -> Vec<Line<'static>> {
    let outcome = &ran.result.outcome;
    let recorded = ran.result.recorded.as_ref();
    let Some(timing) = timing(outcome, state.launch) else {
        return recorded.map_or_else(Vec::new, |recorded| other_sizes(canvas, state, recorded));
    };
    let mut lines = match recorded {
        Some(recorded) => recorded_heading(canvas, recorded),
        None => {
            let title = format!("measured on {}", timing.device);
            vec![Line::from(vec![
                canvas.mark(timing.evidence),
                canvas.span(format!(" {title}"), Role::Strong),
            ])]
        }
    };
    lines.extend(times(canvas, timing));
    // A cell with one launch needs no choice: its compiled kernel and its counters are shown at once.
    let launch = state.launch.or((outcome.launches.len() == 1).then_some(0));
    let launch = launch.and_then(|at| outcome.launches.get(at));
    let compiled = launch.and_then(|launch| launch.real.compiled.as_ref());
    lines.extend(compiled.map(|report| {
        let registers = report.registers.to_string();
        row(canvas, "registers", registers, of(report))
    }));
    if state.launch.is_none() || outcome.launches.len() == 1 {
        lines.extend(baselines(canvas, outcome));
    }
    let agreement = outcome.agreement.iter();
    lines.extend(agreement.map(|buffer| {
        let (equal, more) = (as_simulated(buffer), apart(canvas, buffer));
        row(canvas, &buffer.name, equal, more)
    }));
    lines.push(Line::default());
    lines.extend(launch.map_or_else(Vec::new, |launch| counters(canvas, launch)));
    lines
}

/// The time of the launch on screen, or of all, whose it is, and the fastest that it is held against.
pub(crate) fn time_lines(
    canvas: &Canvas,
    width: usize,
    state: &RunState,
    ran: &FinishedRun,
) -> Vec<Line<'static>> {
    let outcome = &ran.result.outcome;
    let Some(timing) = timing(outcome, state.launch) else {
        return Vec::new();
    };
    let device = timing.device.trim_start_matches("NVIDIA ");
    // A recording knows the kernel of the lesson alone, whatever became of it here.
    let whose = match (ran.edited, timing.evidence) {
        (true, Evidence::Recorded) => ", before the edit",
        _ => "",
    };
    let how = format!(" {} on an {device}{whose}", timing.evidence.word());
    let mut line = Line::from(vec![
        canvas.mark(timing.evidence),
        canvas.span(format!(" {}", time(canvas, timing.median_ms)), Role::Strong),
        canvas.span(how, Role::Text),
    ]);
    // Baselines are of all launches together.
    let is_of_all = state.launch.is_none() || outcome.launches.len() == 1;
    if let Some(text) = held_against(canvas, outcome).filter(|_| is_of_all) {
        let dot = canvas.theme().dot();
        if line.width() + 3 + text.chars().count() > width {
            return vec![line, canvas.text(format!("  {text}"), Role::Text)];
        }
        line.push_span(canvas.span(format!(" {dot} {text}"), Role::Text));
    }
    vec![line]
}

/// The fastest baseline, and how many times as long as it ours took.
fn held_against(canvas: &Canvas, outcome: &Outcome) -> Option<String> {
    let timed = outcome.baselines.iter().filter_map(|baseline| {
        let factor = baseline.slower_by(outcome.timing.as_ref())?;
        Some((factor, &baseline.name, baseline.timing.as_ref()?.median_ms))
    });
    let (factor, name, ms) = timed.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let times = canvas.theme().times();
    Some(format!("{factor:.2}{times} {name}: {}", time(canvas, ms)))
}

fn row(canvas: &Canvas, name: &str, value: String, more: String) -> Line<'static> {
    Line::from(vec![
        canvas.span(format!("  {name:NAMES$} "), Role::Text),
        canvas.span(value, Role::Strong),
        canvas.span(more, Role::Muted),
    ])
}

fn time(canvas: &Canvas, ms: f64) -> String {
    time_text(ms, canvas.theme().glyph("µs", "us"))
}

fn times(canvas: &Canvas, timing: &Timing) -> Vec<Line<'static>> {
    let how = format!(
        "  median, 20 to 80 % of {} runs, L2 {}",
        timing.runs, timing.l2
    );
    let (low, high) = (time(canvas, timing.p20_ms), time(canvas, timing.p80_ms));
    let spread = format!("  {low} to {high}");
    let mut lines = vec![
        canvas.text(how, Role::Muted),
        row(canvas, "time", time(canvas, timing.median_ms), spread),
    ];
    let graph = timing.graph_ms.map(|ms| time(canvas, ms));
    lines.extend(graph.map(|time| row(canvas, "as a CUDA graph", time, String::new())));
    if let Some(gb_s) = timing.gb_s {
        let share = timing.share_of_peak_bandwidth;
        // What takes its time to be launched and to wait says nothing of the memory.
        if share.is_some_and(|share| share < LEAST_BANDWIDTH) {
            return lines;
        }
        let share = share.map(|share| format!("  {} of peak", percent(share)));
        let rate = format!("{gb_s:.0} GB/s");
        lines.push(row(canvas, "bandwidth", rate, share.unwrap_or_default()));
    }
    lines
}

fn baselines(canvas: &Canvas, outcome: &Outcome) -> Vec<Line<'static>> {
    let baselines = outcome.baselines.iter();
    baselines
        .map(|baseline| {
            let (value, more) = match &baseline.timing {
                Some(timing) => {
                    let sign = canvas.theme().times();
                    let ours = baseline.slower_by(outcome.timing.as_ref());
                    let ours = ours.map(|ours| format!("  ours {ours:.2}{sign}"));
                    (time(canvas, timing.median_ms), ours)
                }
                None => (
                    "not timed".to_owned(),
                    baseline.reason.as_ref().map(|why| format!(": {why}")),
                ),
            };
            row(canvas, &baseline.name, value, more.unwrap_or_default())
        })
        .collect()
}

/// The hardware's counters beside ours; what is zero on both sides is left out.
fn counters(canvas: &Canvas, launch: &LaunchOutcome) -> Vec<Line<'static>> {
    let both = launch.hardware_and_ours();
    let nothing = match launch.real.flushed {
        // Ours are comparable only where both sides began with empty caches.
        Some(_) => "not modelled",
        None => "ours had warm caches",
    };
    let mut lines: Vec<Line<'static>> = both
        .filter_map(|(counter, hardware, ours)| {
            let hardware = hardware.filter(|&hardware| hardware + ours.unwrap_or(0) > 0)?;
            let (more, role) = match ours {
                None => (format!("  {nothing}"), Role::Muted),
                Some(ours) if ours == hardware => ("  = ours".to_owned(), Role::Good),
                Some(ours) => {
                    let differs = canvas.theme().glyph("≠", "!=");
                    let ours = grouped(ours);
                    (format!("  {differs} {ours} ours"), Role::Warning)
                }
            };
            let name = pad(counter.name, COUNTERS, canvas.theme());
            Some(Line::from(vec![
                canvas.span(format!("  {name} "), Role::Text),
                canvas.span(grouped(hardware), Role::Strong),
                canvas.span(more, role),
            ]))
        })
        .collect();
    if !lines.is_empty() {
        let title = canvas.span(" counters of the hardware, caches empty", Role::Strong);
        let title = vec![canvas.mark(Evidence::Profiled), title];
        lines.insert(0, Line::from(title));
        lines.push(Line::default());
    }
    lines
}

fn timing(outcome: &Outcome, launch: Option<usize>) -> Option<&Timing> {
    match launch {
        Some(at) => outcome.launches.get(at)?.real.timing.as_ref(),
        None => outcome.timing.as_ref(),
    }
}

fn of(report: &CompileReport) -> String {
    let mut text = format!("  {} blocks per SM", report.blocks_per_sm);
    if !report.limited_by.is_empty() {
        text += &format!(", limited by {}", report.limited_by.join(" and "));
    }
    if report.local_bytes > 0 {
        text += &format!(", {} B local", report.local_bytes);
    }
    text
}

/// How much of a buffer has the same bits as on the simulated GPU.
fn as_simulated(buffer: &Agreement) -> String {
    let different = buffer.elements - buffer.equal;
    let share = buffer.equal as f64 / buffer.elements.max(1) as f64;
    match different {
        0 => "all".to_owned(),
        // `100.0 %` would be a lie where some differ.
        few if share > 0.999 => format!("all but {}", grouped(few)),
        _ => percent(share),
    }
}

fn apart(canvas: &Canvas, buffer: &Agreement) -> String {
    let most = canvas.theme().glyph("≤", "<=");
    match buffer.most_ulp {
        _ if buffer.equal == buffer.elements => " as simulated".to_owned(),
        Some(ulp) => format!(" as simulated, {most} {} ulp", grouped(ulp)),
        None => format!(" as simulated, {most} {:.1e}", buffer.max_abs_difference),
    }
}

/// Where what is shown was recorded, and whether it still holds.
fn recorded_heading(canvas: &Canvas, of: &Recorded) -> Vec<Line<'static>> {
    let from = &of.provenance;
    let title = format!("recorded on {}, {}", from.device, from.date);
    let mut lines = vec![Line::from(vec![
        canvas.mark(Evidence::Recorded),
        canvas.span(format!(" {title}"), Role::Strong),
    ])];
    if let Some(driver) = &from.driver {
        let software = format!("  driver {driver}, CUDA {}", from.cuda);
        lines.push(canvas.text(software, Role::Muted));
    }
    if of.is_stale {
        let cross = canvas.theme().cross();
        let text = format!("  {cross} stale: the kernel has changed since");
        lines.push(canvas.text(text, Role::Bad));
    }
    lines
}

/// The sizes that are recorded, with their times, where those of this run are not among them.
fn other_sizes(canvas: &Canvas, state: &RunState, of: &Recorded) -> Vec<Line<'static>> {
    let rows: Vec<[String; 3]> = of
        .cell
        .runs
        .iter()
        .filter_map(|run| recorded_row(canvas, run, state.launch))
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let widths: [usize; 3] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    let mut lines = recorded_heading(canvas, of);
    lines.push(canvas.text("  not at these sizes, but at", Role::Muted));
    for [sizes, time, rate] in rows {
        let [first, second, third] = widths;
        lines.push(Line::from(vec![
            canvas.span(format!("  {sizes:first$}"), Role::Text),
            canvas.span(format!("  {time:>second$}"), Role::Strong),
            canvas.span(format!("  {rate:>third$}"), Role::Muted),
        ]));
    }
    lines.push(Line::default());
    lines
}

fn recorded_row(canvas: &Canvas, run: &RecordedRun, launch: Option<usize>) -> Option<[String; 3]> {
    let timing = match launch {
        Some(at) => run.launches.get(at)?.timing.as_ref(),
        None => run.timing.as_ref(),
    }?;
    let rate = timing.gb_s.map(|gb_s| format!("{gb_s:.0} GB/s"));
    Some([
        sizes_named(&run.sizes),
        time(canvas, timing.median_ms),
        rate.unwrap_or_default(),
    ])
}
