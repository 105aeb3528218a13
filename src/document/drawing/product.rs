//! One block of a matrix product as lines: its tile of the output, and the tiles of the two inputs that it reads, step by
//! step. The inputs stand where they meet the output: one to its left, one above it.

use ratatui::text::{Line, Span};

use super::area::Room;
use crate::device::grouped;
use crate::document::style::{Role, Theme, wrap};
use crate::lesson::{BlockOrder, TileGrid};

/// Cells of a tile, and between two matrices.
const CELL: usize = 2;
const GAP: usize = 3;
/// Rows of words: over the matrices, and what is said under them.
const WORDS: usize = 8;

/// Block `block` of `order` after `step` steps.
pub(crate) fn product_lines(
    order: &BlockOrder,
    block: usize,
    step: usize,
    room: Room,
    theme: Theme,
) -> Vec<Line<'static>> {
    let product = Product::new(order, block, step, theme);
    let mut lines = match &order.inputs[..] {
        [left, above] => product.crossed(left, above, room),
        _ => Vec::new(),
    };
    lines.push(Line::default());
    lines.extend(product.words(room.width));
    lines.truncate(room.height);
    lines
}

struct Product<'a> {
    order: &'a BlockOrder,
    block: usize,
    step: usize,
    steps: usize,
    /// What it read in the last step, and before.
    now: Vec<(usize, u64)>,
    before: Vec<(usize, u64)>,
    theme: Theme,
}

/// So many of a row or column of tiles, from the first on.
#[derive(Clone, Copy)]
struct Window {
    first: u64,
    count: u64,
}

impl Window {
    /// At most `fits` of `all`, around `at`.
    fn around(at: u64, fits: usize, all: u64) -> Self {
        let count = (fits as u64).clamp(1, all.max(1));
        Window {
            // At the edges the window stays full: tiles beyond the matrix would be blanks.
            first: at.saturating_sub(count / 2).min(all.saturating_sub(count)),
            count,
        }
    }

    fn tiles(self) -> std::ops::Range<u64> {
        self.first..self.first + self.count
    }
}

/// What of the matrices is on screen.
struct Layout {
    /// Of the output, and of the input to its left.
    rows: Window,
    /// Of the output, and of the input above it.
    columns: Window,
    left_columns: Window,
    above_rows: Window,
    /// Cells left of the output.
    indent: usize,
}

impl<'a> Product<'a> {
    fn new(order: &'a BlockOrder, block: usize, step: usize, theme: Theme) -> Self {
        let steps = order.steps_of(block);
        let step = step.min(steps.len());
        let (now, before) = match steps[..step].split_last() {
            // A block keeps what it has read: the steps before stay marked.
            Some((now, before)) => (now.clone(), before.concat()),
            None => (Vec::new(), Vec::new()),
        };
        Product {
            order,
            block,
            step,
            steps: steps.len(),
            now,
            before,
            theme,
        }
    }

    /// Row and column of the first tile of `input` that the last step reads, else of the first that the block reads.
    fn read_place(&self, input: usize) -> [u64; 2] {
        let visit = self.order.blocks.get(self.block);
        let reads = visit.map_or(&[][..], |visit| &visit.reads);
        // Before the first step nothing is read: the window stands where the block will begin.
        let mut all = self.now.iter().chain(reads);
        let read = all.find(|read| read.0 == input);
        read.map_or([0, 0], |read| self.order.inputs[input].place(read.1))
    }

    /// The first tile of the output that the block writes.
    fn written(&self) -> Option<u64> {
        let visit = self.order.blocks.get(self.block)?;
        visit.writes.first().copied()
    }

    fn layout(&self, left: &TileGrid, above: &TileGrid, room: Room) -> Layout {
        let output = &self.order.output;
        let at = self.written().map_or([0, 0], |tile| output.place(tile));
        let across = room.width.saturating_sub(GAP) / CELL;
        let down = room.height.saturating_sub(WORDS);
        // The inner side gives way first: it is walked along, step by step.
        let half = |all: usize, outer: u64, inner: u64| {
            let outer = (outer as usize).min(all.saturating_sub((inner as usize).min(all / 2)));
            (outer.max(1), all.saturating_sub(outer).max(1))
        };
        let (wide, inner_wide) = half(across, output.tiles[1], left.tiles[1]);
        let (high, inner_high) = half(down, output.tiles[0], above.tiles[0]);
        let left_columns = Window::around(self.read_place(0)[1], inner_wide, left.tiles[1]);
        let indent = left_columns.count as usize * CELL + GAP;
        // The name stands above the left matrix, and may be wider than it.
        let indent = indent.max(name(left, self.theme).chars().count() + GAP);
        let wide = wide.min(room.width.saturating_sub(indent) / CELL);
        Layout {
            rows: Window::around(at[0], high, output.tiles[0]),
            columns: Window::around(at[1], wide, output.tiles[1]),
            left_columns,
            above_rows: Window::around(self.read_place(1)[0], inner_high, above.tiles[0]),
            indent,
        }
    }

    /// The matrices where they meet.
    fn crossed(&self, left: &TileGrid, above: &TileGrid, room: Room) -> Vec<Line<'static>> {
        let output = &self.order.output;
        let layout = self.layout(left, above, room);
        let blanks = |count: usize| Span::raw(" ".repeat(count));
        let strong = self.theme.style(Role::Strong);
        let head = |grid: &TileGrid| Span::styled(name(grid, self.theme), strong);
        let mut lines = vec![Line::from(vec![blanks(layout.indent), head(above)])];
        for row in layout.above_rows.tiles() {
            let cells = self.read_row(1, row, layout.columns);
            lines.push(
                std::iter::once(blanks(layout.indent))
                    .chain(cells)
                    .collect(),
            );
        }
        let names = head(left);
        let between = blanks(layout.indent - names.width());
        lines.push(Line::from(vec![names, between, head(output)]));
        for row in layout.rows.tiles() {
            let mut line: Line = self.read_row(0, row, layout.left_columns).collect();
            line.push_span(blanks(layout.indent - line.width()));
            line.extend(self.written_row(row, layout.columns));
            lines.push(line);
        }
        lines
    }

    /// Tiles of a row of an input.
    fn read_row(
        &self,
        input: usize,
        row: u64,
        columns: Window,
    ) -> impl Iterator<Item = Span<'static>> {
        let grid = &self.order.inputs[input];
        let first = row * grid.tiles[1];
        let is_there = row < grid.tiles[0];
        columns
            .tiles()
            .filter(move |_| is_there)
            .map(move |column| {
                let tile = (input, first + column);
                let state = match (self.now.contains(&tile), self.before.contains(&tile)) {
                    (true, _) => Tile::Now,
                    (_, true) => Tile::Before,
                    _ => Tile::Other,
                };
                self.cell(state)
            })
    }

    /// Tiles of a row of the output.
    fn written_row(&self, row: u64, columns: Window) -> impl Iterator<Item = Span<'static>> {
        let first = row * self.order.output.tiles[1];
        let written = self.written();
        columns.tiles().map(move |column| {
            let is_own = written == Some(first + column);
            self.cell(if is_own { Tile::Written } else { Tile::Other })
        })
    }

    fn cell(&self, tile: Tile) -> Span<'static> {
        let (glyph, style) = tile.look(self.theme);
        Span::styled(format!("{glyph:<CELL$}"), style)
    }

    /// What the glyphs mean, where the block is, and how many blocks need the same tiles.
    fn words(&self, width: usize) -> Vec<Line<'static>> {
        let step = format!(
            "Each cell is a tile. Step {} of {} of block {}.",
            self.step,
            self.steps,
            grouped(self.block as u64)
        );
        let needs = self.now.iter().map(|&(input, tile)| self.need(input, tile));
        let text = step + &needs.collect::<String>();
        let style = self.theme.style(Role::Text);
        let pieces = [(self.theme.text(&text).into_owned(), style)];
        let mut lines = vec![key(self.theme)];
        lines.extend(wrap(&pieces, width, &[], &[]));
        lines
    }

    /// How many blocks read this tile.
    fn need(&self, input: usize, tile: u64) -> String {
        let blocks = &self.order.blocks;
        let readers = blocks.iter();
        let readers = readers.filter(|visit| visit.reads.contains(&(input, tile)));
        let grid = &self.order.inputs[input];
        let [row, column] = grid.place(tile);
        format!(
            " Tile ({row}, {column}) of {} is read by {} of {} blocks.",
            grid.name,
            grouped(readers.count() as u64),
            grouped(blocks.len() as u64)
        )
    }
}

/// What the glyphs mean.
fn key(theme: Theme) -> Line<'static> {
    let meanings = [
        (Tile::Now, "reads now"),
        (Tile::Before, "has read"),
        (Tile::Written, "writes"),
    ];
    let entries = meanings.into_iter().flat_map(|(tile, words)| {
        let (glyph, style) = tile.look(theme);
        let words = Span::styled(format!(" {words}  "), theme.style(Role::Muted));
        [Span::styled(glyph, style), words]
    });
    entries.collect()
}

/// A matrix and how many tiles it has.
fn name(grid: &TileGrid, theme: Theme) -> String {
    let [rows, columns] = grid.tiles.map(grouped);
    format!("{}  {rows} {} {columns}", grid.name, theme.times())
}

/// How a tile stands to the block.
#[derive(Clone, Copy)]
enum Tile {
    Now,
    Before,
    Written,
    Other,
}

impl Tile {
    fn look(self, theme: Theme) -> (&'static str, ratatui::style::Style) {
        match self {
            Tile::Now => (theme.glyph("\u{25bc}", "L"), theme.series(1)),
            Tile::Before => (theme.glyph("\u{25a0}", "#"), theme.series(0)),
            Tile::Written => (theme.glyph("\u{25c6}", "@"), theme.series(2)),
            Tile::Other => (theme.dot(), theme.style(Role::Muted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::style::{Depth, texts};
    use crate::lesson::{Sizes, VisitedTiles};

    /// A product of square matrices of `side` tiles a side, a block for each tile of the output.
    fn product(side: u64) -> BlockOrder {
        let grid = |name: &str| TileGrid {
            name: name.to_owned(),
            matrix: [side * 16; 2],
            tile: [16; 2],
            tiles: [side; 2],
            element_bytes: 4,
        };
        let block = |at: u64| VisitedTiles {
            writes: vec![at],
            reads: (0..side)
                .flat_map(|k| [(0, at / side * side + k), (1, k * side + at % side)])
                .collect(),
        };
        BlockOrder {
            kernel: "matmul".to_owned(),
            sizes: Sizes::new(),
            output: grid("c"),
            inputs: vec![grid("a"), grid("b")],
            l2_bytes: 0,
            blocks: (0..side * side).map(block).collect(),
            block: Some(0),
        }
    }

    #[test]
    fn a_block_reads_along_a_row_and_down_a_column() {
        let order = product(6);
        let theme = Theme::new(Depth::None, true);
        let drawn = [(36, 20), (60, 24), (100, 30)].map(|(width, height)| {
            let room = Room { width, height };
            let lines = product_lines(&order, 15, 3, room, theme);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:#?}");
            texts(&lines).join("\n")
        });
        insta::assert_snapshot!("product", drawn.join("\n\n"));
    }

    #[test]
    fn each_step_reads_one_tile_of_each_input_and_all_steps_what_the_block_reads() {
        let order = product(5);
        for block in 0..25 {
            let steps = order.steps_of(block);
            assert_eq!(steps.len(), 5);
            assert!(
                steps
                    .iter()
                    .all(|step| step.len() == 2 && step[0].0 != step[1].0)
            );
            assert_eq!(steps.concat(), order.blocks[block].reads);
        }
    }

    #[test]
    fn large_products_fit_any_room() {
        let order = product(40);
        for (width, height) in [(36, 12), (60, 20), (100, 60), (200, 100)] {
            let room = Room { width, height };
            for (block, step) in [(0, 0), (1599, 40), (820, 17)] {
                let lines = product_lines(&order, block, step, room, Theme::paper());
                assert!(lines.len() <= height);
                assert!(lines.iter().all(|line| line.width() <= width));
            }
        }
    }
}
