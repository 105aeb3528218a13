//! The order in which blocks visit the tiles of a matrix, and what L2 holds meanwhile.
//!
//! Who writes and reads which tile is taken from a run on the simulated GPU. What L2 holds is a model
//! of whole tiles ([`TileCache`]): blocks come one after another, in order of their numbers, and the tile
//! not used for longest makes room.

use serde::Serialize;
use thiserror::Error;

use super::OrderFigure;
use crate::device::{Gpu, UnknownGpu, gpu};
use crate::engine::{Control, Options, StepperError, block_visits};
use crate::launch::{BlockVisit, Plan, Tiling};
use crate::lesson::{Lesson, PlanError, RunCell, Sizes};
use crate::memory::TileCache;

/// Most blocks of a figure: whoever looks at more sees nothing.
const MOST_BLOCKS: u64 = 1 << 16;
/// Most tiles of a matrix.
const MOST_TILES: u64 = 1 << 20;
/// Bytes of a mebibyte.
const MIB: f64 = 1024.0 * 1024.0;

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
pub struct Order {
    /// The kernel.
    pub kernel: String,
    /// The sizes it ran at.
    pub sizes: Sizes,
    /// What the blocks write.
    pub output: TileGrid,
    /// What they read.
    pub inputs: Vec<TileGrid>,
    /// Bytes of L2 that there are for tiles.
    pub l2_bytes: u64,
    /// The blocks in order of their numbers.
    pub blocks: Vec<Visit>,
}

/// What one block visits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Visit {
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
pub struct Counted {
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
    pub counted: Counted,
}

/// Why there is no order to show.
#[derive(Debug, Error)]
pub enum OrderError {
    /// The cell has no plan at these sizes.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no such GPU.
    #[error(transparent)]
    Gpu(#[from] UnknownGpu),
    /// The launch does not run.
    #[error("the cell does not run to this launch's end; run it to see why")]
    Run(#[from] StepperError),
    /// Something in the figure does not fit the run.
    #[error("{0}")]
    Unfit(String),
}

impl OrderFigure {
    /// The order of the blocks of a run at `sizes`, over the L2 of the GPU called `id`. Takes as long as
    /// the run.
    pub fn order(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        id: &str,
        control: &Control,
    ) -> Result<Order, OrderError> {
        let gpu = gpu(id)?;
        let cell = lesson.run_cell(&self.cell);
        let cell = cell.map_err(|_| unfit(format!("there is no cell `{}`", self.cell)))?;
        let plan = cell.plan(sizes, gpu)?;
        let launch = plan.launches.get(self.launch);
        let launch = launch.ok_or_else(|| unfit(format!("there is no launch {}", self.launch)))?;
        let blocks: u64 = launch
            .grid
            .iter()
            .map(|&blocks| u64::from(blocks))
            .product();
        if blocks > MOST_BLOCKS {
            let message = format!("{blocks} blocks are too many to draw; choose smaller sizes");
            return Err(unfit(message));
        }
        let inputs = self.inputs(cell, sizes, gpu)?;
        let matrix = matrix(cell, &self.output, sizes, gpu)?;
        let output = position(cell, &self.output)?;
        let options = Options {
            gpu: gpu.id.clone(),
            ..Options::default()
        };
        let visits = block_visits(&plan, self.launch, (&inputs, output), &options, control)?;
        let tiling = written_tiles(output, matrix, &visits)?;
        Ok(Order {
            kernel: launch.kernel.clone(),
            sizes: sizes.clone(),
            output: grid(&plan, &tiling),
            inputs: inputs.iter().map(|tiling| grid(&plan, tiling)).collect(),
            l2_bytes: self.l2_bytes(sizes, gpu)?,
            blocks: visits
                .into_iter()
                .map(|visit| of_block(visit, &tiling))
                .collect(),
        })
    }

    fn inputs(&self, cell: &RunCell, sizes: &Sizes, gpu: &Gpu) -> Result<Vec<Tiling>, OrderError> {
        let tiling = |input: &super::OrderInput| {
            let extent = |formula: &crate::lesson::Formula| {
                let extent = formula
                    .evaluate(sizes, gpu)
                    .ok()
                    .filter(|&extent| extent > 0);
                extent.ok_or_else(|| unfit(format!("a tile of `{}` has no extent", input.buffer)))
            };
            let tiling = Tiling {
                buffer: position(cell, &input.buffer)?,
                matrix: matrix(cell, &input.buffer, sizes, gpu)?,
                tile: [extent(&input.tile[0])?, extent(&input.tile[1])?],
            };
            few_tiles(&tiling)?;
            Ok(tiling)
        };
        self.inputs.iter().map(tiling).collect()
    }

    fn l2_bytes(&self, sizes: &Sizes, gpu: &Gpu) -> Result<u64, OrderError> {
        match &self.l2_bytes {
            Some(formula) => formula
                .evaluate(sizes, gpu)
                .map_err(|error| unfit(format!("`l2` has no value: {error}"))),
            None => gpu
                .l2_mib
                .map(|mib| (mib * MIB) as u64)
                .ok_or_else(|| unfit(format!("the L2 of {} is not known", gpu.name))),
        }
    }
}

fn unfit(message: String) -> OrderError {
    OrderError::Unfit(message)
}

fn position(cell: &RunCell, buffer: &str) -> Result<usize, OrderError> {
    let found = cell.buffers.iter().position(|of| of.name == buffer);
    found.ok_or_else(|| unfit(format!("there is no buffer `{buffer}`")))
}

/// Rows and columns of a buffer; one of one dimension is a row.
fn matrix(cell: &RunCell, buffer: &str, sizes: &Sizes, gpu: &Gpu) -> Result<[u64; 2], OrderError> {
    let extents = cell.buffers[position(cell, buffer)?].extents(sizes, gpu)?;
    let columns = extents.last().copied().unwrap_or(1);
    let rows = extents.iter().rev().skip(1).product();
    match rows * columns {
        0 => Err(unfit(format!("`{buffer}` is empty"))),
        _ => Ok([rows, columns]),
    }
}

fn few_tiles(tiling: &Tiling) -> Result<(), OrderError> {
    let tiles: u64 = tiling.tiles().iter().product();
    match tiles <= MOST_TILES {
        true => Ok(()),
        false => Err(unfit(format!(
            "{tiles} tiles are too many to draw; choose smaller sizes"
        ))),
    }
}

/// The tiles of the output: each as large as what the first block that writes spans.
fn written_tiles(
    buffer: usize,
    matrix: [u64; 2],
    visits: &[BlockVisit],
) -> Result<Tiling, OrderError> {
    let first = visits.iter().find(|visit| !visit.stored.is_empty());
    let first = first.ok_or_else(|| unfit("no block writes to the output".to_owned()))?;
    let columns = matrix[1];
    let mut tile = [1, 1];
    let (mut rows, mut within) = ((u64::MAX, 0), (u64::MAX, 0));
    for elements in &first.stored {
        let (from, to) = (elements.start, elements.end - 1);
        rows = (rows.0.min(from / columns), rows.1.max(to / columns));
        let crosses = from / columns != to / columns;
        let (low, high) = match crosses {
            true => (0, columns - 1),
            false => (from % columns, to % columns),
        };
        within = (within.0.min(low), within.1.max(high));
    }
    tile[0] = rows.1 - rows.0 + 1;
    tile[1] = within.1 - within.0 + 1;
    let tiling = Tiling {
        buffer,
        matrix,
        tile,
    };
    few_tiles(&tiling)?;
    Ok(tiling)
}

fn grid(plan: &Plan, tiling: &Tiling) -> TileGrid {
    let buffer = &plan.buffers[tiling.buffer];
    TileGrid {
        name: buffer.name.clone(),
        matrix: tiling.matrix,
        tile: tiling.tile,
        tiles: tiling.tiles(),
        element_bytes: buffer.element.size_bytes() as u64,
    }
}

fn of_block(visit: BlockVisit, output: &Tiling) -> Visit {
    let mut writes: Vec<u64> = visit
        .stored
        .into_iter()
        .flat_map(|elements| output.tiles_of(elements).collect::<Vec<_>>())
        .collect();
    writes.sort_unstable();
    writes.dedup();
    Visit {
        writes,
        reads: visit.loaded,
    }
}

impl TileGrid {
    /// How many tiles it has.
    pub fn count(&self) -> u64 {
        self.tiles.iter().product()
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

impl Order {
    /// How things stand after the first `blocks` blocks.
    pub fn replay(&self, blocks: usize) -> Replay {
        let mut machine = Machine::new(self);
        let mut written = vec![None; self.output.count() as usize];
        for (at, visit) in self.blocks.iter().enumerate().take(blocks) {
            machine.read(&visit.reads, at + 1 == blocks);
            for &tile in &visit.writes {
                machine.l2.write(tile, self.output.tile_bytes(tile));
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
    order: &'a Order,
    /// The number of each input's first tile.
    firsts: Vec<u64>,
    l2: TileCache,
    inputs: Vec<Vec<TileState>>,
    counted: Counted,
}

impl<'a> Machine<'a> {
    fn new(order: &'a Order) -> Self {
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
            counted: Counted {
                loads_of: vec![0; order.inputs.len()],
                ..Counted::default()
            },
        }
    }

    /// A block reads tiles.
    fn read(&mut self, reads: &[(usize, u64)], is_current: bool) {
        for &(input, tile) in reads {
            let bytes = self.order.inputs[input].tile_bytes(tile);
            let was_there = self.l2.read(self.firsts[input] + tile, bytes);
            let (state, counted) = (&mut self.inputs[input][tile as usize], &mut self.counted);
            counted.reads += 1;
            if !was_there {
                counted.loads += 1;
                counted.loads_of[input] += 1;
                counted.loaded_bytes += bytes;
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
    fn end(mut self) -> (Vec<Vec<TileState>>, Counted) {
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
