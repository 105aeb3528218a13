//! An access to global memory, drawn: from lanes to the sectors of 32 bytes that move, four to a line.

use ratatui::text::{Line, Span};

use super::lane_marks::{Row32, user};
use super::step::WarpStep;
use crate::app::state::cells::run::first_look::POOR_EFFICIENCY;
use crate::app::view::widgets::{Canvas, counted};
use crate::device::{grouped, percent};
use crate::document::Role;
use crate::launch::WARP_LANES;
use crate::memory::{LINE_BYTES, SECTOR_BYTES};
use crate::simt::Accessed;

/// Bytes of a cell of the drawing.
const WORD: u64 = 4;
/// Cells of the name before a row.
const NAME_CELLS: usize = 9;
/// Names of sectors, in order of their addresses: aligned accesses touch at most one a lane.
const NAMES: &[u8; WARP_LANES] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";

/// What moved, which lane uses which sector, and each line with its sectors.
pub(crate) fn lines(
    canvas: &Canvas,
    width: usize,
    step: &WarpStep,
    access: &Accessed,
) -> Vec<Line<'static>> {
    let sectors = access.sectors();
    let mut lines = vec![totals(canvas, access)];
    let form = Row32::fitting(width, NAME_CELLS);
    lines.push(form.line(canvas, "  lane   ", |lane| {
        user(canvas, step, 1 << lane, Role::Muted)
    }));
    lines.push(form.line(canvas, "  sector ", |lane| {
        let used = sectors.iter().position(|(_, lanes)| lanes >> lane & 1 == 1);
        match used {
            Some(at) => canvas.span(name(at), Role::Text),
            None => canvas.span(canvas.theme().dot(), Role::Muted),
        }
    }));
    let mut at = 0;
    // Sectors come sorted by address, so those of a line of 128 bytes stand together.
    for of_line in sectors.chunk_by(|a, b| a.0 / LINE_BYTES == b.0 / LINE_BYTES) {
        lines.push(line(canvas, width, step, access, of_line, at));
        at += of_line.len();
    }
    lines
}

fn name(sector: usize) -> String {
    NAMES
        .get(sector)
        .map_or('?', |&byte| byte as char)
        .to_string()
}

/// What the access asked for and what moved.
fn totals(canvas: &Canvas, access: &Accessed) -> Line<'static> {
    let Some(request) = access.global else {
        return Line::default();
    };
    let moved = request.sectors * SECTOR_BYTES;
    let share = request.used_bytes as f64 / moved.max(1) as f64;
    let role = match share < POOR_EFFICIENCY {
        true => Role::Bad,
        false => Role::Good,
    };
    // The number that matters comes first.
    let mut line = Line::from(vec![
        canvas.span(format!("  {} used", percent(share)), role),
        canvas.span(
            format!(
                ": {} of {} bytes, {} of {}",
                request.used_bytes,
                grouped(moved),
                counted(request.sectors, "sector"),
                counted(request.lines, "line")
            ),
            Role::Text,
        ),
    ]);
    let note = match (access.site.is_atomic, access.site.one_lane) {
        (true, true) => "; one lane acts for all",
        (true, false) => "; lanes take turns",
        (false, _) => "",
    };
    line.push_span(canvas.span(note, Role::Muted));
    line
}

/// A line of 128 bytes: its sectors word by word, and where it begins.
fn line(
    canvas: &Canvas,
    width: usize,
    step: &WarpStep,
    access: &Accessed,
    sectors: &[(u64, u32)],
    first: usize,
) -> Line<'static> {
    let base = sectors[0].0 / LINE_BYTES * LINE_BYTES;
    let names = match sectors.len() {
        1 => name(first),
        count => format!("{}-{}", name(first), name(first + count - 1)),
    };
    let form = Row32::fitting(width, NAME_CELLS);
    let mut line = form.line(canvas, &format!("  {names:<7}"), |word| {
        let address = base + word as u64 * WORD;
        let moves = sectors
            .iter()
            .any(|(sector, _)| *sector == address / SECTOR_BYTES * SECTOR_BYTES);
        match (moves, lanes_at(access, address)) {
            (false, _) => Span::raw(" "),
            (true, 0) => canvas.span(canvas.theme().dot(), Role::Bad),
            (true, lanes) => user(canvas, step, lanes, Role::Good),
        }
    });
    let place = format!("  {}", step.place_of(base));
    if line.width() + place.len() <= width {
        line.push_span(canvas.span(place, Role::Muted));
    }
    line
}

/// Lanes that touch a byte of the word at `address`.
fn lanes_at(access: &Accessed, address: u64) -> u32 {
    let width = u64::from(access.site.width_bytes);
    let touches = |lane: usize| {
        let first = access.addresses[lane];
        // Accesses wider than a word touch several cells, narrower ones share a cell.
        access.active >> lane & 1 == 1 && first < address + WORD && address < first + width
    };
    (0..WARP_LANES).fold(0, |lanes, lane| lanes | u32::from(touches(lane)) << lane)
}
