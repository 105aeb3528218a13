//! A run before it goes: what is launched, in how many blocks of how many warps, over which buffers. Nothing that it will count.

use ratatui::text::{Line, Span};

use crate::app::state::RunState;
use crate::app::view::widgets::{Canvas, dims};
use crate::device::{counted, grouped};
use crate::document::{Role, Room, bytes, launch_lines, pad};
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
    let buffers = buffers(canvas, cell, plan, room.width);
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
fn buffers(canvas: &Canvas, cell: &RunCell, plan: &Plan, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let names = cell.buffers.iter().map(|buffer| buffer.name.len());
    let names = names.max().unwrap_or(0);
    for (template, buffer) in cell.buffers.iter().zip(&plan.buffers) {
        let size = bytes(buffer.length as u64 * buffer.element.size_bytes() as u64);
        let length = buffer.length as u64;
        let element = buffer.element.name();
        let elements = counted(length, "element");
        let text = format!("  {elements} of {element}, {size}");
        // Beside code there may be room for the numbers alone.
        let text = match names + text.chars().count() <= width {
            true => text,
            false => format!("  {} {element}, {size}", grouped(length)),
        };
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
    let is_one = shape.blocks() == 1;
    let blocks = match is_one {
        true => "1 block".to_owned(),
        false => format!("{} blocks", dims(launch.grid, times)),
    };
    let threads = match launch.block {
        [1, 1, 1] => "1 thread".to_owned(),
        block => format!("{} threads", dims(block, times)),
    };
    let of = format!("of {threads}");
    let each = if is_one { "" } else { " each" };
    let warps = counted(shape.warps(), "warp");
    let name = canvas.span(format!("{}  ", launch.kernel), Role::Accent);
    let grid = canvas.span(format!("{blocks} {of}"), Role::Text);
    let warps = canvas.span(format!(": {warps}{each}"), Role::Muted);
    let whole = Line::from(vec![name.clone(), grid.clone(), warps.clone()]);
    if whole.width() <= width {
        return vec![whole];
    }
    let indented = Line::from(vec![Span::raw("  "), grid, warps]);
    vec![Line::from(name), indented]
}
