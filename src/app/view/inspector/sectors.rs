//! An access to global memory, drawn: from lanes to the sectors of 32 bytes that move, four to a line.

use ratatui::text::{Line, Span};

use super::lane_marks::{Row32, user};
use super::step::WarpStep;
use crate::app::view::widgets::Canvas;
use crate::device::{counted, grouped, percent};
use crate::document::Role;
use crate::launch::WARP_LANES;
use crate::lesson::POOR_EFFICIENCY;
use crate::memory::{LINE_BYTES, SECTOR_BYTES};
use crate::simt::Accessed;

/// Bytes of a cell of the drawing.
const WORD: u64 = 4;
/// Sectors in a row: a line has as many.
const ACROSS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;
/// Words of a sector.
const WORDS: usize = (SECTOR_BYTES / WORD) as usize;
/// Rows of lines from which sectors of different lines share a row, so that all of them are on screen.
const MOST_LINES: usize = WARP_LANES / ACROSS;
/// Cells of the name before a row.
const NAME_CELLS: usize = 9;
/// Names of sectors, in order of their addresses: aligned accesses touch at most one a lane.
const NAMES: &[u8; WARP_LANES] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";

/// What moved, which lane uses which sector, and the sectors themselves, line by line.
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
    // Sectors come sorted by address, so those of a line of 128 bytes stand together.
    let of_lines = || sectors.chunk_by(|a, b| a.0 / LINE_BYTES == b.0 / LINE_BYTES);
    let is_packed = of_lines().count() > MOST_LINES;
    let rows: Vec<&[(u64, u32)]> = match is_packed {
        true => sectors.chunks(ACROSS).collect(),
        false => of_lines().collect(),
    };
    let mut at = 0;
    for row in rows {
        lines.push(sector_row(canvas, width, step, access, row, at, is_packed));
        at += row.len();
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
    if request.used_bytes < moved {
        line.push_span(canvas.span(format!("  {}", canvas.theme().dot()), Role::Bad));
        line.push_span(canvas.span(" moved, not used", Role::Muted));
    }
    line
}

/// A row of sectors word by word: those of a line of 128 bytes, and where that begins, or any four.
fn sector_row(
    canvas: &Canvas,
    width: usize,
    step: &WarpStep,
    access: &Accessed,
    sectors: &[(u64, u32)],
    first: usize,
    is_packed: bool,
) -> Line<'static> {
    let base = sectors[0].0 / LINE_BYTES * LINE_BYTES;
    let names = match sectors.len() {
        1 => name(first),
        count => format!("{}-{}", name(first), name(first + count - 1)),
    };
    // The sector that stands in each quarter of the row.
    let in_quarter = |quarter: usize| match is_packed {
        true => sectors.get(quarter).map(|&(sector, _)| sector),
        false => {
            let address = base + quarter as u64 * SECTOR_BYTES;
            let found = sectors.iter().find(|&&(sector, _)| sector == address);
            found.map(|&(sector, _)| sector)
        }
    };
    let form = Row32::fitting(width, NAME_CELLS);
    let mut line = form.line(canvas, &format!("  {names:<7}"), |word| {
        let Some(sector) = in_quarter(word / WORDS) else {
            return Span::raw(" ");
        };
        match lanes_at(access, sector + (word % WORDS) as u64 * WORD) {
            0 => canvas.span(canvas.theme().dot(), Role::Bad),
            lanes => user(canvas, step, lanes, Role::Good),
        }
    });
    let place = format!("  {}", step.place_of(base));
    if !is_packed && line.width() + place.len() <= width {
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
