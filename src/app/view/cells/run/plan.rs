//! A run before it goes: what is launched, in how many blocks of how many warps, over which buffers. Nothing that it will count.

use ratatui::text::{Line, Span};

use crate::app::state::RunState;
use crate::app::view::widgets::{Canvas, counted, dims};
use crate::document::{Role, Room, compact, launch_lines, pad};
use crate::launch::{Launch, Plan};
use crate::lesson::{LaunchShape, RunCell};

/// Fewest rows in which a launch is drawn.
const PICTURE_ROWS: usize = 7;

/// The plan of `cell`: one launch down to its lanes, of several the list; then the buffers.
pub(crate) fn lines(
    canvas: &Canvas,
    cell: &RunCell,
    state: &RunState,
    room: Room,
) -> Vec<Line<'static>> {
    let Ok(plan) = &state.plan else {
        return Vec::new();
    };
    let buffers = buffers(canvas, cell, plan);
    let left = room.height.saturating_sub(buffers.len() + 2);
    let mut lines = Vec::new();
    if let ([launch], PICTURE_ROWS..) = (&plan.launches[..], left) {
        let room = Room {
            height: left,
            ..room
        };
        lines.push(canvas.text(&launch.kernel, Role::Accent));
        lines.extend(launch_lines(&LaunchShape::of(launch), room, canvas.theme()));
    } else {
        for launch in &plan.launches {
            lines.extend(launched(canvas, launch, room.width));
        }
    }
    lines.push(Line::default());
    lines.extend(buffers);
    lines
}

/// The buffers, each with what it holds.
fn buffers(canvas: &Canvas, cell: &RunCell, plan: &Plan) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let names = cell.buffers.iter().map(|buffer| buffer.name.len());
    let names = names.max().unwrap_or(0);
    for (template, buffer) in cell.buffers.iter().zip(&plan.buffers) {
        let bytes = buffer.length as u64 * buffer.element.size_bytes() as u64;
        let text = format!(
            "  {} of {}, {}B",
            counted(buffer.length as u64, "element"),
            buffer.element.name(),
            compact(bytes)
        );
        lines.push(Line::from(vec![
            canvas.span(pad(&template.name, names, canvas.theme()), Role::Strong),
            canvas.span(text, Role::Muted),
        ]));
    }
    lines
}

/// A launch: its kernel, its grid, and a block as warps.
fn launched(canvas: &Canvas, launch: &Launch, width: usize) -> Vec<Line<'static>> {
    let times = canvas.theme().times();
    let shape = LaunchShape::of(launch);
    let blocks = match shape.blocks() {
        1 => "1 block".to_owned(),
        _ => format!("{} blocks", dims(launch.grid, times)),
    };
    let of = format!("of {} threads", dims(launch.block, times));
    let warps = counted(shape.warps(), "warp");
    let name = canvas.span(format!("{}  ", launch.kernel), Role::Accent);
    let grid = canvas.span(format!("{blocks} {of}"), Role::Text);
    let warps = canvas.span(format!(": {warps} each"), Role::Muted);
    let whole = Line::from(vec![name.clone(), grid.clone(), warps.clone()]);
    if whole.width() <= width {
        return vec![whole];
    }
    let indented = Line::from(vec![Span::raw("  "), grid, warps]);
    vec![Line::from(name), indented]
}
