//! Blocks over a matrix as lines: the tiles of the output with the places of their blocks, and the tiles of the
//! inputs by whether L2 holds them.

use ratatui::text::{Line, Span};

use super::area::{CellSpan, Room};
use super::matrix::{Matrix, PlacedTile, digits};
use super::product::product_lines;
use crate::device::grouped;
use crate::document::style::{Role, Theme, texts, wrap};
use crate::lesson::{BlockOrder, Replay, TileGrid, TileState};

/// Cells between two matrices.
const GAP: usize = 3;
/// Cells of the line over a matrix, mostly.
const HEAD: usize = 16;
/// Rows under the matrices: states, and what was counted.
const UNDER: usize = 5;
/// Rows below which the legend is told in brief.
const LOW: usize = 14;

/// States of tiles that a key explains, with what it says of each.
pub(crate) const STATES: [(TileState, &str); 4] = [
    (TileState::Loaded, "read now, from memory"),
    (TileState::Found, "read now, from L2"),
    (TileState::Held, "in L2"),
    (TileState::Gone, "evicted"),
];

/// The matrices of an order after `visits` blocks, as lines of ASCII.
pub fn order_text(order: &BlockOrder, visits: usize, width: usize, height: usize) -> Vec<String> {
    let room = Room { width, height };
    texts(&order_page(order, visits, room, Theme::paper()).0)
}

/// A tile of the output on the page.
pub(crate) struct WrittenTile {
    /// Where it stands.
    pub at: CellSpan,
    /// The block that wrote it, by its place in the order.
    pub block: usize,
}

/// An order after `visits` blocks: all matrices side by side, and what is to be said under them. Of a block that is
/// followed, what it reads in so many steps.
pub(crate) fn order_page(
    order: &BlockOrder,
    visits: usize,
    room: Room,
    theme: Theme,
) -> (Vec<Line<'static>>, Vec<WrittenTile>) {
    if let Some(block) = order.block {
        return (product_lines(order, block, visits, room, theme), Vec::new());
    }
    let replay = &order.replay(visits);
    let mut legend = legend(order, replay, visits, room.width, theme);
    // Tiles come first where rows are few.
    let is_low = room.height < LOW;
    if is_low {
        legend.truncate(2);
    }
    let least = if is_low { 0 } else { UNDER };
    let under = legend.len().max(least) + 2;
    let height = room.height.saturating_sub(under).max(1);
    let room = Room { height, ..room };
    let (mut lines, written) = matrices(order, replay, visits, room, theme);
    lines.push(Line::default());
    lines.extend(legend);
    (lines, written)
}

/// The output, and the inputs beside it.
fn matrices(
    order: &BlockOrder,
    replay: &Replay,
    visits: usize,
    room: Room,
    theme: Theme,
) -> (Vec<Line<'static>>, Vec<WrittenTile>) {
    let gaps = GAP * order.inputs.len();
    let width = room.width.saturating_sub(gaps) / (1 + order.inputs.len());
    let inputs = read_matrices(order, visits, Room { width, ..room });
    let taken: usize = inputs
        .iter()
        .map(|input| input.width().max(HEAD) + GAP)
        .sum();
    // The output gets what the inputs leave: its tiles have numbers in them.
    let width = room.width.saturating_sub(taken).max(width);
    let digits = digits(order.blocks.len());
    // Where not all tiles fit, the part around what is written now is shown.
    let current = replay.current.first().copied().unwrap_or(0);
    let output = Matrix::new(&order.output, digits + 1, Room { width, ..room }, current);
    let (mut lines, tiles) = output.draw(&order.output, theme, |tile, cell| {
        written(replay, tile, cell, digits, theme)
    });
    for ((matrix, grid), states) in inputs.iter().zip(&order.inputs).zip(&replay.inputs) {
        let (drawn, _) = matrix.draw(grid, theme, |tile, cell| {
            let (glyph, role) = glyph(states[tile as usize], theme);
            Span::styled(format!("{glyph:<cell$}"), theme.style(role))
        });
        beside(&mut lines, drawn);
    }
    (lines, written_tiles(replay, tiles))
}

/// Those tiles that a block has written so far.
fn written_tiles(replay: &Replay, tiles: Vec<PlacedTile>) -> Vec<WrittenTile> {
    let written = tiles.into_iter().filter_map(|tile| {
        let block = replay.writer(tile.number)?;
        Some(WrittenTile { at: tile.at, block })
    });
    written.collect()
}

/// The inputs, each around the tile that the last block reads first.
fn read_matrices(order: &BlockOrder, visits: usize, room: Room) -> Vec<Matrix> {
    // After `visits` blocks the last is number `visits - 1`; before the first there is none.
    let last = visits.checked_sub(1).and_then(|at| order.blocks.get(at));
    let reads = last.map_or(&[][..], |visit| &visit.reads);
    let matrix = |(i, grid): (usize, &TileGrid)| {
        let first = reads.iter().find(|read| read.0 == i);
        Matrix::new(grid, 2, room, first.map_or(0, |read| read.1))
    };
    order.inputs.iter().enumerate().map(matrix).collect()
}

/// Puts lines to the right of others.
fn beside(lines: &mut Vec<Line<'static>>, right: Vec<Line<'static>>) {
    let left = lines.iter().map(Line::width).max().unwrap_or(0);
    lines.resize(lines.len().max(right.len()), Line::default());
    for (line, right) in lines.iter_mut().zip(right) {
        line.push_span(Span::raw(" ".repeat(left + GAP - line.width())));
        line.spans.extend(right.spans);
    }
}

/// A tile of the output, `cell` cells wide: the place of the block that wrote it, from 0, where that has room for its digits.
fn written(replay: &Replay, tile: u64, cell: usize, digits: usize, theme: Theme) -> Span<'static> {
    let place = replay.writer(tile);
    let is_current = replay.current.contains(&tile);
    let role = match (place, is_current) {
        (_, true) => Role::Selection,
        (Some(_), _) => Role::Text,
        (None, _) => Role::Muted,
    };
    let text = match place {
        Some(place) if cell > digits => format!("{place:>0$} ", cell - 1),
        Some(_) if is_current => format!("{:<cell$}", theme.glyph("\u{25c6}", "@")),
        Some(_) => format!("{:<cell$}", theme.glyph("\u{25a0}", "#")),
        None => format!("{:>1$} ", theme.dot(), cell.saturating_sub(1)),
    };
    // A tile may be one cell wide: then only the glyph is left.
    let text: String = text.chars().take(cell).collect();
    Span::styled(text, theme.style(role))
}

/// Glyph and style of a tile's state.
fn glyph(state: TileState, theme: Theme) -> (&'static str, Role) {
    match state {
        TileState::Untouched => (theme.dot(), Role::Muted),
        TileState::Loaded => (theme.glyph("\u{25bc}", "L"), Role::Changed),
        TileState::Found => (theme.glyph("\u{25c6}", "F"), Role::Good),
        TileState::Held => (theme.glyph("\u{25a0}", "#"), Role::Code),
        TileState::Gone => (theme.glyph("\u{25a1}", "o"), Role::Warning),
    }
}

/// What the states mean, and what was counted.
fn legend(
    order: &BlockOrder,
    replay: &Replay,
    visits: usize,
    width: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let last = visits.checked_sub(1).map_or_else(
        || "Before the first block.".to_owned(),
        |at| format!("Block {} is the last so far.", grouped(at as u64)),
    );
    let muted = |text: &str| {
        let pieces = [(theme.text(text).into_owned(), theme.style(Role::Muted))];
        wrap(&pieces, width, &[], &[])
    };
    if order.inputs.is_empty() {
        return muted(&format!("{last} Counted: which block writes which tile."));
    }
    let counted = &replay.counted;
    let moved = format!(
        "{} tiles read so far, {} bytes from memory, {} tiles in L2 now",
        grouped(counted.reads),
        grouped(counted.loaded_bytes),
        grouped(counted.held)
    );
    let model = format!(
        "{last} Counted: which block reads and writes which tile. Modelled: an L2 of {} bytes that holds whole tiles; \
         blocks run one after another, and the least recently used tile is evicted first.",
        grouped(order.l2_bytes)
    );
    let mut lines = vec![key(theme), loads(order, replay, theme), Line::from(moved)];
    lines.extend(muted(&model));
    lines
}

/// What the glyphs of states mean.
fn key(theme: Theme) -> Line<'static> {
    let mut line = Line::default();
    for (state, name) in STATES {
        let (glyph, role) = glyph(state, theme);
        line.push_span(Span::styled(glyph, theme.style(role)));
        line.push_span(Span::styled(
            format!(" {name}   "),
            theme.style(Role::Muted),
        ));
    }
    line
}

/// How many tiles came from memory.
fn loads(order: &BlockOrder, replay: &Replay, theme: Theme) -> Line<'static> {
    let counted = &replay.counted;
    let of_inputs = order.inputs.iter().zip(&counted.loads_of);
    let of_inputs: Vec<String> = of_inputs
        .map(|(grid, &loads)| format!("{} of {}", grouped(loads), grid.name))
        .collect();
    let again = match counted.loaded_again {
        0 => String::new(),
        again => format!(", {} of them again", grouped(again)),
    };
    let loads = format!("{} tiles loaded from memory", grouped(counted.loads));
    Line::from(vec![
        Span::styled(loads, theme.style(Role::Strong)),
        Span::raw(format!(": {}{again}", of_inputs.join(", "))),
    ])
}
