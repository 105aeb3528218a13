//! The accesses of one statement, drawn: which lane uses which sector, or which bank.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::lane_marks::digit;
use super::step::WarpStep;
use super::{banks, sectors};
use crate::app::state::{Extent, RunState};
use crate::app::view::widgets::{Canvas, below, quoted, top};
use crate::document::{Role, fold};
use crate::launch::WARP_LANES;
use crate::lesson::{FirstView, RunCell};
use crate::memory::{AccessKind, SECTOR_BYTES};
use crate::simt::{Accessed, MemoryKind};
use crate::source::SourceFile;

/// Cells of ` 10-15 of 100 `.
const POSITION_WIDTH: usize = 14;

/// Draws what the step accesses in a pane of its own, which scrolls.
pub(crate) fn draw_alone(
    canvas: &mut Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    step: &WarpStep,
) {
    let lines = lines(canvas, area, cell, state, step);
    let content = lines.len();
    // Which part is on screen, where that is not all, stands behind the first line, or else in a row of its own.
    let first = state.inspector.access_scroll.min(content.saturating_sub(1));
    let has_room = lines
        .get(first)
        .is_some_and(|line| line.width() + POSITION_WIDTH <= usize::from(area.width));
    let fits = content <= area.height.into();
    let rows = area.height - u16::from(!fits && !has_room && area.height > 0);
    let extent = Extent {
        content,
        visible: rows.into(),
    };
    canvas.drawn.seen.access = extent;
    let scroll = state.inspector.access_scroll.min(extent.max_scroll());
    canvas.lines(top(area, rows), lines.into_iter().skip(scroll));
    let position = canvas.position(scroll, extent);
    let width = (position.width() as u16).min(area.width);
    let end = Rect {
        x: area.right() - width,
        width,
        ..if has_room { area } else { below(area, rows) }
    };
    canvas.line(end, position);
}

/// The same as lines for `area`: in the order of the statement; where not all have room, what the lesson shows comes first,
/// and what wastes most.
fn lines(
    canvas: &Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    step: &WarpStep,
) -> Vec<Line<'static>> {
    let muted = |text: &str| vec![canvas.text(text, Role::Muted)];
    let Some((block, cursor)) = step.walk.cursor(step.index) else {
        return match &state.history.error {
            Some(error) => vec![canvas.text(error, Role::Bad)],
            None => muted("the accesses come with the block's history"),
        };
    };
    let accesses = block.history.accesses(cursor);
    if accesses.is_empty() {
        return muted("this statement accesses no memory; the arrows go from access to access");
    }
    let drawn = drawn(canvas, area, cell, state, step, &accesses);
    let legend = folded(legend(canvas, &accesses).into_iter().collect(), area);
    let mut lines = Vec::new();
    for access in drawn {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(access);
    }
    lines.extend(legend);
    lines
}

/// Lines of each access, in the order in which they are shown.
fn drawn(
    canvas: &Canvas,
    area: Rect,
    cell: &RunCell,
    state: &RunState,
    step: &WarpStep,
    accesses: &[Accessed],
) -> Vec<Vec<Line<'static>>> {
    let shows_banks = state.first_look(cell).0 == FirstView::Banks;
    let rank = |access: &Accessed| {
        let is_sought = shows_banks && access.memory == MemoryKind::Shared;
        waste(access) + f64::from(u8::from(is_sought))
    };
    let file = step.ran.file(0, cell);
    let lines = |access| folded(one(canvas, area.width.into(), file, step, access), area);
    let mut drawn: Vec<_> = accesses
        .iter()
        .map(|access| (rank(access), lines(access)))
        .collect();
    // A blank between two, and what the characters mean.
    let rows: usize = drawn.iter().map(|(_, lines)| lines.len() + 1).sum();
    if rows > area.height.into() {
        drawn.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    }
    drawn.into_iter().map(|(_, lines)| lines).collect()
}

fn folded(lines: Vec<Line<'static>>, area: Rect) -> Vec<Line<'static>> {
    let width = area.width.into();
    lines
        .into_iter()
        .flat_map(|line| fold(line, width))
        .collect()
}

/// The share of its bytes or wavefronts that an access could do without.
fn waste(access: &Accessed) -> f64 {
    let bytes = access.global.map_or(0.0, |request| {
        1.0 - request.used_bytes as f64 / (request.sectors * SECTOR_BYTES).max(1) as f64
    });
    let wavefronts = access.shared.map_or(0.0, |request| {
        request.bank_conflicts() as f64 / request.wavefronts.max(1) as f64
    });
    bytes.max(wavefronts)
}

/// One access: its text, which lane goes where, and the chosen lane in words.
fn one(
    canvas: &Canvas,
    width: usize,
    file: &SourceFile,
    step: &WarpStep,
    access: &Accessed,
) -> Vec<Line<'static>> {
    let muted = |text: &str| vec![canvas.text(text, Role::Muted)];
    let mut lines = vec![heading(canvas, width, file, access)];
    // Where the compiler joins accesses (two floats next to each other become one of 64 bits), one of them carries the
    // counts of all.
    lines.extend(match (access.site.is_silent(), access.site.is_extra()) {
        (true, _) => muted("  counts nothing here: the compiler merges it with another access"),
        (false, true) => {
            muted("  counts for other accesses too: the compiler merges them into this one")
        }
        (false, false) => Vec::new(),
    });
    lines.extend(match access.memory {
        MemoryKind::Shared => banks::lines(canvas, width, step, access),
        MemoryKind::Global => sectors::lines(canvas, width, step, access),
        MemoryKind::Constant => muted("  constant memory: no sector moves"),
        MemoryKind::Local => muted("  private memory of each lane: no two lanes share an address"),
    });
    lines.extend(chosen_lane(canvas, step, access));
    lines
}

/// What the characters of the drawings mean.
fn legend(canvas: &Canvas, accesses: &[Accessed]) -> Option<Line<'static>> {
    let any = |memory| accesses.iter().any(|access| access.memory == memory);
    let dot = canvas.theme().dot();
    let blank = match (any(MemoryKind::Global), any(MemoryKind::Shared)) {
        (_, true) => format!("  {dot} idle bank"),
        (true, false) => String::new(),
        (false, false) => return None,
    };
    let last = digit(WARP_LANES - 1);
    let text = format!("  0-9, a-{last} lanes  + several{blank}");
    Some(canvas.text(text, Role::Muted))
}

/// Load, store or atomic operation, and its text.
fn heading(canvas: &Canvas, width: usize, file: &SourceFile, access: &Accessed) -> Line<'static> {
    let kind = match (access.site.is_atomic, access.site.kind) {
        (true, _) => "atomic",
        (_, AccessKind::Load) => "load",
        (_, AccessKind::Store) => "store",
    };
    let text = quoted(file, access.site.span);
    let memory = match access.memory {
        MemoryKind::Global => "global memory",
        MemoryKind::Shared => "shared memory",
        MemoryKind::Local => "local memory",
        MemoryKind::Constant => "constant memory",
    };
    let bytes = access.site.width_bytes;
    let mut line = Line::from(vec![
        canvas.span(format!("{kind} "), Role::Strong),
        canvas.span(text, Role::Code),
    ]);
    let what = format!("  {memory}, {bytes} bytes per lane");
    if line.width() + what.len() <= width {
        line.push_span(canvas.span(what, Role::Muted));
    }
    line
}

/// Where the chosen lane goes.
fn chosen_lane(canvas: &Canvas, step: &WarpStep, access: &Accessed) -> Option<Line<'static>> {
    let lane = step.lane;
    let what = match access.active >> lane & 1 {
        1 => step.place_of(access.addresses[lane]),
        _ => "takes no part".to_owned(),
    };
    let digit = digit(lane);
    let own = if lane < 10 {
        String::new()
    } else {
        format!(" (drawn {digit})")
    };
    Some(Line::from(vec![
        canvas.span(format!("  lane {lane}{own}: "), Role::Muted),
        canvas.span(what, Role::Text),
    ]))
}
