//! What is recorded of a cell on a real GPU: where it comes from, and the sizes there are.

use ratatui::text::Line;

use crate::app::state::RunState;
use crate::app::view::widgets::Canvas;
use crate::document::Role;
use crate::launch::{Evidence, Recorded, RecordedRun, time_text};
use crate::lesson::sizes_named;

/// Where what is shown was recorded, and whether it still holds.
pub(crate) fn head(canvas: &Canvas, of: &Recorded) -> Vec<Line<'static>> {
    let from = &of.provenance;
    let title = format!("recorded on {}, {}", from.device, from.date);
    let mut lines = vec![Line::from(vec![
        canvas.mark(Evidence::Recorded),
        canvas.span(format!(" {title}"), Role::Strong),
    ])];
    if let Some(driver) = &from.driver {
        let software = format!("  driver {driver}, CUDA {}", from.cuda);
        lines.push(Line::from(canvas.span(software, Role::Muted)));
    }
    if of.is_stale {
        let cross = canvas.theme().cross();
        let text = format!("  {cross} stale: the kernel has changed since");
        lines.push(Line::from(canvas.span(text, Role::Bad)));
    }
    lines
}

/// The sizes that are recorded, with their times, where those of this run are not among them.
pub(crate) fn other_sizes(canvas: &Canvas, state: &RunState, of: &Recorded) -> Vec<Line<'static>> {
    let rows: Vec<[String; 3]> = of
        .cell
        .runs
        .iter()
        .filter_map(|run| row(canvas, run, state.launch))
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let widths: [usize; 3] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    let mut lines = head(canvas, of);
    lines.push(Line::from(
        canvas.span("  not at these sizes, but at", Role::Muted),
    ));
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

fn row(canvas: &Canvas, run: &RecordedRun, launch: Option<usize>) -> Option<[String; 3]> {
    let timing = match launch {
        Some(at) => run.launches.get(at)?.timing.as_ref(),
        None => run.timing.as_ref(),
    }?;
    let rate = timing.gb_s.map(|gb_s| format!("{gb_s:.0} GB/s"));
    Some([
        sizes_named(&run.sizes),
        time_text(timing.median_ms, canvas.theme().glyph("µs", "us")),
        rate.unwrap_or_default(),
    ])
}
