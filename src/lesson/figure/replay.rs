//! An order of blocks, replayed: what each of them finds in a model of L2 that holds whole tiles
//! ([`TileCache`]). Blocks come one after another, in order of their numbers, and the tile not used for
//! longest makes room.

use serde::Serialize;

use crate::launch::Tiling;
use crate::lesson::sizes::Sizes;
use crate::memory::TileCache;

/// A matrix cut into tiles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TileGrid {
    /// The buffer's name.
    pub name: String,
    /// Rows and columns of the matrix, in elements.
    pub matrix: [u64; 2],
    /// Rows and columns of a tile, in elements.
    pub tile: [u64; 2],
    /// Rows and columns of tiles.
    pub tiles: [u64; 2],
    /// Bytes of an element.
    pub element_bytes: u64,
}

/// Which tiles the blocks of a launch visit, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockOrder {
    /// The kernel.
    pub kernel: String,
    /// The sizes it ran at.
    pub sizes: Sizes,
    /// What the blocks write.
    pub output: TileGrid,
    /// What they read; empty where the order alone is shown.
    pub inputs: Vec<TileGrid>,
    /// Bytes of L2 that there are for tiles; 0 where there are no inputs.
    pub l2_bytes: u64,
    /// The blocks in order of their numbers.
    pub blocks: Vec<VisitedTiles>,
    /// The block that is followed step by step, if it is one of them that is shown and not their order.
    pub block: Option<usize>,
}

/// What one block visits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VisitedTiles {
    /// Tiles of the output that it writes, by number along the rows.
    pub writes: Vec<u64>,
    /// Tiles that it reads, in order of time: which input, and the tile's number.
    pub reads: Vec<(usize, u64)>,
}

/// How a tile of an input stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TileState {
    /// No block has read it.
    #[default]
    Untouched,
    /// The current block reads it, and it came from memory.
    Loaded,
    /// The current block reads it, and it was in L2.
    Found,
    /// It is in L2.
    Held,
    /// It was in L2 and had to make room.
    Gone,
}

/// What was moved so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TileTraffic {
    /// Tiles that blocks read.
    pub reads: u64,
    /// Those of them that came from memory.
    pub loads: u64,
    /// The loads of each input.
    pub loads_of: Vec<u64>,
    /// Those of the loads that had been in L2 before.
    pub loaded_again: u64,
    /// Tiles of the inputs that L2 holds now.
    pub held: u64,
    /// Bytes that came from memory.
    pub loaded_bytes: u64,
}

/// An order after some of its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Of each tile of the output the place of the first block that wrote it, from 0.
    pub written: Vec<Option<usize>>,
    /// Tiles of the output that the current block, the last one so far, writes.
    pub current: Vec<u64>,
    /// How the tiles of each input stand.
    pub inputs: Vec<Vec<TileState>>,
    /// What was moved so far.
    pub counted: TileTraffic,
}

impl TileGrid {
    /// How many tiles it has.
    pub fn count(&self) -> u64 {
        self.tiles.iter().product()
    }

    /// Row and column of the tile with this number.
    pub fn place(&self, tile: u64) -> [u64; 2] {
        let columns = self.tiles[1].max(1);
        [tile / columns, tile % columns]
    }

    fn tile_bytes(&self, tile: u64) -> u64 {
        let tiling = Tiling {
            buffer: 0,
            matrix: self.matrix,
            tile: self.tile,
        };
        tiling.tile_elements(tile) * self.element_bytes
    }
}

impl Replay {
    /// The place of the first block that wrote this tile of the output, if one did.
    pub fn writer(&self, tile: u64) -> Option<usize> {
        self.written.get(tile as usize).copied().flatten()
    }
}

impl BlockOrder {
    /// The same without what the blocks read.
    pub fn of_output(&self) -> Self {
        let mut order = self.clone();
        order.inputs.clear();
        for visit in &mut order.blocks {
            visit.reads.clear();
        }
        order
    }

    /// How many moments it has to show: blocks, or the steps of the one that is followed.
    pub fn moments(&self) -> usize {
        match self.block {
            Some(block) => self.steps_of(block).len(),
            None => self.blocks.len(),
        }
    }

    /// What block `block` reads, step by step: a step has tiles of different inputs, and ends where a tile follows of an
    /// input that it has already.
    pub fn steps_of(&self, block: usize) -> Vec<Vec<(usize, u64)>> {
        let mut steps: Vec<Vec<(usize, u64)>> = Vec::new();
        let reads = self.blocks.get(block).into_iter();
        for &read in reads.flat_map(|visit| &visit.reads) {
            match steps.last_mut() {
                Some(step) if step.iter().all(|other| other.0 != read.0) => step.push(read),
                _ => steps.push(vec![read]),
            }
        }
        steps
    }

    /// How things stand after the first `blocks` blocks.
    pub fn replay(&self, blocks: usize) -> Replay {
        let mut machine = Machine::new(self);
        let mut written = vec![None; self.output.count() as usize];
        for (at, visit) in self.blocks.iter().enumerate().take(blocks) {
            machine.read(&visit.reads, at + 1 == blocks);
            for &tile in &visit.writes {
                // L2 writes back: what a block stores takes room that its inputs lose.
                machine.l2.touch(tile, self.output.tile_bytes(tile));
                // Blocks may meet in a tile of the output: its colour is that of the first.
                written[tile as usize].get_or_insert(at);
            }
        }
        let (inputs, counted) = machine.end();
        let current = blocks.checked_sub(1).and_then(|at| self.blocks.get(at));
        Replay {
            written,
            current: current.map_or_else(Vec::new, |visit| visit.writes.clone()),
            inputs,
            counted,
        }
    }
}

/// L2 as blocks go by. The tiles of the output have the first numbers in it, then those of each input.
struct Machine<'a> {
    order: &'a BlockOrder,
    /// The number of each input's first tile.
    firsts: Vec<u64>,
    l2: TileCache,
    inputs: Vec<Vec<TileState>>,
    counted: TileTraffic,
}

impl<'a> Machine<'a> {
    fn new(order: &'a BlockOrder) -> Self {
        let mut all = order.output.count();
        let firsts = order.inputs.iter().map(|grid| {
            all += grid.count();
            all - grid.count()
        });
        let firsts = firsts.collect();
        let untouched = |grid: &TileGrid| vec![TileState::Untouched; grid.count() as usize];
        Machine {
            order,
            firsts,
            l2: TileCache::new(all, order.l2_bytes),
            inputs: order.inputs.iter().map(untouched).collect(),
            counted: TileTraffic {
                loads_of: vec![0; order.inputs.len()],
                ..TileTraffic::default()
            },
        }
    }

    /// A block reads tiles.
    fn read(&mut self, reads: &[(usize, u64)], is_current: bool) {
        for &(input, tile) in reads {
            let bytes = self.order.inputs[input].tile_bytes(tile);
            let was_there = self.l2.touch(self.firsts[input] + tile, bytes);
            let (state, counted) = (&mut self.inputs[input][tile as usize], &mut self.counted);
            counted.reads += 1;
            if !was_there {
                counted.loads += 1;
                counted.loads_of[input] += 1;
                counted.loaded_bytes += bytes;
                // A tile that was read and is not in L2 has been evicted in between.
                counted.loaded_again += u64::from(*state != TileState::Untouched);
            }
            *state = match (is_current, was_there) {
                (true, true) => TileState::Found,
                (true, false) => TileState::Loaded,
                (false, _) => TileState::Held,
            };
        }
    }

    /// How the tiles stand now, and what was moved.
    fn end(mut self) -> (Vec<Vec<TileState>>, TileTraffic) {
        for (states, &first) in self.inputs.iter_mut().zip(&self.firsts) {
            for (state, tile) in states.iter_mut().zip(first..) {
                let holds = self.l2.holds(tile);
                self.counted.held += u64::from(holds);
                if *state == TileState::Held && !holds {
                    *state = TileState::Gone;
                }
            }
        }
        (self.inputs, self.counted)
    }
}
