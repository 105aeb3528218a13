//! Each load and store of global memory on its own: what it asked for and what that moved.

use ratatui::text::Line;

use crate::app::state::{FinishedRun, RunState};
use crate::app::view::widgets::{Canvas, quoted};
use crate::device::{grouped, percent};
use crate::document::Role;
use crate::launch::{AccessCounts, AccessKind, Evidence};
use crate::lesson::RunCell;
use crate::source::SourceFile;

/// Two lines for each access: where it is, and its numbers. Of the selected launch, or of all.
pub(crate) fn lines(
    canvas: &Canvas,
    cell: &RunCell,
    state: &RunState,
    ran: &FinishedRun,
) -> Vec<Line<'static>> {
    let outcome = &ran.result.outcome;
    let file = ran.file(0, cell);
    let accesses = match state.launch.and_then(|launch| outcome.launches.get(launch)) {
        Some(launch) => launch.accesses.clone(),
        None => outcome.accesses(0),
    };
    let rows: Vec<Line<'static>> = accesses
        .iter()
        .filter(|access| access.global.requests > 0)
        .flat_map(|access| [place(canvas, file, access), numbers(canvas, access)])
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let head = Line::from(vec![
        canvas.mark(Evidence::Counted),
        canvas.span(" each access of global memory", Role::Strong),
    ]);
    let mut lines = vec![Line::default(), head];
    lines.extend(rows);
    lines
}

fn place(canvas: &Canvas, file: &SourceFile, access: &AccessCounts) -> Line<'static> {
    let kind = match access.kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
    };
    Line::from(vec![
        canvas.span(format!("  {:>3} ", access.line), Role::Muted),
        canvas.span(format!("{kind:<7}"), Role::Muted),
        canvas.span(quoted(file, access.span), Role::Code),
    ])
}

fn numbers(canvas: &Canvas, access: &AccessCounts) -> Line<'static> {
    let global = &access.global;
    let efficiency = global.efficiency().map_or_else(String::new, percent);
    Line::from(vec![
        canvas.span(format!("{:>15}", grouped(global.requests)), Role::Text),
        canvas.span(" req ", Role::Muted),
        canvas.span(format!("{:>10}", grouped(global.sectors)), Role::Text),
        canvas.span(" sect ", Role::Muted),
        canvas.span(format!("{efficiency:>8}"), Role::Text),
    ])
}
