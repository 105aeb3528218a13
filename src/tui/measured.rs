//! What a real GPU gave: times, what the compiler made, and how far its values are from ours.

use ratatui::text::Line;

use super::canvas::Canvas;
use super::source::percent;
use super::{Role, recorded};
use crate::launch::{Agreement, CompileReport, Outcome, Timing, time_text};
use crate::session::{Ran, RunState, grouped};

/// Width of the names, before the space behind them.
const NAMES: usize = 13;

/// The lines of the launch on screen, or of all; none where there is neither a real GPU nor a recording.
pub(super) fn lines(canvas: &Canvas, state: &RunState, ran: &Ran) -> Vec<Line<'static>> {
    let outcome = &ran.result.outcome;
    let recorded = ran.result.recorded.as_ref();
    let Some(timing) = timing(outcome, state.launch) else {
        return recorded.map_or_else(Vec::new, |recorded| {
            recorded::other_sizes(canvas, state, recorded)
        });
    };
    let mut lines = match recorded {
        Some(recorded) => recorded::head(canvas, recorded, Some(timing)),
        None => vec![Line::from(vec![
            canvas.span(format!("measured on {}", timing.device), Role::Strong),
            canvas.span(
                format!(", median of {}, L2 {}", timing.runs, timing.l2),
                Role::Muted,
            ),
        ])],
    };
    let row = |name: &str, value: String, more: String| {
        Line::from(vec![
            canvas.span(format!("  {name:NAMES$} "), Role::Text),
            canvas.span(value, Role::Strong),
            canvas.span(more, Role::Muted),
        ])
    };
    let time = |ms| time_text(ms, canvas.theme().glyph("µs", "us"));
    let (low, high) = (time(timing.p20_ms), time(timing.p80_ms));
    let spread = format!("  20 % {low}, 80 % {high}");
    lines.push(row("time", time(timing.median_ms), spread));
    let share = timing
        .share_of_peak_bandwidth
        .map(|share| format!("  {} of peak", percent(share)));
    if let Some(gb_s) = timing.gb_s {
        let rate = format!("{gb_s:.0} GB/s");
        lines.push(row("bandwidth", rate, share.unwrap_or_default()));
    }
    let launch = state.launch.or((outcome.launches.len() == 1).then_some(0));
    let compiled = launch.and_then(|at| outcome.launches.get(at)?.compiled.as_ref());
    lines.extend(compiled.map(|report| row("registers", report.registers.to_string(), of(report))));
    let is_whole = state.launch.is_none() || outcome.launches.len() == 1;
    for baseline in outcome.baselines.iter().filter(|_| is_whole) {
        let (value, more) = match &baseline.timing {
            Some(timing) => {
                let sign = canvas.theme().glyph("×", "x");
                let ours = baseline.slower_by(outcome.timing.as_ref());
                let ours = ours.map(|ours| format!("  ours {ours:.2}{sign}"));
                (time(timing.median_ms), ours)
            }
            None => (
                "not timed".to_owned(),
                baseline.reason.as_ref().map(|why| format!(": {why}")),
            ),
        };
        lines.push(row(&baseline.name, value, more.unwrap_or_default()));
    }
    for buffer in &outcome.agreement {
        let (equal, all) = (grouped(buffer.equal), grouped(buffer.elements));
        let more = format!(" of {all} as simulated{}", apart(buffer));
        lines.push(row(&buffer.name, equal, more));
    }
    lines.push(Line::default());
    lines
}

fn timing(outcome: &Outcome, launch: Option<usize>) -> Option<&Timing> {
    match launch {
        Some(at) => outcome.launches.get(at)?.timing.as_ref(),
        None => outcome.timing.as_ref(),
    }
}

fn of(report: &CompileReport) -> String {
    let mut text = format!("  {} blocks an SM", report.blocks_per_sm);
    if !report.limited_by.is_empty() {
        text += &format!(", limited by {}", report.limited_by.join(" and "));
    }
    if report.local_bytes > 0 {
        text += &format!(", {} B local", report.local_bytes);
    }
    text
}

fn apart(buffer: &Agreement) -> String {
    match buffer.most_ulp {
        _ if buffer.equal == buffer.elements => String::new(),
        Some(ulp) => format!(", {} ulp apart at most", grouped(ulp)),
        None => format!(", {:e} apart at most", buffer.max_abs_difference),
    }
}
