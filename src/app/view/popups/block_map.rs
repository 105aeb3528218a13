//! The grid as a map of blocks, and the warps of the block under the cursor.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Action, BlockMap, Extent, InspectorAction, Model};
use crate::app::view::widgets::{Canvas, Pane, below, block_index, centred, dims, inset, top};
use crate::device::grouped;
use crate::document::{Role, warp_line};
use crate::launch::{Dim3, Watch};
use crate::lesson::LaunchShape;

/// Cells of a column of the map.
const CELL: u16 = 2;
/// Most columns of the window: for rows of a folded grid, and for a plane; and most rows.
const FOLDED_WIDTH: u16 = 68;
const WIDTH: u16 = 120;
const HEIGHT: u16 = 44;
/// Rows that the warps take at most, with their heading.
const WARP_ROWS: u16 = 10;

/// Draws the map over `area`.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model, map: &BlockMap) {
    let widest = if map.is_folded() { FOLDED_WIDTH } else { WIDTH };
    let width = area.width.saturating_sub(2).min(widest);
    let (_, rows) = map.cells();
    let warps = (map.warps() as u16).saturating_add(2).min(WARP_ROWS);
    // A grid may have more rows than sixteen bits can count: bounded before it is cut to them.
    let wanted = (rows.min(200) as u16).saturating_add(warps + 6);
    let height = wanted.min(area.height.saturating_sub(2)).min(HEIGHT);
    let window = centred(area, width, height);
    canvas.clear(window);
    let title = format!(" {} blocks ", grouped(shape(map).blocks()));
    let pane = Pane {
        title: canvas.text(title, Role::Strong),
        note: keys(canvas, map),
        foot: canvas.text(" or type a number ", Role::Muted),
        focused: true,
    };
    let inner = inset(canvas.pane(window, pane), 1);
    let heading = heading(canvas, map);
    canvas.line(inner, heading);
    let room = inner.height.saturating_sub(warps + 3);
    let place = Rect {
        height: room,
        ..below(inner, 2)
    };
    draw_map(canvas, place, model, map);
    draw_warps(canvas, below(inner, room + 3), map);
}

fn shape(map: &BlockMap) -> LaunchShape {
    LaunchShape {
        kernel: String::new(),
        grid: map.grid,
        block: map.block,
    }
}

fn keys(canvas: &Canvas, map: &BlockMap) -> Line<'static> {
    let mut keys = vec![("enter", " looks into it  "), ("w", " warp  ")];
    // A key that does nothing is not offered: few blocks are all on screen.
    if map.grid.iter().any(|&side| side > 8) {
        keys.push(("+ -", " zoom  "));
    }
    if map.grid[2] > 1 {
        keys.push(("pgup pgdn", " plane  "));
    }
    let mut line = Line::from(Span::raw(" "));
    line.spans.extend(canvas.keys(&keys).spans);
    line
}

/// The block under the cursor, and what a cell stands for.
fn heading(canvas: &Canvas, map: &BlockMap) -> Line<'static> {
    let mut line = Line::from(vec![
        canvas.span("block ", Role::Muted),
        canvas.span(block_index(map.at.block, map.grid), Role::Strong),
        canvas.span(
            format!(" of grid {}", dims(map.grid, canvas.theme().times())),
            Role::Muted,
        ),
    ]);
    if map.scale > 1 {
        let scale = match map.is_folded() {
            true => format!("{} blocks", grouped(map.scale.into())),
            false => format!("{0} {1} {0} blocks", map.scale, canvas.theme().times()),
        };
        line.push_span(canvas.span(format!("; a cell is {scale}"), Role::Warning));
    }
    if map.grid[2] > 1 {
        let plane = format!("; plane z = {}", map.at.block[2]);
        line.push_span(canvas.span(plane, Role::Text));
    }
    line
}

/// Cells around the cursor: as many as fit.
fn draw_map(canvas: &mut Canvas, area: Rect, model: &Model, map: &BlockMap) {
    let (columns, rows) = map.cells();
    // The last row has the longest number.
    let labels = label(map, rows.saturating_sub(1)).len() as u16 + 1;
    let fit_columns = u32::from(area.width.saturating_sub(labels) / CELL).min(columns);
    let fit_rows = u32::from(area.height).min(rows);
    canvas.drawn.seen.windows.block_map = Extent {
        content: rows as usize,
        visible: fit_rows as usize,
    };
    let cursor = map.cell_of(map.at.block);
    let first =
        |at: u32, fit: u32, count: u32| at.saturating_sub(fit / 2).min(count.saturating_sub(fit));
    let from = (
        first(cursor.0, fit_columns, columns),
        first(cursor.1, fit_rows, rows),
    );
    let watched = model
        .run_cell()
        .map(|(_, state)| state.inspector.watch.block);
    for (place, row) in area.rows().zip(from.1..from.1 + fit_rows) {
        let text = format!(
            "{:>width$} ",
            label(map, row),
            width = usize::from(labels) - 1
        );
        let label = canvas.span(text, Role::Muted);
        let columns = from.0..from.0 + fit_columns;
        draw_row(canvas, place, label, map, watched, row, columns);
    }
}

/// A row of the map, behind its label.
fn draw_row(
    canvas: &mut Canvas,
    place: Rect,
    label: Span<'static>,
    map: &BlockMap,
    watched: Option<Dim3>,
    row: u32,
    columns: Range<u32>,
) {
    let (cursor, warp) = (map.cell_of(map.at.block), map.at.warp);
    let mut line = Line::from(label);
    for column in columns {
        let Some(block) = map.block_at(column, row) else {
            break;
        };
        let chosen = Action::Inspector(InspectorAction::Watch(Watch { block, warp }));
        // Where the line ends so far is where the cell will be.
        canvas.click_next(place, &line, CELL.into(), chosen);
        let is_watched = watched
            .is_some_and(|watched| watched[2] == block[2] && map.cell_of(watched) == (column, row));
        line.push_span(cell(canvas, is_watched, cursor == (column, row)));
        line.push_span(Span::raw(" "));
    }
    canvas.line(place, line);
}

/// What stands before a row: its first block, or its y.
fn label(map: &BlockMap, row: u32) -> String {
    let block: Dim3 = map.block_at(0, row).unwrap_or_default();
    match map.is_folded() {
        true => grouped(block[0].into()),
        false => format!("y {}", grouped(block[1].into())),
    }
}

fn cell(canvas: &Canvas, is_watched: bool, is_cursor: bool) -> Span<'static> {
    let theme = canvas.theme();
    let (text, role) = match is_watched {
        true => (theme.glyph("\u{25cf}", "O"), Role::Accent),
        false => (theme.glyph("\u{25a0}", "#"), Role::Muted),
    };
    let span = canvas.span(text, role);
    match is_cursor {
        true => span.patch_style(theme.style(Role::Selection)),
        false => span,
    }
}

/// The warps of the block, each with its lanes and the threads they are.
fn draw_warps(canvas: &mut Canvas, area: Rect, map: &BlockMap) {
    let shape = shape(map);
    let threads = shape.threads();
    let (warps, dot) = (map.warps(), canvas.theme().dot());
    let text = format!(
        "{warps} warps of a block {dot} {} threads ({})",
        grouped(threads),
        dims(map.block, canvas.theme().times())
    );
    canvas.line(area, canvas.text(text, Role::Muted));
    let rows = below(area, 1);
    let visible = u32::from(rows.height).min(warps);
    let first = map.at.warp.saturating_sub(visible / 2).min(warps - visible);
    for (place, warp) in rows.rows().zip(first..first + visible) {
        let is_open = warp == map.at.warp;
        let mut line = Line::from(canvas.pointer(is_open));
        let width = usize::from(place.width).saturating_sub(1);
        line.extend(warp_line(
            &shape,
            warp.into(),
            is_open,
            width,
            canvas.theme(),
        ));
        let block = map.at.block;
        canvas.click(
            top(place, 1),
            Action::Inspector(InspectorAction::Watch(Watch { block, warp })),
        );
        canvas.line(place, line);
    }
}
